package import TweetCore

/// A host and a port, as `TW_ALLOW_PRIVATE` names them: `127.0.0.1:8080`, `[::1]:8080`, `box.lan:80`.
package struct HostPort: Hashable, Sendable {
  /// Lower case, without brackets; numeric addresses in their normal spelling.
  package let host: String
  package let port: Int

  package init(host: String, port: Int) {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.host = IPAddress(bare)?.description ?? bare.lowercased()
    self.port = port
  }

  /// `nil` unless the text is a host, a colon and a port from 1 to 65535.
  package init?(_ text: some StringProtocol) {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65535).contains(port)
    else { return nil }
    let host = text[..<colon]
    guard !host.isEmpty, !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else { return nil }
    self.init(host: String(host), port: port)
  }
}

/// Which addresses a transfer may connect to. It is asked about the *resolved* address each time a socket is opened, so
/// a name that resolves to a private address the second time is refused.
package struct AddressPolicy: Sendable, Equatable {
  /// `nil`: every address.
  private let allowed: Set<HostPort>?

  /// Only public addresses and those that `TW_ALLOW_PRIVATE` lists: for servers that others than the user have named.
  package static var ofStrangers: AddressPolicy {
    get throws(ToolError) { try .publicOnly(allowingList: Paths.environment("TW_ALLOW_PRIVATE")) }
  }

  /// Every address: for services that the user chose.
  package static let any = AddressPolicy(allowed: nil)

  /// Only public addresses and the listed hosts: for URLs that strangers chose.
  package static func publicOnly(allowing allowed: Set<HostPort> = []) -> AddressPolicy {
    AddressPolicy(allowed: allowed)
  }

  /// Only public addresses and those of a `TW_ALLOW_PRIVATE` list, whose entries are separated by commas or spaces.
  ///
  /// - Throws: `ToolError.configuration` when an entry is not `host:port`.
  package static func publicOnly(allowingList list: String?) throws(ToolError) -> AddressPolicy {
    var allowed: Set<HostPort> = []
    for entry in (list ?? "").split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let host = HostPort(entry) else {
        throw .configuration("TW_ALLOW_PRIVATE: '\(entry)' is not host:port")
      }
      allowed.insert(host)
    }
    return .publicOnly(allowing: allowed)
  }

  package var isAny: Bool { allowed == nil }

  /// - Parameters:
  ///   - address: where the socket would connect; `nil` when it is not an IP address.
  ///   - target: host and port of the URL. The list allows the connection if it names the target or the address.
  func allows(_ address: IPAddress?, target: HostPort) -> Bool {
    guard let allowed else { return true }
    if allowed.contains(target) { return true }
    guard let address else { return false }
    return address.isPublic || allowed.contains(HostPort(host: address.description, port: target.port))
  }
}
