import TweetCore
import TweetSources

/// How one signs in to a service: its addresses and what it knows.
package struct SignInService: Sendable {
  package let api: any ServiceAPI
  /// As records and settings name it.
  package var name: String { api.service.name }
  package let base: String
  /// OAuth 2.0: the page that asks the person (RFC 6749 §3.1).
  package let authorizeURL: String
  package let tokenURL: String
  package let revokeURL: String
  /// What is asked for, if the person does not say: enough to read and write.
  package let scopes: [String]
  /// OAuth 1.0a: the three steps of RFC 5849 §2.
  package let requestTokenURL: String
  package let oauth1AuthorizeURL: String
  package let accessTokenURL: String
  /// The token of an application alone.
  package let appTokenURL: String
  package let appInvalidateURL: String
  /// Where a person registers an application; `nil` if none is needed.
  package let portal: String?
  /// The client id that the service knows the kit by; `nil` where each person registers an application.
  package let ownClientID: String?
  /// Whether a program may send a name and a password to the page that asks the person.
  package let takesPasswords: Bool

  package init(
    api: any ServiceAPI, base: String, authorizeURL: String = "", tokenURL: String = "", revokeURL: String = "",
    scopes: [String] = [], requestTokenURL: String = "", oauth1AuthorizeURL: String = "", accessTokenURL: String = "",
    appTokenURL: String = "", appInvalidateURL: String = "", portal: String? = nil, ownClientID: String? = nil,
    takesPasswords: Bool = false
  ) {
    (self.api, self.base, self.scopes, self.portal) = (api, base, scopes, portal)
    (self.authorizeURL, self.tokenURL, self.revokeURL) = (authorizeURL, tokenURL, revokeURL)
    (self.requestTokenURL, self.oauth1AuthorizeURL) = (requestTokenURL, oauth1AuthorizeURL)
    (self.accessTokenURL, self.appTokenURL, self.appInvalidateURL) = (accessTokenURL, appTokenURL, appInvalidateURL)
    (self.ownClientID, self.takesPasswords) = (ownClientID, takesPasswords)
  }
}
