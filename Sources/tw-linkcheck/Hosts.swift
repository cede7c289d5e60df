/// How host names are compared.
enum Hosts {
  /// A host without the label that stands for a layout, such as that for phones.
  static func bare(_ host: String) -> String {
    for label in ["www.", "m.", "mobile."] where host.hasPrefix(label) { return String(host.dropFirst(label.count)) }
    return host
  }

  /// Whether the host, or a domain that it belongs to, is in the set.
  static func match(_ host: String, _ set: Set<String>) -> Bool {
    var domain = host[...]
    while true {
      if set.contains(String(domain)) { return true }
      guard let dot = domain.firstIndex(of: ".") else { return false }
      domain = domain[domain.index(after: dot)...]
    }
  }
}
