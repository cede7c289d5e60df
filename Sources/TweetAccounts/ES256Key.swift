import CCrypto
package import TweetCore

/// A key that signs by ECDSA with P-256 and SHA-256 (RFC 7518 §3.4): tokens that are bound to it are of no use without
/// it.
package struct ES256Key: Sendable, Equatable {
  /// The private key, as it is kept: DER (RFC 5915) in base64.
  package let stored: Secret
  /// The public key as JSON (RFC 7517).
  package let publicJSON: String

  /// A new key.
  package init() throws(ToolError) {
    // A key has 121 bytes.
    var der = [UInt8](repeating: 0, count: 256)
    let count = tw_es256_generate(&der, der.count)
    guard count > 0, let key = ES256Key(stored: Secret(String(base64: Array(der.prefix(count))))) else {
      throw .bug("libcrypto cannot make a key")
    }
    self = key
  }

  /// - Parameter stored: what ``stored`` gave.
  /// - Returns: `nil` if it is no such key.
  package init?(stored: Secret) {
    var point = [UInt8](repeating: 0, count: 65)
    guard let der = Crypto.bytes(base64: stored.exposed), tw_es256_public(der, der.count, &point) == 1 else {
      return nil
    }
    self.stored = stored
    let (x, y) = (Crypto.base64URL(Array(point[1..<33])), Crypto.base64URL(Array(point[33...])))
    publicJSON = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
  }

  /// A signed text with the public key in it (RFC 7519).
  ///
  /// - Parameters:
  ///   - type: of its header: `dpop+jwt`.
  ///   - claims: a JSON object.
  package func signed(type: String, claims: [UInt8]) throws(ToolError) -> String {
    let header = #"{"typ":"\#(type)","alg":"ES256","jwk":\#(publicJSON)}"#
    let text = "\(Crypto.base64URL(Array(header.utf8))).\(Crypto.base64URL(claims))"
    let bytes = Array(text.utf8)
    var signature = [UInt8](repeating: 0, count: 64)
    guard let der = Crypto.bytes(base64: stored.exposed),
      tw_es256_sign(der, der.count, bytes, bytes.count, &signature) == 1
    else { throw .bug("libcrypto cannot sign") }
    return "\(text).\(Crypto.base64URL(signature))"
  }
}
