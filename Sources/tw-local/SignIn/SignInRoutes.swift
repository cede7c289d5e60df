import TweetCLI
import TweetCore

/// The addresses of OAuth, which are X's and Mastodon's.
///
/// | address | what |
/// |---|---|
/// | `/i/oauth2/authorize`, `/2/oauth2/authorize` | OAuth 2.0: the page where a user signs in |
/// | `/2/oauth2/token`, `/2/oauth2/revoke` | OAuth 2.0: tokens for a code or a refresh token; signing out |
/// | `/oauth2/token`, `/oauth2/invalidate_token` | tokens of programs |
/// | `/oauth/request_token`, `/oauth/access_token` | OAuth 1.0a: tokens before and after the user signs in; xAuth |
/// | `/oauth/authorize`, `/oauth/authenticate` | OAuth 1.0a: the page |
/// | `/oauth/authorize` with a `client_id` | Mastodon: the page |
/// | `/oauth/token`, `/oauth/revoke` | Mastodon: tokens for a code; signing out |
extension Service {
  /// Answers a request to one of these addresses; `nil` for any other.
  nonisolated func answerSignIn(_ request: ServerRequest) async -> ServerResponse? {
    let form = request.addingFormParameters()
    switch request.path {
    case ["i", "oauth2", "authorize"], ["2", "oauth2", "authorize"]:
      return await page(request) { await authorizeOAuth2(form) }
    case ["oauth", "authorize"] where form.parameter("client_id") != nil:
      return await page(request) { await authorizeOAuth2(form) }
    case ["oauth", "token"]:
      return await program(request, .mastodon) { try await issueMastodonToken(request.addingBodyParameters()) }
    case ["oauth", "revoke"]:
      return await program(request, .mastodon) { try await revokeMastodonToken(request.addingBodyParameters()) }
    case ["oauth", "authorize"], ["oauth", "authenticate"]:
      return await page(request) { await authorizeOAuth1(form) }
    case ["2", "oauth2", "token"]: return await program(request, .v2) { try await issueTokens(form) }
    case ["2", "oauth2", "revoke"]: return await program(request, .v2) { try await revokeTokens(form) }
    case ["oauth2", "token"]: return await program(request, .v1) { try await issueAppToken(form) }
    case ["oauth2", "invalidate_token"]: return await program(request, .v1) { try await invalidateAppToken(form) }
    // These two look at the signature, which is made of the query and the body.
    case ["oauth", "request_token"]: return await program(request, .v1) { try await issueRequestToken(request) }
    case ["oauth", "access_token"]: return await program(request, .v1) { try await issueAccessToken(request) }
    default: return nil
    }
  }

  private nonisolated func page(
    _ request: ServerRequest, _ answer: () async -> ServerResponse
  ) async -> ServerResponse {
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      return Page.methodNotAllowed(allowed: "GET, HEAD, POST")
    }
    return await answer()
  }

  /// An address that only programs use, with POST.
  private nonisolated func program(
    _ request: ServerRequest, _ version: APIVersion, _ answer: () async throws -> ServerResponse
  ) async -> ServerResponse {
    var response: ServerResponse
    do {
      guard request.method == "POST" else { throw Problem.wrongMethod }
      response = try await answer()
    } catch let fault as OAuth2Fault {
      response = fault.response
    } catch {
      response = Self.refusal(error, in: version)
    }
    response.headers.append(("cache-control", "no-store"))
    return response
  }
}
