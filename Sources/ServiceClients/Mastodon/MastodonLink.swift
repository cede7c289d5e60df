import TweetCore

/// A link of an answer of a server.
enum MastodonLink {
  /// The path and the query of a link, below the base address. No more of it counts: a server does not know how it is
  /// reached from outside, and the account's token goes to no other one.
  /// - Parameter link: an absolute address, or one without a host (RFC 8288, RFC 3986 §4.2).
  static func path(of link: String, at base: String) -> String? {
    func withoutHost(_ address: String) -> Substring {
      guard let scheme = address.firstRange(of: "://") else { return address[...] }
      return address[scheme.upperBound...].drop { $0 != "/" }
    }
    let (path, root) = (withoutHost(link), withoutHost(base))
    guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
    return String(path.hasPrefix(root + "/") ? path.dropFirst(root.count) : path)
  }
}
