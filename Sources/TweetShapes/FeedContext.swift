import TweetCore
import TwitterText

/// What a `context` record says about the raw lines after it, as bytes to be copied into records.
struct FeedContext: Equatable, Sendable {
  /// The service as a JSON string, with its quotes.
  private(set) var service = Array("\"x\"".utf8)
  /// The part of a post's link before its path, as the inside of a JSON string.
  private(set) var site = Array("https://x.com/".utf8)
  /// `,"feeds":["…"]`, or nothing.
  private(set) var feeds: [UInt8] = []
  /// `,"retrieved_at":"…"`, or nothing.
  private(set) var retrieved: [UInt8] = []

  /// `,"account":"…"`, the account that asked, or nothing.
  private(set) var account: [UInt8] = []

  /// Whether a record of the service that has no entities is known to have none.
  private(set) var hasKnownEntities = true

  /// Without a context lines are those of X.
  init() {}

  /// - Parameter record: a `context` record.
  init(_ record: JSONValue) {
    if let name = record["service"], name.isString {
      service = Array(name.raw)
      hasKnownEntities = FoundEntities.areKnown(of: name.rawString)
    }
    let base = record["base"]?.string ?? ""
    if service != Array("\"x\"".utf8), !base.isEmpty {
      var text = ByteBuffer(capacity: base.utf8.count + 1)
      text.appendJSONString(base.hasSuffix("/") ? base : base + "/")
      site = Array(text.array.dropFirst().dropLast())
    }
    if let feed = record["feed"], feed.isString {
      feeds = Array(",\"feeds\":[".utf8) + feed.raw + Array("]".utf8)
    }
    if let name = record["account"], name.nonEmptyString != nil {
      account = Array(",\"account\":".utf8) + name.raw
    }
    if let at = record["at"], at.isString {
      retrieved = Array(",\"retrieved_at\":".utf8) + at.raw
    }
  }
}

extension ByteBuffer {
  /// Appends `,"service":…,"url":…` of a post.
  /// - Parameters:
  ///   - id: the inside of a JSON string; so is `username`.
  ///   - username: the author's; the link works without it.
  mutating func appendServiceAndLink(
    _ context: FeedContext, id: UnsafeBufferPointer<UInt8>, username: UnsafeBufferPointer<UInt8>?
  ) {
    append(",\"service\":")
    append(context.service)
    append(",\"url\":\"")
    append(context.site)
    if let username, !username.isEmpty { append(username) } else { append("i") }
    append("/status/")
    append(id)
    append(UInt8(ascii: "\""))
  }
}
