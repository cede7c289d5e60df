/// What a signed-in user lets a program do: OAuth 2.0's scopes, as X names them (OpenAPI 2.167, `OAuth2UserToken`).
enum Scope: String, CaseIterable, Sendable {
  case tweetRead = "tweet.read"
  case tweetWrite = "tweet.write"
  case tweetModerate = "tweet.moderate.write"
  case usersRead = "users.read"
  case followsRead = "follows.read"
  case followsWrite = "follows.write"
  case offline = "offline.access"
  case likeRead = "like.read"
  case likeWrite = "like.write"
  case listRead = "list.read"
  case listWrite = "list.write"
  case bookmarkRead = "bookmark.read"
  case bookmarkWrite = "bookmark.write"
  case mediaWrite = "media.write"
  case blockRead = "block.read"
  case blockWrite = "block.write"
  case muteRead = "mute.read"
  case muteWrite = "mute.write"
  case broadcastRead = "broadcast.read"
  case broadcastWrite = "broadcast.write"
  case directRead = "dm.read"
  case directWrite = "dm.write"
  case spaceRead = "space.read"
  case timelineRead = "timeline.read"

  /// What a person is asked to allow; `nil` for what this service does not have.
  var purpose: String? {
    switch self {
    case .tweetRead: "read posts and timelines"
    case .tweetWrite: "post, delete and retweet for you"
    case .usersRead: "see your profile and those of others"
    case .followsRead: "see who follows you and whom you follow"
    case .followsWrite: "follow and unfollow people for you"
    case .offline: "stay signed in until you sign out"
    case .likeRead: "see what you have liked"
    case .likeWrite: "like posts and undo it for you"
    case .listRead: "read the posts of lists"
    case .bookmarkRead: "see what you have bookmarked"
    case .bookmarkWrite: "bookmark posts and undo it for you"
    case .mediaWrite: "upload pictures for you"
    default: nil
    }
  }

  /// Parses scopes between spaces; `nil` where one is unknown or there is none.
  static func parse(_ text: String) -> Set<Scope>? {
    var scopes: Set<Scope> = []
    for name in text.split(separator: " ") {
      guard let scope = Scope(rawValue: String(name)) else { return nil }
      scopes.insert(scope)
    }
    return scopes.isEmpty ? nil : scopes
  }

  /// Mastodon's scopes, of which this service has three: `read`, `write` and `follow`. A finer one gives the whole.
  /// - Returns: `nil` where there is none of these.
  static func mastodon(_ text: String) -> Set<Scope>? {
    let words = Set(text.split { $0 == " " || $0 == "+" }.map { String($0.prefix { $0 != ":" }) })
    var scopes: Set<Scope> = []
    // Mastodon 4.3's `profile` reads nothing but the account itself.
    if !words.isDisjoint(with: ["read", "profile"]) {
      scopes.formUnion([.tweetRead, .usersRead, .followsRead, .likeRead, .listRead, .bookmarkRead])
    }
    if words.contains("write") { scopes.formUnion([.tweetWrite, .likeWrite, .bookmarkWrite, .mediaWrite]) }
    if !words.isDisjoint(with: ["write", "follow"]) { scopes.insert(.followsWrite) }
    return scopes.isEmpty ? nil : scopes
  }

  /// The same as Mastodon writes them.
  static func mastodonText(_ scopes: Set<Scope>) -> String {
    [(Scope.tweetRead, "read"), (.tweetWrite, "write"), (.followsWrite, "follow")].filter { scopes.contains($0.0) }
      .map(\.1).joined(separator: " ")
  }

  /// Scopes as answers and the store have them: between spaces, always in the same order.
  static func text(_ scopes: Set<Scope>) -> String {
    allCases.filter(scopes.contains).map(\.rawValue).joined(separator: " ")
  }
}

/// Who may use an endpoint.
struct Access: Sendable {
  /// A token of a user needs all of these.
  let scopes: Set<Scope>
  /// Whether it needs a user: a token that stands for a program alone is refused.
  let needsUser: Bool
  /// Whether it needs no token at all.
  var isOpen = false

  /// Everybody.
  static let open = Access(scopes: [], needsUser: false, isOpen: true)

  /// Programs, and users who let their posts and profiles be read.
  static let reading = Access(scopes: [.tweetRead, .usersRead], needsUser: false)

  /// Programs, and users who allow this too.
  static func reading(_ scope: Scope) -> Access { Access(scopes: reading.scopes.union([scope]), needsUser: false) }

  /// Only users, who allow this besides reading.
  static func user(_ scopes: Scope...) -> Access { Access(scopes: reading.scopes.union(scopes), needsUser: true) }
}
