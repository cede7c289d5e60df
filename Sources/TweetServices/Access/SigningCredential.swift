package import TweetAccounts
import TweetCore
package import TweetNet

/// Signs each request by OAuth 1.0a.
package final class SigningCredential: Credential {
  package let origin: String
  private let signature: OAuth1Signature
  private let extra: [(String, String)]

  /// - Parameters:
  ///   - server: an address of the server that it is for.
  ///   - extra: further parameters of the protocol, such as `oauth_callback`.
  package init(_ signature: OAuth1Signature, at server: String, adding extra: [(String, String)] = []) {
    self.signature = signature
    self.extra = extra
    origin = WebAddress.origin(of: server)
  }

  package func authorize(_ request: inout HTTPRequest) throws(TransferError) {
    guard let message = OAuth1Signature.Message(request) else {
      throw TransferError(.badURL, "not an http or https URL")
    }
    do throws(ToolError) {
      request.authorization = try signature.field(for: message, adding: extra)
    } catch {
      throw TransferError(credential: error)
    }
  }
}

extension OAuth1Signature.Message {
  /// What is signed of a request; `nil` if its URL is none.
  package init?(_ request: HTTPRequest) {
    guard let address = request.address else { return nil }
    var parameters = PercentEncoding.pairs(address.query ?? "")
    let isForm = request.headers.contains {
      $0.name.lowercased() == "content-type" && $0.value.hasPrefix("application/x-www-form-urlencoded")
    }
    if isForm, let body = request.body { parameters += PercentEncoding.pairs(String(decoding: body, as: UTF8.self)) }
    self.init(method: request.method.rawValue, url: address.origin + address.path, parameters: parameters)
  }
}
