import TweetAccounts
import TweetCore
import TweetNet
import TweetServices

/// The account that a plugin works for, and its token.
struct PluginAccount {
  /// `nil` if the environment has only a token.
  let name: String?
  /// The token as it is now: it may be renewed for this.
  let token: () throws(ToolError) -> Secret?

  /// The account of a plugin's own service: that of the token that the environment or the settings have of it, else one
  /// that is signed in. A token of another service is never given to a plugin.
  ///
  /// - Parameters:
  ///   - variables: those of the plugin's service.
  ///   - option: the `--account` option, whose account alone will do. Without it that of `TW_ACCOUNT` or the setting is
  ///     taken if the service has it, since that may name an account of another service; else the one in use.
  /// - Returns: `nil` where there is no such account, and for one that signs each request.
  /// - Throws: `ToolError.configuration` for accounts or a token that cannot be read.
  static func find(
    _ variables: ServiceVariables, account option: String?, caFile: String?, _ settings: Settings,
    accounts: () throws(ToolError) -> CredentialsFile = CredentialsFile.load
  ) throws(ToolError) -> PluginAccount? {
    let service = variables.service
    let name = option ?? settings.variable("TW_ACCOUNT")
    if let token = try ServiceAccess.givenToken(variables) {
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
