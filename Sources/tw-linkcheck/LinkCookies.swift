import TweetNet

/// The cookies of one check, in memory: some sites redirect to the same address until a cookie comes back. A cookie
/// goes to the host that set it and to no other, whatever its `Domain` says.
struct LinkCookies {
  private struct Cookie {
    let host: String
    let name: String
    let value: String
    let isSecure: Bool
  }

  /// As many as browsers keep for a host (RFC 6265 §6.1), and as long.
  private static let most = 50
  private static let longest = 4096

  private var cookies: [Cookie] = []

  /// Takes the values of an answer's `Set-Cookie` fields.
  /// - Returns: whether there is a new cookie, or a new value.
  mutating func take(_ fields: [String], from address: WebAddress) -> Bool {
    var isNew = false
    for field in fields {
      let parts = field.split(separator: ";", omittingEmptySubsequences: false)
      guard let pair = parts.first, pair.utf8.count <= Self.longest, let equals = pair.firstIndex(of: "=") else {
        continue
      }
      let name = Self.trimmed(pair[..<equals])
      let value = Self.trimmed(pair[pair.index(after: equals)...])
      guard !name.isEmpty, (name + value).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { continue }
      let attributes = parts.dropFirst().map { Self.trimmed($0).lowercased() }
      let old = cookies.firstIndex { $0.host == address.host && $0.name == name }
      let isGone = attributes.contains { $0 == "max-age=0" || $0.hasPrefix("max-age=-") }
      isNew = isNew || !isGone && (old == nil || old.map { cookies[$0].value != value } == true)
      if let old { cookies.remove(at: old) }
      if isGone || cookies.count == Self.most { continue }
      cookies.append(Cookie(host: address.host, name: name, value: value, isSecure: attributes.contains("secure")))
    }
    return isNew
  }

  /// The value of the field `Cookie` of a request; `nil` for none.
  func field(for address: WebAddress) -> String? {
    let own = cookies.filter { $0.host == address.host && (!$0.isSecure || address.scheme == "https") }
    return own.isEmpty ? nil : own.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }
}
