import TweetCore

/// How one signs in to a service: its addresses and what it knows. A further service is a further value here.
package struct SignInService: Sendable {
  /// As records and settings name it.
  package let name: String
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

  /// - Returns: `nil` for a service that this version does not know.
  package init?(named name: String, base: String) {
    guard Settings.services.contains(name) else { return nil }
    self.name = name
    self.base = base
    // X's pages for people are on another host than its API.
    let isX = base == "https://api.x.com" || base == "https://api.twitter.com"
    authorizeURL = (isX ? "https://x.com" : base) + "/i/oauth2/authorize"
    tokenURL = base + "/2/oauth2/token"
    revokeURL = base + "/2/oauth2/revoke"
    scopes = [
      "tweet.read", "tweet.write", "users.read", "follows.read", "follows.write", "like.read", "like.write",
      "bookmark.read", "bookmark.write", "list.read", "media.write", "offline.access",
    ]
    requestTokenURL = base + "/oauth/request_token"
    oauth1AuthorizeURL = base + "/oauth/authorize"
    accessTokenURL = base + "/oauth/access_token"
    appTokenURL = base + "/oauth2/token"
    appInvalidateURL = base + "/oauth2/invalidate_token"
    let isLocal = name == "local"
    portal = isLocal ? nil : "https://developer.x.com"
    ownClientID = isLocal ? "tw" : nil
    takesPasswords = isLocal
  }
}
