import TweetCore
import TweetNet
import TweetServices

/// Where the streams of a server are, and what is sent there.
struct MastodonStreamPlace: Sendable {
  /// An address without a path.
  let base: String
  let credential: any Credential
  let addresses: AddressPolicy

  /// The server itself.
  init(_ access: ServiceAccess) { (base, credential, addresses) = (access.base, access.credential, access.addresses) }

  /// - Parameter text: what the server says: `wss://streaming.example`.
  /// - Returns: `nil` for an address to which the account's token does not go.
  /// - Throws: `ToolError.configuration` for a list of private addresses that is none.
  init?(_ text: String, of access: ServiceAccess) throws(ToolError) {
    let web = text.hasPrefix("ws://") || text.hasPrefix("wss://") ? "http" + text.dropFirst(2) : text
    guard let address = WebAddress(web), !address.hasCredentials,
      let credential = StreamCredential(access.credential, at: address)
    else { return nil }
    (base, self.credential) = (address.origin, credential)
    addresses = try address.addresses(namedBy: WebAddress(access.base))
  }
}
