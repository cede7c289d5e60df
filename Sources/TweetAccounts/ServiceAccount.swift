import TweetCore

/// An account of a service, and what its requests are authorized with.
package struct ServiceAccount: Sendable, Equatable {
  /// How it was signed in.
  package enum Method: String, Sendable, CaseIterable {
    /// OAuth 2.0 with PKCE. Its tokens change, so they are in a ``TokenFile``.
    case oauth2
    /// OAuth 1.0a: each request is signed.
    case oauth1
    /// A token of the application alone: no user.
    case app
    /// A token that came from elsewhere.
    case token
    /// A name and a password, for which the service gives a session. Its tokens change, so they are in a ``TokenFile``.
    case password

    /// Whether the service replaces its tokens again and again.
    package var isRenewed: Bool { self == .oauth2 || self == .password }
  }

  /// The service and the name, which together tell accounts apart.
  package struct Name: Sendable, Hashable, CustomStringConvertible {
    package var service: String
    package var name: String

    package init(service: String, name: String) {
      self.service = service
      self.name = name
    }

    /// `x:jack`, as people may write it.
    package var description: String { "\(service):\(name)" }
  }

  package var name: Name
  /// The service's URL without a slash at its end.
  package var base: String
  /// The service's id of the user.
  package var userID: String?
  package var method: Method
  /// What OAuth 2.0 allows; empty where the method knows no scopes.
  package var scopes: [String] = []
  /// The application: OAuth 2.0's client id, or the consumer key (API key).
  package var clientID: String?
  package var clientSecret: StoredSecret?
  /// Where its tokens are renewed, if its sign-in has found that out; `nil` if the service says it.
  package var tokenURL: String?
  /// Where they are revoked, of such a sign-in.
  package var revokeURL: String?
  /// Not for a method whose tokens are in a ``TokenFile``.
  package var token: StoredSecret?
  /// Whether the user owns the application, so that the service bills less for reading what is the user's own.
  package var ownsApp = false
  /// Of OAuth 1.0a.
  package var tokenSecret: StoredSecret?
  /// Members that this version does not know: name and JSON. They are kept.
  var unknown: [Member] = []

  struct Member: Sendable, Equatable {
    let name: String
    let json: String
  }

  package init(_ name: Name, base: String, method: Method) {
    self.name = name
    self.base = base
    self.method = method
  }
}

extension ServiceAccount.Name {
  /// - Returns: `nil` when a member that every account has is missing or is no text.
  init?(_ object: JSONDocument) {
    guard let service = object["service"]?.nonEmptyString, let name = object["name"]?.nonEmptyString,
      object["base"]?.nonEmptyString != nil
    else { return nil }
    self.init(service: service, name: name)
  }
}

extension ServiceAccount {
  /// - Returns: `nil` when a member that every account has is missing or is no text.
  init?(_ object: JSONDocument) {
    guard let name = Name(object), let base = object["base"]?.nonEmptyString,
      let method = object["method"]?.string.flatMap(Method.init(rawValue:))
    else { return nil }
    self.init(name, base: base, method: method)
    for (key, value) in object.members {
      let text = value.nonEmptyString
      switch key.string ?? "" {
      case "service", "name", "base", "method": break
      case "id": userID = text
      case "scopes": scopes = value.isArray ? value.elements.compactMap { $0.string } : []
      case "client_id": clientID = text
      case "token_url": tokenURL = text
      case "revoke_url": revokeURL = text
      case "client_secret": clientSecret = text.map { .text(Secret($0)) }
      case "client_secret_command": clientSecret = text.map { .command($0) }
      case "owns_app": ownsApp = value.bool ?? false
      case "token": token = text.map { .text(Secret($0)) }
      case "token_command": token = text.map { .command($0) }
      case "token_secret": tokenSecret = text.map { .text(Secret($0)) }
      case "token_secret_command": tokenSecret = text.map { .command($0) }
      case let other: unknown.append(Member(name: other, json: value.rawText))
      }
    }
  }

  func append(to buffer: inout ByteBuffer) {
    buffer.object {
      $0.member("service", name.service)
      $0.member("name", name.name)
      $0.member("base", base)
      $0.member("method", method.rawValue)
      $0.member("id", userID)
      $0.member("client_id", clientID)
      $0.member("token_url", tokenURL)
      $0.member("revoke_url", revokeURL)
      $0.member("client_secret", "client_secret_command", clientSecret)
      $0.member("token", "token_command", token)
      $0.member("token_secret", "token_secret_command", tokenSecret)
      $0.array("scopes") { for scope in scopes { $0.element(scope) } }
      if ownsApp { $0.member("owns_app", true) }
      for member in unknown {
        $0.append(",")
        $0.appendJSONString(member.name)
        $0.append(":\(member.json)")
      }
    }
  }
}

extension ByteBuffer {
  /// Appends a secret, under one name as a text and under another as the command that prints it.
  fileprivate mutating func member(_ name: StaticString, _ commandName: StaticString, _ secret: StoredSecret?) {
    switch secret {
    case .text(let text): member(name, text.exposed)
    case .command(let command): member(commandName, command)
    case nil: break
    }
  }
}
