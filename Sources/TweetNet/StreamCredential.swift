package import TweetCore

/// The credential of a server for its streams, which it may have at another host. Only what belongs to the server by
/// its name gets it: a server that has been broken into, or was set up wrongly, sends tokens nowhere else.
package final class StreamCredential: Credential {
  package let origin: String
  private let own: any Credential

  /// - Parameters:
  ///   - own: the server's.
  ///   - streams: where it says that its streams are.
  /// - Returns: `nil` for an address that is not the server's own, or where it would go without encryption to another
  ///   machine.
  package init?(_ own: any Credential, at streams: WebAddress) {
    guard let server = WebAddress(own.origin), streams.isOfName(of: server) else { return nil }
    (self.own, origin) = (own, streams.origin)
  }

  package func authorize(_ request: inout HTTPRequest) throws(TransferError) { try own.authorize(&request) }
  package func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool {
    try own.afterRefusal(answer, of: request)
  }
  package func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool {
    own.learn(from: answer, to: request)
  }
}

extension WebAddress {
  /// Whether it is at a host that belongs to a server by its name: the same one, one below it, or one with which it
  /// shares the domain above it, `social.example.org` and `streams.example.org`; and not in the clear, if the server
  /// is not.
  fileprivate func isOfName(of server: WebAddress) -> Bool {
    if isLoopback, server.isLoopback { return true }
    guard scheme == "https" || server.scheme == "http" else { return false }
    if host == server.host { return true }
    guard numericHost == nil, server.numericHost == nil else { return false }
    let parent = server.host.split(separator: ".").dropFirst()
    let isBelow = { (domain: String) in self.host == domain || self.host.hasSuffix("." + domain) }
    return isBelow(server.host) || Self.isDomain(parent) && isBelow(parent.joined(separator: "."))
  }

  /// Whether names below it are surely of one owner. There are too many domains in which everybody gets names to know
  /// them all: those of one label, and those such as `co.uk` and `com.au`, are taken for such.
  private static func isDomain(_ labels: ArraySlice<Substring>) -> Bool {
    guard let top = labels.last, let first = labels.first, labels.count >= 2 else { return false }
    return labels.count > 2 || top.utf8.count > 2 || first.utf8.count > 4
  }

  /// Which addresses the host may have of a server that another one has named: any, if it is the same host or on this
  /// machine as that one is; else public ones, and those that `TW_ALLOW_PRIVATE` lists.
  package func addresses(namedBy server: WebAddress?) throws(ToolError) -> AddressPolicy {
    if let server, host == server.host || isLoopback && server.isLoopback { return .any }
    return try .ofStrangers
  }
}
