import TweetCore

/// A page of a server with Mastodon's API, as its address names it.
package struct MastodonAddress: Sendable, Equatable {
  package enum Place: Sendable, Equatable {
    /// An account's posts: `alice`, or `alice@example.social`.
    case user(String)
    case hashtag(String)
    case post(String)
    case list(String)
    /// A timeline, by the word of its SOURCE.
    case timeline(String)
  }

  /// In lower case, with the port if the address has one.
  package let host: String
  package let place: Place

  /// - Returns: `nil` for an address that is none of these pages.
  package init?(_ text: String) {
    guard let scheme = text.firstRange(of: "://"), ["http", "https"].contains(text[..<scheme.lowerBound].lowercased())
    else { return nil }
    let rest = text[scheme.upperBound...].prefix { $0 != "?" && $0 != "#" }
    let parts = rest.split(separator: "/").map { PercentEncoding.decode($0) }
    guard let first = parts.first, let place = Self.place(Array(parts.dropFirst())) else { return nil }
    // A user name would hide the host: `https://mastodon.social@example.com/`.
    host = (first.split(separator: "@").last ?? "").lowercased()
    self.place = place
  }

  /// An account's page as Pixelfed names it, `https://HOST/NAME`, where so much is said by nothing but the host.
  ///
  /// - Parameter host: a server that is known to be one.
  /// - Returns: `nil` for an address of another host, and for what is not an account of any server.
  init?(profile text: String, of host: String) {
    guard text.hasPrefix("https://\(host)/") || text.hasPrefix("http://\(host)/") else { return nil }
    let path = text.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.dropFirst().prefix { $0 != "?" && $0 != "#" }
    let name = path.hasSuffix("/") ? path.dropLast() : path
    guard !name.isEmpty, !name.contains("/"), !Self.ownPages.contains(name.lowercased()) else { return nil }
    (self.host, place) = (host, .user(PercentEncoding.decode(String(name))))
  }

  /// Pages of servers about themselves and the reader.
  private static let ownPages: Set<String> = [
    "about", "auth", "blocks", "conversations", "deck", "directory", "discover", "explore", "filters",
    "follow_requests",
    "getting-started", "i", "invites", "lists", "login", "mutes", "oauth", "pinned", "privacy-policy", "publish",
    "register",
    "search", "settings", "site", "start", "terms-of-service", "web",
  ]

  /// Mastodon's pages, and those of posts of the other servers with this API.
  private static func place(_ path: [String]) -> Place? {
    // The pages of Mastodon before version 4 begin so.
    if path.first == "web" { return place(Array(path.dropFirst())) }
    guard let first = path.first else { return nil }
    if path.count == 1, let word = words[first] { return .timeline(word) }
    if first.hasPrefix("@"), first.count > 1 {
      switch path.count {
      case 1: return .user(String(first.dropFirst()))
      case 2 where path[1] == "with_replies" || path[1] == "media": return .user(String(first.dropFirst()))
      case 2: return .post(path[1])
      // GoToSocial.
      case 3 where path[1] == "statuses": return .post(path[2])
      default: return nil
      }
    }
    switch (first, path.count) {
    // Friendica; its pages of posts (`/display/…`) do not have their ids.
    case ("profile", 2...3) where path.count == 2 || profilePages.contains(path[2]): return .user(path[1])
    case ("users", 2): return .user(path[1])
    case ("users", 4) where path[2] == "statuses": return .post(path[3])
    case ("tags", 2), ("tag", 2): return .hashtag(path[1])
    case ("lists", 2): return .list(path[1])
    case ("public", 2) where path[1] == "local": return .timeline("local")
    // Pleroma and Akkoma; the Misskey family; Pixelfed.
    case ("notice", 2), ("notes", 2): return .post(path[1])
    case ("p", 3): return .post(path[2])
    default: return nil
    }
  }

  private static let profilePages: Set<String> = ["profile", "conversations", "media", "photos", "contacts"]
  private static let words = [
    "home": "home", "public": "public", "notifications": "notifications", "bookmarks": "bookmarks",
    "favourites": "likes",
  ]

  /// Whether the page is at that address: `http://127.0.0.1:80`.
  package func isAt(_ base: String) -> Bool {
    guard let scheme = base.firstRange(of: "://") else { return false }
    return base[scheme.upperBound...].prefix { $0 != "/" }.lowercased() == host
  }
}
