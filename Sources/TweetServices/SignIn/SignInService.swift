import Services
package import TweetCore
package import TweetNet

/// How one signs in to a service at an address. A way that it does not know is `nil`; a token from elsewhere it always
/// takes.
package struct SignInService: Sendable {
  package let api: any ServiceAPI
  /// As records and settings name it.
  package var name: String { api.service.name }
  package let base: String
  package let oauth2: OAuth2Service?
  package let oauth1: OAuth1Service?
  package let application: ApplicationService?
  package let session: (any SessionService)?
  /// OAuth 2.0 at a server that the account's own names. A service has either this or ``oauth2``.
  package let found: (any FoundOAuth)?
  /// Where a person registers an application; `nil` if none is needed.
  package let portal: String?

  package init(
    api: any ServiceAPI, base: String, oauth2: OAuth2Service? = nil, oauth1: OAuth1Service? = nil,
    application: ApplicationService? = nil, session: (any SessionService)? = nil, found: (any FoundOAuth)? = nil,
    portal: String? = nil
  ) {
    (self.api, self.base, self.portal) = (api, base, portal)
    (self.oauth2, self.oauth1, self.application, self.session) = (oauth2, oauth1, application, session)
    self.found = found
  }

  /// An endpoint that gives out tokens, as an application asks it.
  package func endpoint(
    _ url: String, clientID: String, clientSecret: Secret?, caFile: String?, reaching addresses: AddressPolicy
  ) -> TokenEndpoint {
    TokenEndpoint(
      url: url, clientID: clientID, clientSecret: clientSecret, caFile: caFile, api: api, reaching: addresses,
      namesClientInForm: oauth2?.namesClientInForm ?? false)
  }
}

/// OAuth 2.0 with PKCE.
package struct OAuth2Service: Sendable {
  /// The page that asks the person (RFC 6749 §3.1).
  package let authorizeURL: String
  package let tokenURL: String
  /// `nil` if a program cannot end a sign-in.
  package let revokeURL: String?
  /// What is asked for, if the person does not say: enough to read and write.
  package let scopes: [String]
  package let client: Client
  /// The redirect that has the service show the code on a page of its own, for who copies it; `nil` if there is none.
  package let codePage: String?
  /// Whether an application names itself in the form of a request for a token, also if it has a secret.
  package let namesClientInForm: Bool
  /// Whether a program may send a name and a password to the page that asks the person.
  package let takesPasswords: Bool

  /// The application that a person signs in with.
  package enum Client: Sendable {
    /// Each person registers one.
    case ofPerson
    /// The service knows the kit by this client id.
    case known(String)
    /// The kit registers itself by a request.
    case registered(any ClientRegistration)
  }

  package init(
    authorizeURL: String, tokenURL: String, revokeURL: String?, scopes: [String], client: Client,
    codePage: String? = nil, namesClientInForm: Bool = false, takesPasswords: Bool = false
  ) {
    (self.codePage, self.namesClientInForm) = (codePage, namesClientInForm)
    (self.authorizeURL, self.tokenURL, self.revokeURL) = (authorizeURL, tokenURL, revokeURL)
    (self.scopes, self.client, self.takesPasswords) = (scopes, client, takesPasswords)
  }
}

/// How the kit becomes an application of a service.
package protocol ClientRegistration: Sendable {
  func request(redirect: String, scopes: [String]) -> HTTPRequest
  /// Reads the 2xx answer to it; `nil` if it names no client.
  func client(in answer: HTTPResponse) -> (id: String, secret: Secret?)?
}

/// OAuth 1.0a: the three steps of RFC 5849 §2.
package struct OAuth1Service: Sendable {
  package let requestTokenURL: String
  package let authorizeURL: String
  package let accessTokenURL: String

  package init(requestTokenURL: String, authorizeURL: String, accessTokenURL: String) {
    (self.requestTokenURL, self.authorizeURL, self.accessTokenURL) = (requestTokenURL, authorizeURL, accessTokenURL)
  }
}

/// The token of an application alone.
package struct ApplicationService: Sendable {
  package let tokenURL: String
  package let invalidateURL: String

  package init(tokenURL: String, invalidateURL: String) {
    (self.tokenURL, self.invalidateURL) = (tokenURL, invalidateURL)
  }
}

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
