package import TweetCore
import TweetNet

/// The user whose credential it is, as the service says.
package struct ServiceUser: Sendable, Equatable {
  package let id: String
  package let name: String

  /// Asks the service.
  ///
  /// - Returns: `nil` when it accepts the credential, but that is of no user, or may not ask (403).
  /// - Throws: `ToolError.notAllowed` when it does not accept the credential.
  package static func find(_ access: ServiceAccess) throws(ToolError) -> ServiceUser? {
    var request = HTTPRequest(.get, "\(access.base)/2/users/me")
    request.credential = access.credential
    request.caFile = access.caFile
    let response = try SignInRequest.send(request)
    if response.status == 403 { return nil }
    guard response.isSuccess else { throw ServiceProblem(response).toolError }
    guard let document = try? JSONDocument(response.body), let data = document.root["data"],
      let id = data["id"]?.nonEmptyString, let name = data["username"]?.nonEmptyString
    else { throw .refused("the service does not say whose token it is") }
    return ServiceUser(id: id, name: name)
  }
}
