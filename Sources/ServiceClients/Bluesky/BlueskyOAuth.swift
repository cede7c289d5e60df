import TweetCore
import TweetNet
import TweetServices

/// Sign-in by OAuth as the AT Protocol has it ("OAuth"): the account's server names the server that signs it in.
struct BlueskyOAuth: FoundOAuth {
  var scopes: [String] { BlueskyScopes.all }
  /// Two weeks, for an application without a server of its own.
  var lifetime: Int64 { 14 * 86_400_000 }
  var lastingAdvice: String { "an app password does not end, which programs under cron need" }

  func find(_ name: String, at base: String, caFile: String?) throws(ToolError) -> AuthorizationServer {
    let identity = try BlueskyIdentities.find(named: name, at: base, caFile: caFile)
    // Servers on this machine, without TLS, only where a directory of this machine names them.
    let search = Search(identity, isLocal: identity.addresses == .any, caFile: caFile)
    let issuer = try search.issuer()
    return try search.server(issuer)
  }

  /// An application that is known by its address alone: its name is what it asks for ("Localhost Client Development").
  /// The port of the redirect is not part of it.
  func clientID(redirect: String, scopes: [String]) throws(ToolError) -> String {
    guard let address = WebAddress(redirect), address.scheme == "http",
      ["127.0.0.1", "::1"].contains(address.host)
    else {
      throw .usage(
        "--redirect-uri: Bluesky sends the browser back to an address at http://127.0.0.1 or http://[::1] only, not to "
          + "'\(redirect)'")
    }
    let host = address.host == "::1" ? "[::1]" : address.host
    let query = PercentEncoding.form([
      ("redirect_uri", "http://\(host)\(address.path)"), ("scope", scopes.joined(separator: " ")),
    ])
    return "http://localhost?\(query)"
  }
}

/// The way from an account to the server that signs it in. What each step says is checked before the next.
private struct Search {
  let identity: BlueskyIdentity
  let isLocal: Bool
  let caFile: String?

  init(_ identity: BlueskyIdentity, isLocal: Bool, caFile: String?) {
    (self.identity, self.isLocal, self.caFile) = (identity, isLocal, caFile)
  }

  /// Asks the account's server who signs its accounts in (RFC 9728).
  func issuer() throws(ToolError) -> String {
    guard let server = origin(identity.server) else {
      throw .refused("the server of \(identity.did) is at an address with a path, '\(identity.server)'")
    }
    let document = try metadata(at: "\(server)/.well-known/oauth-protected-resource", of: server)
    if let resource = document["resource"]?.string, origin(resource) != server {
      throw .refused("the server \(server) says that it is '\(resource)'")
    }
    let issuers = document.list("authorization_servers").compactMap(\.string)
    guard issuers.count == 1, let issuer = origin(issuers[0]), issuer == issuers[0] else {
      throw .refused("the server \(server) does not name one server that signs accounts in, by an https address")
    }
    return issuer
  }

  /// Asks a server how it signs accounts in (RFC 8414).
  func server(_ issuer: String) throws(ToolError) -> AuthorizationServer {
    let document = try metadata(at: "\(issuer)/.well-known/oauth-authorization-server", of: issuer)
    guard document["issuer"]?.string == issuer else {
      throw .refused("the server \(issuer) says that it is '\(document["issuer"]?.string ?? "")'")
    }
    func has(_ name: StaticString, _ value: String) -> Bool { document.list(name).contains { $0.string == value } }
    guard has("scopes_supported", "atproto"), has("code_challenge_methods_supported", "S256"),
      has("dpop_signing_alg_values_supported", "ES256"),
      document["client_id_metadata_document_supported"]?.bool == true
    else { throw .refused("the server \(issuer) does not sign accounts in as the AT Protocol asks") }
    return AuthorizationServer(
      issuer: issuer, pushURL: try endpoint("pushed_authorization_request_endpoint", document, issuer),
      authorizeURL: try endpoint("authorization_endpoint", document, issuer),
      tokenURL: try endpoint("token_endpoint", document, issuer),
      revokeURL: document["revocation_endpoint"] == nil
        ? nil : try endpoint("revocation_endpoint", document, issuer),
      base: identity.server, user: ServiceUser(id: identity.did, name: identity.handle ?? identity.did),
      addresses: identity.addresses)
  }

  /// Codes and tokens go to the server that was found, and to no other that it may name.
  private func endpoint(
    _ name: StaticString, _ document: JSONDocument, _ issuer: String
  ) throws(ToolError) -> String {
    guard let url = document[name]?.string, let address = WebAddress(url), !address.hasCredentials,
      address.origin == issuer, address.query == nil, !address.url.contains("#")
    else { throw .refused("the server \(issuer) has no '\(name)' at its own address") }
    return address.url
  }

  /// The origin that an address is; `nil` for one with a path, and for one that credentials may not go to.
  private func origin(_ text: String) -> String? {
    guard let address = WebAddress(text), !address.hasCredentials, address.path == "/", address.query == nil,
      !address.url.contains("#"), address.scheme == "https" || address.isLoopback && isLocal
    else { return nil }
    return address.origin
  }

  private func metadata(at url: String, of server: String) throws(ToolError) -> JSONDocument {
    var request = HTTPRequest(.get, url, reaching: identity.addresses)
    request.caFile = caFile
    let answer = try SignInRequest.send(request)
    let isJSON = answer.headers["content-type"]?.lowercased().hasPrefix("application/json") == true
    guard answer.status == 200, isJSON, let document = answer.document,
      document.isObject
    else {
      throw SignInRequest.refusal(
        answer, "the server \(server) does not say how accounts are signed in (HTTP \(answer.status))")
    }
    return document
  }
}
