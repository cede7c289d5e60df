import TweetCore
import TweetNet
import TweetServices

/// What a server says of itself: `GET /api/v2/instance`, or `/api/v1/instance` of older ones.
struct MastodonInstance: Sendable, Equatable {
  /// Who may read a timeline.
  enum Reader: String, Sendable {
    case everybody = "public"
    case accounts = "authenticated"
    case nobody = "disabled"
  }

  /// The two halves of a timeline: the posts of the server's own accounts, and those of others.
  struct Readers: Sendable, Equatable {
    var local = Reader.everybody
    var remote = Reader.everybody
  }

  /// Where streams are, as it says it; `nil` if it does not.
  private(set) var streams: String?
  private(set) var publicReaders = Readers()
  private(set) var hashtagReaders = Readers()
  /// Characters of a post, of a link in it (`nil` for those it has), and of a poll's choice; choices of a poll.
  private(set) var longestText = 500
  private(set) var linkLength: Int? = 23
  private(set) var longestChoice = 50
  private(set) var mostChoices = 4
  /// Whether posts can quote others.
  private(set) var hasQuotes = true
  /// What the pictures and videos of a post may be: Mastodon's own limits (its `MediaAttachment`), of a server that
  /// names none.
  private(set) var media = MediaLimits(
    types: nil, largestPicture: 16 << 20, largestVideo: 99 << 20, most: 4, longestDescription: 1500, mixes: true,
    motion: .madeVideo)
  /// Whether a post must show something.
  private(set) var needsMedia = false
  /// Whether it is Mastodon, whose ids tell the time.
  private(set) var isMastodon = false
  /// Whether a post that is asked for twice with one key is made once, even if the second request comes while the
  /// server still works on the first: of Mastodon since 4.6.0 (its change 37879), whose API has number 10.
  private(set) var keepsKeys = false
  /// Whether it is GoToSocial, which has streams by WebSocket alone, and none of a hashtag.
  private(set) var isGoToSocial = false

  /// - Returns: `nil` for an answer that is not a description of a server.
  init?(_ answer: HTTPResponse) {
    guard answer.isSuccess, let document = try? JSONDocument(answer.body), document.isObject else { return nil }
    let configuration = document["configuration"]
    let urls = [configuration?["urls"]?["streaming"], document["urls"]?["streaming_api"]]
    streams = urls.compactMap { $0?.nonEmptyString }.first
    let readers = configuration?["timelines_access"]
    publicReaders = Readers(readers?["live_feeds"])
    hashtagReaders = Readers(readers?["hashtag_feeds"])
    // Other servers name the version whose API they have, and themselves beside it.
    func number(_ value: JSONDocument?) -> Int? { value?.integer.flatMap { $0 > 0 ? $0 : nil } }
    let statuses = configuration?["statuses"]
    longestText = number(statuses?["max_characters"]) ?? number(document["max_toot_chars"]) ?? longestText
    if let reserved = statuses?["characters_reserved_per_url"] { linkLength = number(reserved) }
    let polls = configuration?["polls"] ?? document["poll_limits"]
    longestChoice =
      number(polls?["max_characters_per_option"]) ?? number(polls?["max_option_chars"]) ?? longestChoice
    mostChoices = max(2, number(polls?["max_options"]) ?? mostChoices)
    let isCompatible = document["version"]?.string?.contains("compatible") ?? true
    let version = document["api_versions"]?["mastodon"]?.integer
    isMastodon = !isCompatible && version != nil
    keepsKeys = isMastodon && (version ?? 0) >= 10
    isGoToSocial = document["source_url"]?.string?.lowercased().hasSuffix("/gotosocial") == true
    hasQuotes = (version ?? 0) >= 7
    needsMedia = document["version"]?.string?.contains("Pixelfed") == true
    let files = configuration?["media_attachments"]
    let most = number(document["upload_limit"])
    media = MediaLimits(
      types: Self.types(files?["supported_mime_types"]),
      largestPicture: number(files?["image_size_limit"]) ?? most ?? media.largestPicture,
      largestVideo: number(files?["video_size_limit"]) ?? most ?? media.largestVideo,
      mostPixels: number(files?["image_matrix_limit"]),
      most: number(statuses?["max_media_attachments"]) ?? number(document["max_media_attachments"]) ?? media.most,
      longestDescription: number(files?["description_limit"]) ?? number(document["description_limit"])
        ?? media.longestDescription,
      // Mastodon's `PostStatusService` refuses a video beside anything else, other servers do not.
      mixes: !isMastodon, motion: .madeVideo)
  }

  /// The media types of a list; `nil` for a server that names none. Pleroma says that it takes any bytes.
  private static func types(_ list: JSONDocument?) -> Set<String>? {
    let types = Set(list?.elements.compactMap { $0.string?.lowercased() } ?? [])
    return types.isEmpty || types.contains("application/octet-stream") ? nil : types
  }

  /// What is taken for true of a server that says nothing.
  init() {}
}

extension MastodonInstance.Readers {
  fileprivate init(_ object: JSONDocument?) {
    local = object?["local"]?.string.flatMap { .init(rawValue: $0) } ?? .everybody
    remote = object?["remote"]?.string.flatMap { .init(rawValue: $0) } ?? .everybody
  }
}
