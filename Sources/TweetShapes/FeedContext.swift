import TweetCore

/// What a `context` record says of the raw lines behind it, ready to be put into records.
struct FeedContext {
  /// The service as a JSON string, with its quotes.
  private(set) var service = Array("\"x\"".utf8)
  /// What stands before a post's path in its link, for the inside of a JSON string.
  private(set) var site = Array("https://x.com/".utf8)
  /// `,"feeds":["…"]`, or nothing.
  private(set) var feeds: [UInt8] = []
  /// `,"retrieved_at":"…"`, or nothing.
  private(set) var retrieved: [UInt8] = []

  /// Nothing known: raw lines of X.
  init() {}

  init(_ record: JSONValue) {
    if let name = record["service"], name.isString { service = Array(name.raw) }
    let base = record["base"]?.string ?? ""
    if service != Array("\"x\"".utf8), !base.isEmpty {
      var text = ByteBuffer(capacity: base.utf8.count + 1)
      text.appendJSONString(base.hasSuffix("/") ? base : base + "/")
      site = Array(text.array.dropFirst().dropLast())
    }
    if let feed = record["feed"], feed.isString {
      feeds = Array(",\"feeds\":[".utf8) + feed.raw + Array("]".utf8)
    }
    if let at = record["at"], at.isString {
      retrieved = Array(",\"retrieved_at\":".utf8) + at.raw
    }
  }
}

extension ByteBuffer {
  /// Appends `,"service":…,"url":…` for the post `id` of `username`, both as the insides of JSON strings.
  mutating func appendPlace(
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

  /// Appends `"key":` with the value's exact bytes; nothing when there is no value or it says nothing.
  /// - Parameter key: a comma, the key in quotes and a colon.
  @inline(__always)
  mutating func append(_ key: StaticString, _ value: JSONValue?) {
    guard let value, !value.saysNothing else { return }
    append(key)
    append(value)
  }

  /// Appends a value's exact bytes.
  @inline(__always)
  mutating func append(_ value: JSONValue) {
    append(indexed: value.start, count: value.end - value.start)
  }

  /// Appends a comma and a member as it stands.
  @inline(__always)
  mutating func append(member key: JSONValue, _ value: JSONValue) {
    append(UInt8(ascii: ","))
    append(indexed: key.start, count: value.end - key.start)
  }

  /// The same for a value that must be a string in records: a number gets quotes.
  @inline(__always)
  mutating func append(_ key: StaticString, asString value: JSONValue?) {
    guard let value, !value.saysNothing else { return }
    append(key)
    appendAsString(value)
  }

  @inline(__always)
  mutating func appendAsString(_ value: JSONValue) {
    if value.isString {
      append(value)
    } else if value.isObject || value.isArray {
      // No service sends such an id; what is printed must be JSON all the same.
      appendJSONString(value.rawText)
    } else {
      append(UInt8(ascii: "\""))
      append(value.raw)
      append(UInt8(ascii: "\""))
    }
  }

  /// Makes an object of the members appended since `start`, each with a comma before it: the first comma becomes the
  /// opening brace. Where there are none, what was appended since `keyStart` is taken back.
  @inline(__always)
  mutating func closeObject(from start: Int, keyStart: Int) {
    if count == start {
      truncate(to: keyStart)
    } else {
      self[start] = UInt8(ascii: "{")
      append(UInt8(ascii: "}"))
    }
  }

  /// The same, but an object without members stays one: `{}`.
  @inline(__always)
  mutating func endObject(from start: Int) {
    if count == start { append(UInt8(ascii: "{")) } else { self[start] = UInt8(ascii: "{") }
    append(UInt8(ascii: "}"))
  }

  /// The same for the elements of an array.
  @inline(__always)
  mutating func closeArray(from start: Int, keyStart: Int) {
    if count == start {
      truncate(to: keyStart)
    } else {
      self[start] = UInt8(ascii: "[")
      append(UInt8(ascii: "]"))
    }
  }
}
