package import TweetCore

/// What proves which application asks: its key and its secret (RFC 7617).
package enum BasicField {
  /// The value of the field `Authorization`. Both parts are percent-encoded first, as OAuth 2 asks (RFC 6749 §2.3.1).
  package static func value(key: String, secret: Secret) -> Secret {
    let pair = "\(PercentEncoding.encode(key)):\(PercentEncoding.encode(secret.exposed))"
    return Secret("Basic " + Crypto.base64(Array(pair.utf8)))
  }
}
