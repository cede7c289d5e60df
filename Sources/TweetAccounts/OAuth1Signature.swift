package import TweetCore

/// The signature of a request by OAuth 1.0a with HMAC-SHA1 (RFC 5849 §3.4).
package struct OAuth1Signature: Sendable {
  /// The application's key, which X calls the API key.
  package let consumerKey: String
  package let consumerSecret: Secret
  /// The account's token; `nil` where a token is asked for.
  package let token: String?
  package let tokenSecret: Secret?

  package init(consumerKey: String, consumerSecret: Secret, token: String? = nil, tokenSecret: Secret? = nil) {
    self.consumerKey = consumerKey
    self.consumerSecret = consumerSecret
    self.token = token
    self.tokenSecret = tokenSecret
  }

  /// What is signed of a request.
  package struct Message: Sendable {
    /// In capitals.
    package let method: String
    /// `https://api.x.com/1.1/a.json`: lower-case scheme and host, no default port, no query.
    package let url: String
    /// The decoded parameters of the query and of a form body. Bodies of other types are not signed.
    package let parameters: [(name: String, value: String)]

    package init(method: String, url: String, parameters: [(name: String, value: String)]) {
      self.method = method
      self.url = url
      self.parameters = parameters
    }
  }

  /// The value of the field `Authorization`.
  ///
  /// - Parameters:
  ///   - extra: further parameters of the protocol, such as `oauth_callback`.
  ///   - nonce: unique for this time.
  ///   - seconds: since 1970.
  package func field(
    for message: Message, adding extra: [(String, String)] = [], nonce: String, seconds: Int64
  ) throws(ToolError) -> Secret {
    var own =
      [
        ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", String(seconds)), ("oauth_version", "1.0"),
      ] + extra
    if let token { own.append(("oauth_token", token)) }
    let parameters = message.parameters + own.map { (name: $0.0, value: $0.1) }
    own.append(("oauth_signature", try signature(of: message.method, message.url, parameters)))
    let words = own.sorted { $0.0 < $1.0 }
      .map { "\(PercentEncoding.encode($0))=\"\(PercentEncoding.encode($1))\"" }
    return Secret("OAuth " + words.joined(separator: ", "))
  }

  /// The same with a new nonce and the present time.
  package func field(for message: Message, adding extra: [(String, String)] = []) throws(ToolError) -> Secret {
    try field(
      for: message, adding: extra, nonce: Crypto.newToken(), seconds: Timestamp.now.milliseconds / 1000)
  }

  /// - Parameter parameters: all that are signed, those of the protocol too.
  package func signature(
    of method: String, _ url: String, _ parameters: [(name: String, value: String)]
  ) throws(ToolError) -> String {
    let base = [method, url, Self.normalized(parameters)].map(PercentEncoding.encode).joined(separator: "&")
    let key = [consumerSecret, tokenSecret ?? Secret("")].map { PercentEncoding.encode($0.exposed) }
    return String(base64: try Crypto.hmacSHA1(Array(base.utf8), key: Array(key.joined(separator: "&").utf8)))
  }

  /// The parameters encoded and sorted by name, then by value, as bytes (RFC 5849 §3.4.1.3.2).
  static func normalized(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
      .sorted { $0 < $1 }
      .map { "\($0)=\($1)" }.joined(separator: "&")
  }
}
