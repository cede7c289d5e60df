import TweetCore
import TweetNet
import TweetServices

/// How one signs in to a server with Mastodon's API: the kit registers itself there, and gets a token that does not
/// expire.
struct MastodonSignIn: Sendable {
  let base: String

  /// PKCE's parameters are sent to all servers; those from before Mastodon 4.3, and others, ignore them (RFC 6749
  /// §3.1).
  var oauth2: OAuth2Service {
    OAuth2Service(
      authorizeURL: base + "/oauth/authorize", tokenURL: base + "/oauth/token", revokeURL: base + "/oauth/revoke",
      // All servers know these two, which have the finer ones in them.
      scopes: ["read", "write"], client: .registered(MastodonRegistration(base: base)), codePage: Self.codePage,
      namesClientInForm: true)
  }

  /// The address of a page of the server itself that shows the code.
  static let codePage = "urn:ietf:wg:oauth:2.0:oob"
}

struct MastodonRegistration: ClientRegistration {
  let base: String

  /// With the page that shows the code beside the redirect: it is not known which of them a later sign-in uses.
  func request(redirect: String, scopes: [String]) -> HTTPRequest {
    var request = HTTPRequest(.post, base + "/api/v1/apps", reaching: .any)
    let redirects = redirect == MastodonSignIn.codePage ? redirect : redirect + "\n" + MastodonSignIn.codePage
    var body = ByteBuffer()
    body.object { out in
      out.member("client_name", "tw")
      out.member("redirect_uris", redirects)
      out.member("scopes", scopes.joined(separator: " "))
      out.member("website", Version.project)
    }
    request.headers = [HTTPHeader("Content-Type", "application/json")]
    request.body = body.array
    return request
  }

  func client(in answer: HTTPResponse) -> (id: String, secret: Secret?)? {
    guard let document = try? JSONDocument(answer.body), let id = document["client_id"]?.nonEmptyString else {
      return nil
    }
    return (id, document["client_secret"]?.nonEmptyString.map { Secret($0) })
  }
}
