import CCrypto
import TweetCore

/// The key of a picture in the store: the SHA-256 of its bytes in hexadecimal. So the same picture is stored once,
/// whoever uses it and wherever it came from.
enum ContentKey {
  static func of(_ bytes: [UInt8]) throws(ToolError) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else {
      throw .bug("libcrypto cannot compute a SHA-256")
    }
    return String(hexadecimal: digest.prefix(Int(length)))
  }
}
