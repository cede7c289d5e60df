import TweetCore

/// What the renderer shows of one tweet: views of the record's parts, found in one pass over its members.
///
/// Valid as long as the record is. What the record does not have, or has in another form than it should, is `nil`.
struct TweetView {
  private(set) var id: JSONValue?
  private(set) var service: JSONValue?
  private(set) var url: JSONValue?
  private(set) var createdAt: Timestamp?
  private(set) var text: JSONValue?
  private(set) var author = AuthorView()
  private(set) var metrics: JSONValue?
  private(set) var viewer: JSONValue?
  private(set) var entities: JSONValue?
  private(set) var attachments: JSONValue?
  private(set) var replyToUser: JSONValue?
  private(set) var replyToUserID: JSONValue?
  private(set) var references: JSONValue?

  /// - Parameter tweet: a `tweet` record, or a tweet nested in one.
  init(_ tweet: JSONValue) {
    for (key, value) in tweet.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "url": url = value.string(or: url)
      case "text": text = value.string(or: text)
      case "author": author = AuthorView(value)
      case "viewer": viewer = value
      case "service": service = value.string(or: service)
      case "entities": entities = value
      case "created_at": createdAt = Timestamp(ascii: value.rawString)
      case "attachments": attachments = value
      case "public_metrics": metrics = value
      case "in_reply_to_user": replyToUser = value
      case "referenced_tweets": references = value
      case "in_reply_to_user_id": replyToUserID = value.string(or: replyToUserID)
      default: break
      }
    }
  }

  /// The tweet it refers to in that way, with whatever is known of it.
  func reference(_ type: StaticString) -> JSONValue? {
    references?.elements.first { $0["type"]?.equals(type) == true }
  }
}

/// The author of a tweet.
struct AuthorView {
  private(set) var id: JSONValue?
  private(set) var name: JSONValue?
  private(set) var username: JSONValue?
  private(set) var isVerified = false

  init() {}

  init(_ author: JSONValue) {
    for (key, value) in author.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "name": name = value.string(or: name)
      case "username": username = value.string(or: username)
      case "verified": isVerified = value.bool ?? false
      default: break
      }
    }
  }

  /// What its colour is made of: the id, which a new name does not change.
  var colourKey: UnsafeBufferPointer<UInt8> {
    (id ?? username ?? name)?.rawString ?? UnsafeBufferPointer(start: nil, count: 0)
  }
}

/// A member's name, to be compared with literals in a `switch`. Records are written without escapes in these.
private struct Key {
  private let bytes: UnsafeBufferPointer<UInt8>

  @inline(__always)
  init(_ key: JSONValue) { bytes = key.rawString }

  @inline(__always)
  static func ~= (literal: StaticString, key: Key) -> Bool {
    guard key.bytes.count == literal.utf8CodeUnitCount else { return false }
    for at in key.bytes.indices where key.bytes[at] != literal.utf8Start[at] { return false }
    return true
  }
}

extension JSONValue {
  /// Itself when it is a string with something in it, else `other`.
  @inline(__always)
  fileprivate func string(or other: JSONValue?) -> JSONValue? {
    isString ? self : other
  }
}

/// Decodes strings into memory of its own.
struct TextDecoder: ~Copyable {
  private var memory = ByteBuffer()

  /// The text of a string, at most about `limit` bytes of it; it stays in place until the next call, or as long as the
  /// record when it has no escapes. Empty for anything else.
  mutating func decode(_ value: JSONValue?, limit: Int = 4096) -> UnsafeBufferPointer<UInt8> {
    guard let value else { return UnsafeBufferPointer(start: nil, count: 0) }
    var raw = value.rawString
    if raw.count > limit { raw = UnsafeBufferPointer(rebasing: raw.prefix(limit)) }
    if !raw.contains(UInt8(ascii: "\\")) { return raw }
    memory.removeAll()
    memory.append(unescaping: raw)
    return memory.withBytes { $0 }
  }
}
