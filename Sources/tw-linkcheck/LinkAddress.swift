import TweetCore
import TweetNet

/// The parts of links that go to no server.
enum LinkAddress {
  /// The URL without a user name and a password.
  static func withoutCredentials(_ url: String) -> String { WebAddress.withoutCredentials(url) }

  /// The fragment never goes to the server: links that differ only in it are checked once.
  static func withoutFragment(_ url: String) -> String {
    url.firstIndex(ofASCII: UInt8(ascii: "#")).map { String(url[..<$0]) } ?? url
  }

  /// The fragment with its `#`; `nil` when there is none.
  static func fragment(of url: String) -> String? {
    url.firstIndex(ofASCII: UInt8(ascii: "#")).map { String(url[$0...]) }
  }

  /// Whether two addresses are of different things, as far as they show it: not if only the scheme, `www.`, a slash at
  /// the end or the fragment differs.
  static func leadsElsewhere(_ first: WebAddress?, _ second: WebAddress?) -> Bool {
    guard let first, let second else { return first != second }
    func host(_ address: WebAddress) -> Substring {
      address.host.hasPrefix("www.") ? address.host.dropFirst(4) : address.host[...]
    }
    func path(_ address: WebAddress) -> Substring {
      address.path.hasSuffix("/") ? address.path.dropLast() : address.path[...]
    }
    let hasUsualPorts = first.port == first.usualPort && second.port == second.usualPort
    return host(first) != host(second) || path(first) != path(second) || first.query != second.query
      || !hasUsualPorts && first.port != second.port
  }

  /// Where a link that began at `original` ended, with its fragment. A redirect that has a fragment replaces the one
  /// before; without one the fragment stays (RFC 9110 §10.2.2).
  static func inheritingFragment(_ url: String, from original: String) -> String {
    guard let own = fragment(of: original), fragment(of: url) == nil else { return url }
    return url + own
  }
}

extension WebAddress {
  /// The port of its scheme when it has none of its own.
  fileprivate var usualPort: Int { scheme == "https" ? 443 : 80 }
}

/// How host names are compared.
enum Hosts {
  /// A host without the label that stands for a layout, such as that for phones.
  static func bare(_ host: String) -> String {
    for label in ["www.", "m.", "mobile."] where host.hasPrefix(label) { return String(host.dropFirst(label.count)) }
    return host
  }

  /// What a table has of the host, or else of the nearest domain that it belongs to.
  /// - Parameter table: has no top-level domains.
  static func find<Value>(_ host: String, in table: [Substring: Value]) -> Value? {
    // That is an address, which belongs to no domain.
    if host.utf8.last?.isASCIIDigit == true { return nil }
    var domain = host[...]
    while let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) {
      if let value = table[domain] { return value }
      domain = domain[domain.utf8.index(after: dot)...]
    }
    return nil
  }
}
