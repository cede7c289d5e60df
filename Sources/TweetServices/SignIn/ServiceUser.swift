package import TweetCore
import TweetNet

/// The user whose credential it is, as the service says.
package struct ServiceUser: Sendable, Equatable {
  package let id: String
  package let name: String

  package init(id: String, name: String) { (self.id, self.name) = (id, name) }

  /// Asks the service.
  ///
  /// - Returns: `nil` when it accepts the credential, but that is of no user, or may not ask (403).
  /// - Throws: `ToolError.notAllowed` when it does not accept the credential.
  package static func find(_ access: ServiceAccess) throws(ToolError) -> ServiceUser? {
    let api = try access.writing()
    let response = try SignInRequest.send(api.accountRequest)
    if response.status == 403 { return nil }
    guard response.isSuccess else { throw access.api.refusal(response).error }
    guard let account = api.account(in: response) else { throw .refused("the service does not say whose token it is") }
    return ServiceUser(id: account.id, name: account.username)
  }
}
