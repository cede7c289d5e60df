import CCrypto
package import TweetCore

/// What signing in, on both of its sides, needs of libcrypto.
package enum Crypto {
  /// The SHA-256 of some bytes: 32 bytes.
  static func sha256(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else {
      throw .bug("libcrypto cannot compute a SHA-256")
    }
    return Array(digest.prefix(Int(length)))
  }

  /// The HMAC-SHA1 (RFC 2104) of some bytes: 20 bytes.
  static func hmacSHA1(_ bytes: [UInt8], key: [UInt8]) throws(ToolError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard HMAC(EVP_sha1(), key, Int32(key.count), bytes, bytes.count, &digest, &length) != nil else {
      throw .bug("libcrypto cannot compute an HMAC-SHA1")
    }
    return Array(digest.prefix(Int(length)))
  }

  /// The SHA-256 of a text in base64url, 43 characters: PKCE's challenge (RFC 7636 §4.2), and what is stored of a
  /// token.
  package static func digest(_ text: String) throws(ToolError) -> String {
    base64URL(try sha256(Array(text.utf8)))
  }

  /// Nearly 192 bits that nobody can guess, as 32 characters of base64url. It does not begin with `-`: a command line
  /// (`--client-id -4f…`) would read that as an option.
  package static func newToken() throws(ToolError) -> String {
    while true {
      let token = base64URL(try random(24))
      if !token.hasPrefix("-") { return token }
    }
  }

  /// Whether two secrets are the same, in a time that depends on their lengths alone.
  package static func areEqual(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    let (one, other) = (Array(one), Array(other))
    return one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
  }

  /// Bytes that nobody can guess.
  package static func random(_ count: Int) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw .bug("libcrypto has no random numbers") }
    return bytes
  }

  /// Base64 for addresses, without padding (RFC 4648 §5).
  package static func base64URL(_ bytes: [UInt8]) -> String {
    String(base64: bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes of base64 or base64url, with or without padding; `nil` for anything else.
  package static func bytes(base64 text: String) -> [UInt8]? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
    let padding = (4 - plain.utf8.count % 4) % 4
    guard padding < 3 else { return nil }
    let padded = Array(plain.utf8) + [UInt8](repeating: UInt8(ascii: "="), count: padding)
    guard !padded.isEmpty else { return [] }
    var decoded = [UInt8](repeating: 0, count: padded.count / 4 * 3)
    guard EVP_DecodeBlock(&decoded, padded, Int32(padded.count)) == decoded.count else { return nil }
    return Array(decoded.dropLast(padding))
  }
}

/// The SHA-256 of bytes that come in pieces.
package struct SHA256Digest: ~Copyable {
  private let context: OpaquePointer

  package init() throws(ToolError) { context = try Self.begin() }

  private static func begin() throws(ToolError) -> OpaquePointer {
    guard let context = EVP_MD_CTX_new() else { throw .bug("libcrypto has no memory for a SHA-256") }
    guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw .bug("libcrypto cannot compute a SHA-256")
    }
    return context
  }

  deinit { EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: [UInt8]) throws(ToolError) {
    guard EVP_DigestUpdate(context, bytes, bytes.count) == 1 else { throw .bug("libcrypto cannot compute a SHA-256") }
  }

  /// The digest, 32 bytes. It ends the computation.
  package consuming func finish() throws(ToolError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_DigestFinal_ex(context, &digest, &length) == 1 else { throw .bug("libcrypto cannot compute a SHA-256") }
    return Array(digest.prefix(Int(length)))
  }
}

/// What proves that the program that spends an authorization code is the one that asked for it (RFC 7636, method S256).
package struct PKCE: Sendable {
  /// Sent with the code: 43 characters.
  package let verifier: Secret
  /// Sent when the code is asked for.
  package let challenge: String

  /// With a new random verifier.
  package init() throws(ToolError) {
    try self.init(verifier: Crypto.base64URL(Crypto.random(32)))
  }

  /// - Parameter verifier: 43 to 128 characters of `A-Za-z0-9-._~`.
  package init(verifier: String) throws(ToolError) {
    self.verifier = Secret(verifier)
    challenge = try Crypto.digest(verifier)
  }
}

/// What proves which application asks: its key and its secret (RFC 7617).
package enum BasicField {
  /// The value of the field `Authorization`. Both parts are percent-encoded first, as OAuth 2 asks (RFC 6749 §2.3.1).
  package static func value(key: String, secret: Secret) -> Secret {
    let pair = "\(PercentEncoding.encode(key)):\(PercentEncoding.encode(secret.exposed))"
    return Secret("Basic " + String(base64: Array(pair.utf8)))
  }
}
