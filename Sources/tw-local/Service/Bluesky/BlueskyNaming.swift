import TweetAccounts
import TweetCore

/// How accounts and records are named: DIDs, handles, the addresses of records, and hashes. Each says what it is of, so
/// that nothing of it is stored.
enum BlueskyName {
  static let post = "app.bsky.feed.post"
  static let repost = "app.bsky.feed.repost"
  static let like = "app.bsky.feed.like"
  static let follow = "app.bsky.graph.follow"
  static let list = "app.bsky.graph.list"
  static let feed = "app.bsky.feed.generator"

  // MARK: DIDs

  /// Seven letters and the account's id: 24, as those of the directory have.
  private static let prefix = "did:plc:twlocal"
  private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private static let length = 17

  static func did(_ account: Int) -> String {
    prefix
      + String(decoding: (0..<length).reversed().map { digits[$0 < 13 ? account >> (5 * $0) & 31 : 0] }, as: UTF8.self)
  }

  /// The id of an account; `nil` for a DID that is of none.
  static func account(did: String) -> Int? {
    guard did.hasPrefix(prefix), did.utf8.count == prefix.utf8.count + length else { return nil }
    var id: UInt64 = 0
    for byte in did.utf8.suffix(length) {
      guard let digit = digits.firstIndex(of: byte), id >> 58 == 0 else { return nil }
      id = id << 5 | UInt64(digit)
    }
    return Int(exactly: id)
  }

  // MARK: Handles

  /// Names under a domain that nobody can own (RFC 2606).
  private static let domain = ".test"
  /// What an account has whose name cannot be a handle (AT Protocol, "Handle").
  static let noHandle = "handle.invalid"

  /// A label of a name has hyphens, and none at its ends.
  static func handle(_ username: String) -> String {
    let label = username.lowercased().replacing("_", with: "-")
    return label.hasPrefix("-") || label.hasSuffix("-") ? noHandle : label + domain
  }

  /// The name of an account; `nil` for a handle of another domain.
  static func username(handle: String) -> String? {
    let handle = handle.lowercased()
    guard handle.hasSuffix(domain) else { return nil }
    return String(handle.dropLast(domain.count)).replacing("-", with: "_")
  }

  // MARK: Records

  static func uri(_ account: Int, _ collection: String, _ key: String) -> String {
    "at://\(did(account))/\(collection)/\(key)"
  }

  /// The parts of the address of a record.
  static func parts(_ uri: String) -> (authority: String, collection: String, key: String)? {
    guard uri.hasPrefix("at://") else { return nil }
    let parts = uri.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 3 ? (parts[0], parts[1], parts[2]) : nil
  }

  /// A hash in the form of those of records; it is of the address, since no record changes here.
  static func cid(_ uri: String) throws(ToolError) -> String { try cid(Array(uri.utf8), codec: 0x71) }

  /// - Parameter codec: 0x71 for records, 0x55 for files, of which it is the true one.
  static func cid(_ bytes: [UInt8], codec: UInt8 = 0x55) throws(ToolError) -> String {
    var digest = try SHA256Digest()
    try digest.update(bytes)
    var (text, bits, count) = ("b", 0, 0)
    for byte in [1, codec, 0x12, 0x20] + (try digest.finish()) {
      (bits, count) = (bits << 8 | Int(byte), count + 8)
      while count >= 5 {
        count -= 5
        text.append(Character(UnicodeScalar(digits[bits >> count & 31])))
      }
      bits &= 1 << count - 1
    }
    if count > 0 { text.append(Character(UnicodeScalar(digits[bits << (5 - count) & 31]))) }
    return text
  }
}
