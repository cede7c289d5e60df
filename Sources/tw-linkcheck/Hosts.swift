import TweetCore

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
