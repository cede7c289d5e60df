/// Which parts of posts, users and media a request asked for.
struct Selection: Sendable {
  /// Post fields; `id`, `text` and `edit_history_tweet_ids` always come.
  private(set) var tweet: Set<String> = []
  /// User fields; `id`, `name` and `username` always come.
  private(set) var user: Set<String> = []
  /// Media fields; `media_key` and `type` always come.
  private(set) var media: Set<String> = []
  private(set) var expansions: Set<String> = []

  /// What an endpoint's answers consist of: that decides the expansions it knows.
  enum Subject {
    case posts, users, lists
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

  /// Reads the parameters; a name that X does not know is an error, as there.
  init(_ request: HTTPRequest, of subject: Subject) throws(Problem) {
    tweet = try Self.choice(request, "tweet.fields", of: Self.tweetFields)
    user = try Self.choice(request, "user.fields", of: Self.userFields)
    media = try Self.choice(request, "media.fields", of: Self.mediaFields)
    // This service has neither polls nor places, but a client may name their fields.
    _ = try Self.choice(request, "poll.fields", of: Self.pollFields)
    _ = try Self.choice(request, "place.fields", of: Self.placeFields)
    let known =
      switch subject {
      case .posts: Self.postExpansions
      case .users: Self.userExpansions
      case .lists: ["owner_id"]
      }
    expansions = try Self.choice(request, "expansions", of: known)
    // What is expanded is itself shown, or nobody could tell what the included object belongs to.
    for (expansion, field) in [
      ("author_id", "author_id"), ("in_reply_to_user_id", "in_reply_to_user_id"),
      ("referenced_tweets.id", "referenced_tweets"), ("referenced_tweets.id.author_id", "referenced_tweets"),
      ("referenced_tweets.id.attachments.media_keys", "referenced_tweets"),
      ("attachments.media_keys", "attachments"), ("entities.mentions.username", "entities"),
    ] where expansions.contains(expansion) {
      tweet.insert(field)
    }
  }

  /// The names in a list parameter, each of which must be known.
  static func choice(
    _ request: HTTPRequest, _ parameter: String, of known: [String]
  ) throws(Problem) -> Set<String> {
    guard let text = request.parameter(parameter) else { return [] }
    var chosen: Set<String> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard known.contains(String(name)) else {
        throw .invalid(
          parameter, text,
          "The `\(parameter)` query parameter value [\(name)] is not one of [\(known.joined(separator: ","))]")
      }
      chosen.insert(String(name))
    }
    return chosen
  }
}
