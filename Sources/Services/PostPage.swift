import TweetCore

/// The page of a post, as its address names it: `https://x.com/jack/status/20?s=20`. A number means a post only at its
/// own service: the same number may be another post elsewhere.
package struct PostPage: Sendable, Equatable {
  /// In lower case, with the port if the address has one.
  package let host: String
  package let id: String

  /// - Parameter text: an address with or without `https://`, whose path has `/status/` or `/statuses/` and a number,
  ///   or which is like Mastodon's `/@jack/109302436954721982`.
  /// - Returns: `nil` for another text.
  package init?(_ text: some StringProtocol) {
    var rest = Substring(text)
    if let scheme = rest.firstRange(of: "://") {
      guard ["http", "https"].contains(rest[..<scheme.lowerBound].lowercased()) else { return nil }
      rest = rest[scheme.upperBound...]
    }
    let parts = rest.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].contains(where: { $0 == "." || $0 == ":" }) || parts[0] == "localhost" else {
      return nil
    }
    let path = parts.dropFirst()
    let isNumber = { (part: Substring) in !part.isEmpty && part.utf8.allSatisfy(\.isASCIIDigit) }
    let mark = path.firstIndex { $0 == "status" || $0 == "statuses" }
    let named = mark ?? (path.first?.hasPrefix("@") == true ? path.startIndex : nil)
    guard let named, named + 1 < path.endIndex, isNumber(path[named + 1]) else { return nil }
    // A user name would hide the host: `https://x.com@example.com/`.
    host = (parts[0].split(separator: "@").last ?? "").lowercased()
    id = String(path[named + 1])
  }

  /// Whether the page is at that address, with or without a path: `http://127.0.0.1:80`.
  package func isAt(_ base: String) -> Bool {
    guard let scheme = base.firstRange(of: "://") else { return false }
    return base[scheme.upperBound...].prefix { $0 != "/" }.lowercased() == host
  }
}
