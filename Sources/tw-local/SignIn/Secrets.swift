import CCrypto
import TweetCore

/// Random tokens, digests and comparisons. All of them are libcrypto's.
enum Secrets {
  /// 192 bits that nobody can guess, as 32 characters of base64url.
  static func newToken() throws(ToolError) -> String {
    try base64URL(randomBytes(24))
  }

  static func randomBytes(_ count: Int) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw .bug("libcrypto has no random bytes") }
    return bytes
  }

  /// The SHA-256 of a text in base64url: what is stored in place of a token, and PKCE's challenge (RFC 7636 §4.2).
  static func digest(_ text: String) throws(ToolError) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(text, text.utf8.count, &digest, &length, EVP_sha256(), nil) == 1 else {
      throw .bug("libcrypto cannot compute a SHA-256")
    }
    return base64URL(Array(digest.prefix(Int(length))))
  }

  /// HMAC-SHA1 in base64, as OAuth 1.0a signs (RFC 5849 §3.4.2).
  static func hmacSHA1(key: String, message: String) throws(ToolError) -> String {
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    let (key, message) = (Array(key.utf8), Array(message.utf8))
    guard HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &code, &length) != nil else {
      throw .bug("libcrypto cannot compute an HMAC")
    }
    return base64(Array(code.prefix(Int(length))))
  }

  /// Whether two secrets are the same, in a time that depends on their lengths alone.
  static func areEqual(_ one: some Sequence<UInt8>, _ other: some Sequence<UInt8>) -> Bool {
    let (one, other) = (Array(one), Array(other))
    return one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
  }

  // MARK: Base64 (RFC 4648)

  static func base64(_ bytes: [UInt8]) -> String {
    // EVP_EncodeBlock() also writes a NUL.
    var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let length = EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count))
    return String(decoding: encoded.prefix(Int(length)), as: UTF8.self)
  }

  /// Without padding.
  static func base64URL(_ bytes: [UInt8]) -> String {
    base64(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The bytes of base64 or base64url, with or without padding; `nil` for anything else.
  static func bytes(base64 text: String) -> [UInt8]? {
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
