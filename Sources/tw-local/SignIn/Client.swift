/// A program that users sign in with: OAuth calls it a client, X an app.
struct Client: Sendable {
  /// OAuth 2.0's `client_id`; for OAuth 1.0a and app-only tokens, the consumer key.
  let key: String
  /// `nil` for a program that can keep no secret. It signs users in with PKCE alone.
  let secret: String?
  /// What people see.
  let name: String
  /// Where the answer may go, of a program that has registered itself in Mastodon's way; the others may have it
  /// anywhere on this machine.
  var redirects: [String] = []

  /// Whether it has registered itself: it signs users in as at Mastodon.
  var isRegistered: Bool { !redirects.isEmpty }

  /// In place of an address: the person copies the code from a page (Mastodon's, and once Google's).
  static let codePage = "urn:ietf:wg:oauth:2.0:oob"

  /// The kit's own tools.
  static let kit = Client(key: "tw", secret: nil, name: "tw")

  /// Whether a browser may be sent to an address with a code in it: only a program on this machine can listen there, at
  /// any port (RFC 8252 §7.3).
  static func isLoopback(_ address: String) -> Bool {
    guard address.utf8.count <= 2048,
      address.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0 != "\u{7F}" }),
      !address.contains("#"), !address.contains("\\"), address.hasPrefix("http://")
    else { return false }
    let authority = address.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
    for host in ["127.0.0.1", "localhost", "[::1]"] where authority.lowercased().hasPrefix(host) {
      let port = authority.dropFirst(host.count)
      if port.isEmpty || (port.first == ":" && UInt16(port.dropFirst()) != nil && !port.contains("+")) { return true }
    }
    return false
  }

  /// Whether a program that has registered itself may have the answer at an address: as it said, but at any port of
  /// this machine (RFC 8252 §7.3).
  func allows(_ redirect: String) -> Bool {
    func withoutPort(_ address: String) -> String {
      guard let slashes = address.firstRange(of: "://") else { return address }
      let rest = address[slashes.upperBound...]
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      return String(authority.prefix { $0 != ":" }) + rest.dropFirst(authority.count)
    }
    return redirects.contains(redirect)
      || Self.isLoopback(redirect) && redirects.contains { withoutPort($0) == withoutPort(redirect) }
  }
}
