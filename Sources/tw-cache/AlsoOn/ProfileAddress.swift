import Services
import TweetCore

/// What an address says of whose profile it is. Two addresses that have one of their names in common lead to one
/// account.
enum ProfileAddress {
  /// First words of paths at X that are not accounts.
  private static let reserved: Set<String> = [
    "home", "search", "hashtag", "intent", "share", "explore", "settings", "i", "login", "messages", "notifications",
  ]

  /// The names of the account that a link leads to, as far as its address tells: none for what is not an address.
  static func names(ofLink link: String) -> [String] {
    guard let (host, path) = parts(of: link) else { return [] }
    let words = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    var names = ["page:" + ([host] + words).joined(separator: "/").lowercased()]
    if words.isEmpty { names.append("site:" + host) }
    guard let first = words.first else { return names }
    switch host {
    case _ where XService().sites.contains(host):
      let isName = first.utf8.count <= 15 && first.utf8.allSatisfy { isWord($0) }
      return words.count == 1 && isName && !reserved.contains(first.lowercased()) ? ["x:" + first.lowercased()] : []
    case _ where RecordAddress.sites.contains(host):
      return words.count == 2 && first == "profile" ? ["bluesky:" + words[1].lowercased()] : []
    default: break
    }
    if words.count == 1, first.hasPrefix("@") {
      // The page that another server has of the account is named `@ann@one.example`.
      let parts = first.dropFirst().split(separator: "@", omittingEmptySubsequences: false)
      if parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) {
        names.append(fediverse(parts[0], parts.count == 2 ? String(parts[1]) : host))
      }
    } else if words.count == 2, first == "users" {
      names.append(fediverse(words[1], host))
    }
    return names
  }

  /// The names by which links lead to the account of a `user` record.
  static func names(ofAccount user: JSONValue) -> [String] {
    guard let service = user["service"]?.string else { return [] }
    let name = user["username"]?.nonEmptyString
    switch network(of: service) {
    case "x": return name.map { ["x:" + $0.lowercased()] } ?? []
    case "bluesky":
      // A handle is a domain, which its owner has shown to be theirs.
      let handle = name.map { $0.lowercased() }
      return (handle.map { ["bluesky:" + $0, "site:" + $0] } ?? [])
        + (user["id"]?.nonEmptyString.map { ["bluesky:" + $0.lowercased()] } ?? [])
    case "mastodon":
      let pages = [user["url"], user["extra"]?["uri"]].compactMap { $0?.nonEmptyString }
      return pages.flatMap { names(ofLink: $0) }
    default: return []
    }
  }

  /// `mastodon` for `mastodon:one.example`.
  static func network(of service: String) -> String { String(service.prefix { $0 != ":" }) }

  private static func fediverse(_ name: some StringProtocol, _ host: String) -> String {
    "fediverse:\(host.lowercased())/\(name.lowercased())"
  }

  /// The host in lower case, without what sites put before it, and the path.
  private static func parts(of link: String) -> (host: String, path: Substring)? {
    var rest = link[...]
    if let scheme = rest.firstRange(of: "://") {
      guard ["http", "https"].contains(rest[..<scheme.lowerBound].lowercased()) else { return nil }
      rest = rest[scheme.upperBound...]
    }
    rest = rest.prefix { $0 != "?" && $0 != "#" }
    let authority = rest.prefix { $0 != "/" }
    // A name before the host would hide it: `https://x.com@evil.example/`.
    guard authority.contains("."), !authority.contains("@") else { return nil }
    var host = authority.lowercased()
    for prefix in ["www.", "mobile."] where host.hasPrefix(prefix) { host.removeFirst(prefix.count) }
    return (host, rest.dropFirst(authority.count))
  }

  private static func isWord(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }
}
