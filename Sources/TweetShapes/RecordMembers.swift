import TweetCore

/// How the shapes write the members of a record.
extension ByteBuffer {
  /// Appends a key and the value's exact bytes; nothing for `nil` or a blank value.
  /// - Parameter key: a comma, the key in quotes, and a colon.
  @inline(__always)
  mutating func append(_ key: StaticString, _ value: JSONValue?) {
    guard let value, !value.isBlank else { return }
    append(key)
    append(value)
  }

  /// Appends a value's exact bytes.
  @inline(__always)
  mutating func append(_ value: JSONValue) {
    append(indexed: value.start, count: value.end - value.start)
  }

  /// Appends a comma and a member with its exact bytes.
  @inline(__always)
  mutating func append(member key: JSONValue, _ value: JSONValue) {
    append(UInt8(ascii: ","))
    append(indexed: key.start, count: value.end - key.start)
  }

  /// Appends a key and a value that is a string in records: a number gets quotes. Nothing for `nil` or a blank value.
  @inline(__always)
  mutating func append(_ key: StaticString, asString value: JSONValue?) {
    guard let value, !value.isBlank else { return }
    append(key)
    appendAsString(value)
  }

  /// Appends a value as a string: a number gets quotes.
  @inline(__always)
  mutating func appendAsString(_ value: JSONValue) {
    if value.isString {
      append(value)
    } else if value.isObject || value.isArray {
      // No service sends such a value, but the output must be JSON.
      appendJSONString(value.rawText)
    } else {
      append(UInt8(ascii: "\""))
      append(value.raw)
      append(UInt8(ascii: "\""))
    }
  }

  /// Makes an object of the members appended since `start`, each with a comma before it: the first comma becomes the
  /// opening brace. When there are none, it removes what was appended since `keyStart`, the key.
  @inline(__always)
  mutating func closeObject(from start: Int, keyStart: Int) {
    if count == start {
      truncate(to: keyStart)
    } else {
      self[start] = UInt8(ascii: "{")
      append(UInt8(ascii: "}"))
    }
  }

  /// Makes an object of the members appended since `start`; `{}` when there are none.
  @inline(__always)
  mutating func endObject(from start: Int) {
    if count == start { append(UInt8(ascii: "{")) } else { self[start] = UInt8(ascii: "{") }
    append(UInt8(ascii: "}"))
  }

  /// Makes an array of the elements appended since `start`, each with a comma before it. When there are none, it removes
  /// what was appended since `keyStart`, the key.
  @inline(__always)
  mutating func closeArray(from start: Int, keyStart: Int) {
    if count == start {
      truncate(to: keyStart)
    } else {
      self[start] = UInt8(ascii: "[")
      append(UInt8(ascii: "]"))
    }
  }

  /// Appends a key and a time in the form that records have. A value that is not a time keeps its bytes.
  mutating func append(_ key: StaticString, time value: JSONValue?) {
    guard let value, !value.isBlank else { return }
    append(key)
    let text = value.rawString
    if let time = UsualTime(text) {
      append(UInt8(ascii: "\""))
      time.append(to: &self)
      append(UInt8(ascii: "\""))
    } else if value.isString, let time = Timestamp(ascii: text) {
      append(UInt8(ascii: "\""))
      append(time)
      append(UInt8(ascii: "\""))
    } else {
      appendAsString(value)
    }
  }

  /// Appends a key and a count; nothing when the value is below zero or not a number.
  @inline(__always)
  mutating func append(_ key: StaticString, count value: JSONValue?) {
    guard let value else { return }
    if value.isString {
      guard let number = value.looseInteger, number >= 0 else { return }
      append(key)
      append(decimal: number)
    } else if value.start.pointee &- UInt8(ascii: "0") < 10 {
      append(key)
      append(value)
    }
  }

  /// Appends a key and a string.
  /// - Parameter inside: the bytes between the quotes, escaped.
  mutating func append(_ key: StaticString, inside: UnsafeBufferPointer<UInt8>) {
    append(key)
    append(UInt8(ascii: "\""))
    append(inside)
    append(UInt8(ascii: "\""))
  }

  /// Appends `,"extra":{…}` with the members that are not in `names`; nothing when there are none.
  mutating func appendExtra(of object: JSONValue, except names: [StaticString]) {
    let keyStart = count
    append(",\"extra\":")
    let start = count
    appendMembers(of: object, except: names)
    closeObject(from: start, keyStart: keyStart)
  }

  /// Appends the members of an object with their exact bytes, each with a comma before it. Blank ones and those in `names`
  /// are left out.
  mutating func appendMembers(of object: JSONValue, except names: [StaticString]) {
    for (key, value) in object.members where !value.isBlank {
      if names.contains(where: { key.spells($0) }) { continue }
      append(member: key, value)
    }
  }

  /// Appends `,"viewer":{…}`, what the account that asked did to the post; nothing when neither is known.
  ///
  /// - Parameter account: ``FeedContext/account``.
  mutating func appendViewer(_ account: [UInt8], liked: JSONValue?, retweeted: JSONValue?) {
    let keyStart = count
    append(",\"viewer\":")
    let start = count
    append(account)
    let membersStart = count
    append(",\"liked\":", liked)
    append(",\"retweeted\":", retweeted)
    if count == membersStart { truncate(to: keyStart) } else { closeObject(from: start, keyStart: keyStart) }
  }
}
