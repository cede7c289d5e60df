import SQLite

/// The tables of the store of tweets that have checksums.
extension RowSum {
  static let users = RowSum("users", "key service id username name first_seen retrieved_at json")
  static let userNames = RowSum("user_names", "user username name first_seen")
  static let tweets = RowSum(
    "tweets",
    """
    key service id author created_at lang conversation_id like_count retweet_count reply_count quote_count media \
    viewer has_links address hidden first_seen last_seen retrieved_at text indexed quote alt more json
    """)
  static let incoming = RowSum(
    "incoming",
    """
    key service id tweet retrieved_at created_at username name text like_count retweet_count reply_count quote_count lang \
    hidden seen_at labels json
    """)
  static let versions = RowSum("tweet_versions", "tweet text retrieved_at json")
  static let edits = RowSum("tweet_edits", "service id original")
  static let feeds = RowSum("feeds", "key service feed")
  static let tweetFeeds = RowSum("tweet_feeds", "feed tweet first_seen last_seen")
  static let tombstones = RowSum("tombstones", "service id user_id deleted_at")
  static let forgotten = RowSum("forgotten", "service id named forgotten_at address")
  static let forgottenTweets = RowSum("forgotten_tweets", "service named id stored text json")
  static let forgottenPeople = RowSum("forgotten_people", "service id forgotten_at")
  static let withheld = RowSum("withheld", "service subject id countries noticed_at")
  static let scrubbedPlaces = RowSum("scrubbed_places", "service user_id up_to_id noticed_at")
  static let linkKinds = RowSum("link_kinds", "url kind checked_at")
  static let sources = RowSum(
    "sources",
    """
    key service account source every paused checkpoint refreshed_at failing_since retry_at refused_token reported \
    reported_at
    """)

  static let notifications = RowSum("notifications", "service account id kind at user_id tweet_id json")
  static let labels = RowSum("labels", "key label")
  static let tweetLabels = RowSum("tweet_labels", "label tweet")
  static let savedQueries = RowSum("saved_queries", "name query")
  static let tweetCounts = RowSum(
    "tweet_counts", "tweet retrieved_at like_count retweet_count reply_count quote_count")

  /// All tables of the store of tweets. The records come last: they are long.
  static let all = [
    feeds, tweetFeeds, userNames, edits, tombstones, forgotten, forgottenPeople, withheld, scrubbedPlaces, linkKinds,
    sources, labels,
    tweetLabels, savedQueries, tweetCounts, versions, forgottenTweets, notifications, incoming, users, tweets,
  ]
}
