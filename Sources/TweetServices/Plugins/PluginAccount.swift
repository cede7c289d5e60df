package import TweetAccounts
package import TweetCore
import TweetNet

/// The account that a plugin works for, and its token.
package struct PluginAccount {
  /// `nil` if the environment has only a token.
  package let name: String?
  /// The token as it is now: it may be renewed for this.
  package let token: () throws(ToolError) -> Secret?

  /// The account of a plugin's own service: that of the token in the environment, if that service is the one in use,
  /// else one that is signed in. A token of another service is never given to a plugin.
  ///
  /// - Parameters:
  ///   - service: the name of the plugin.
  ///   - used: the service that is in use.
  ///   - option: the `--account` option, whose account alone will do. Without it that of `TW_ACCOUNT` or the setting is
  ///     taken if the service has it, since that may name an account of another service; else the one in use.
  ///   - environment: looks a variable or its setting up; `nil` when it is unset or empty.
  /// - Returns: `nil` where there is no such account, and for one that signs each request.
  /// - Throws: `ToolError.configuration` for accounts or a token that cannot be read.
  package static func find(
    service: String, used: String, account option: String?, caFile: String?, environment: (String) -> String?,
    accounts: () throws(ToolError) -> CredentialsFile = CredentialsFile.load
  ) throws(ToolError) -> PluginAccount? {
    let name = option ?? environment("TW_ACCOUNT")
    if service == used, let token = try ServiceAccess.givenToken(service, environment) {
      return PluginAccount(name: name) { () throws(ToolError) in token }
    }
    let file = try accounts()
    let named = file.account(name, service: service, base: nil)
    guard let found = named ?? (option == nil ? file.account(nil, service: service, base: nil) : nil),
      found.method != .oauth1
    else { return nil }
    return PluginAccount(name: found.name.name) { () throws(ToolError) in
      let credential = try found.credential(nil, caFile: caFile)
      do throws(TransferError) {
        return try credential.token(for: found.base)
      } catch {
        throw error.cause ?? .tryLater("the token of account '\(found.name)' cannot be renewed now: \(error.text)")
      }
    }
  }
}
