package import TweetAccounts
package import TweetCore
import TweetNet

/// The token that a plugin is given.
package enum PluginToken {
  /// The token of the account of a plugin's own service: the one that the environment has, if that service is the one in use,
  /// else that of an account that is signed in. A token of another service is never given to a plugin.
  ///
  /// - Parameters:
  ///   - service: the name of the plugin.
  ///   - account: the `--account` option; `nil` for the account in use.
  ///   - environment: looks a variable or its setting up; `nil` when it is unset or empty.
  /// - Returns: `nil` where there is no such account, and for one that signs each request.
  /// - Throws: `ToolError` when there is an account whose token cannot be had.
  package static func find(
    service: String, account: String?, caFile: String?, environment: (String) -> String?,
    accounts: () throws(ToolError) -> CredentialsFile = CredentialsFile.load
  ) throws(ToolError) -> Secret? {
    if service == environment("TW_SERVICE") ?? "x", let token = try ServiceAccess.givenToken(service, environment) {
      return token
    }
    guard let found = try accounts().account(account, service: service, base: nil), found.method != .oauth1 else {
      return nil
    }
    let credential = try found.credential(base: found.base, caFile: caFile)
    do throws(TransferError) {
      return Secret(bearer: try credential.field(for: HTTPRequest(.get, found.base)).exposed)
    } catch {
      throw error.cause ?? .tryLater("the token of account '\(found.name)' cannot be renewed now: \(error.text)")
    }
  }
}
