/// The fields and expansions that a request asks for.
struct Selection: Hashable, Sendable {
  /// Fields of posts. `id`, `text` and `edit_history_tweet_ids` are always written.
  private(set) var tweet: Set<String>
  /// Fields of users. `id`, `name` and `username` are always written.
  let user: Set<String>
  /// Fields of media. `media_key` and `type` are always written.
  let media: Set<String>
  /// Fields of polls. `id` and `options` are always written.
  let poll: Set<String>
  let expansions: Set<String>

  /// What the answers of an endpoint consist of, which decides the expansions that it has.
  enum Subject {
    case posts, users
  }

  /// The parameters that every endpoint with posts takes.
  static let postParameters = [
    "tweet.fields", "expansions", "user.fields", "media.fields", "poll.fields", "place.fields",
  ]
  /// The parameters that every endpoint with users takes.
  static let userParameters = ["user.fields", "expansions", "tweet.fields"]

  private static let tweetFields = words(
    """
    article attachments author_id card_uri community_id context_annotations conversation_id created_at \
    display_text_range edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang \
    matched_media_notes media_metadata non_public_metrics note_request_suggestions note_tweet organic_metrics \
    paid_partnership possibly_sensitive promoted_metrics public_metrics referenced_tweets reply_settings scopes source \
    suggested_source_links suggested_source_links_with_counts text withheld
    """)
  private static let userFields = words(
    """
    affiliation confirmed_email connection_status created_at description entities id is_identity_verified location \
    most_recent_tweet_id name parody pinned_tweet_id profile_banner_url profile_image_url protected public_metrics \
    receives_your_dm subscription subscription_type url username verified verified_followers_count verified_type withheld
    """)
  private static let mediaFields = words(
    """
    alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url promoted_metrics \
    public_metrics type url variants width
    """)
  private static let pollFields = words("duration_minutes end_datetime id options voting_status")
  private static let placeFields = words("contained_within country country_code full_name geo id name place_type")
  private static let postExpansions = words(
    """
    article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet \
    attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username geo.place_id in_reply_to_user_id \
    entities.note.mentions.username referenced_tweets.id referenced_tweets.id.attachments.media_keys \
    referenced_tweets.id.author_id
    """)
  private static let userExpansions = words("affiliation.user_id most_recent_tweet_id pinned_tweet_id")

  private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  /// Reads the parameters. As on X, an unknown name is an error.
  init(_ request: ServerRequest, of subject: Subject) throws(Problem) {
    tweet = try request.choices("tweet.fields", of: Self.tweetFields)
    user = try request.choices("user.fields", of: Self.userFields)
    media = try request.choices("media.fields", of: Self.mediaFields)
    poll = try request.choices("poll.fields", of: Self.pollFields)
    // This service has no places, but a client may name their fields.
    _ = try request.choices("place.fields", of: Self.placeFields)
    let known =
      switch subject {
      case .posts: Self.postExpansions
      case .users: Self.userExpansions
      }
    expansions = try request.choices("expansions", of: known)
    // An expansion also selects the field with the id, so that clients can see what an included object belongs to.
    for (expansion, field) in [
      ("author_id", "author_id"), ("in_reply_to_user_id", "in_reply_to_user_id"),
      ("referenced_tweets.id", "referenced_tweets"), ("referenced_tweets.id.author_id", "referenced_tweets"),
      ("referenced_tweets.id.attachments.media_keys", "referenced_tweets"),
      ("attachments.media_keys", "attachments"), ("attachments.poll_ids", "attachments"),
      ("entities.mentions.username", "entities"),
    ] where expansions.contains(expansion) {
      tweet.insert(field)
    }
  }
}
