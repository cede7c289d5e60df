import CCrypto
package import TweetCore

/// What sign-in needs of libcrypto, which libcurl has loaded already.
package enum Crypto {
  /// The SHA-256 of some bytes: 32 bytes.
  package static func sha256(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
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

  /// Bytes that nobody can guess.
  package static func random(_ count: Int) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { throw .bug("libcrypto has no random numbers") }
    return bytes
  }

  /// Base64 with padding (RFC 4648 §4).
  package static func base64(_ bytes: [UInt8]) -> String {
    // EVP_EncodeBlock also writes a zero byte.
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
  }

  /// Base64 for addresses, without padding (RFC 4648 §5).
  package static func base64URL(_ bytes: [UInt8]) -> String {
    base64(bytes).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
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
