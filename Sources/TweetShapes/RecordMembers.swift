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

  /// Appends a key and a count; nothing when the value is below zero or no whole number of 64 bits.
  @inline(__always)
  mutating func append(_ key: StaticString, count value: JSONValue?) {
    guard let value else { return }
    if isCount(value) {
      append(key)
      append(value)
    } else if let number = wholeNumber(value) {
      append(key)
      append(decimal: number)
    }
  }

  /// Appends the members of an object that are counts, each with a comma before it, and others with their exact bytes. Those in
  /// `names` are left out.
  mutating func appendCounts(of object: JSONValue, except names: [StaticString]) {
    for (key, value) in object.members where !value.isBlank {
      if names.contains(where: { key.spells($0) }) { continue }
      if value.isObject || value.isArray || isCount(value) {
        append(member: key, value)
      } else if let number = wholeNumber(value) {
        append(UInt8(ascii: ","))
        append(key)
        append(":")
        append(decimal: number)
      }
    }
  }

  /// Whether the value is written as a count is in a record: up to 18 digits.
  @inline(__always)
  private func isCount(_ value: JSONValue) -> Bool {
    let length = value.end - value.start
    guard length <= 18 else { return false }
    for offset in 0..<length where value.start[offset] &- UInt8(ascii: "0") > 9 { return false }
    return true
  }

  /// A count that is written in another way: in a string, as some services do, or with a fraction of zero, as pandas does.
  private func wholeNumber(_ value: JSONValue) -> Int? {
    let number = value.looseInteger ?? value.double.flatMap { Int(exactly: $0) }
    return number.flatMap { $0 >= 0 ? $0 : nil }
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

  /// Appends `,"matching_rules":[…]`. Their ids are strings, as all are; some answers have numbers.
  mutating func append(matchingRules rules: JSONValue?) {
    guard let rules, rules.isArray else { return }
    let keyStart = count
    append(",\"matching_rules\":")
    let start = count
    for rule in rules.elements where rule.isObject {
      append(UInt8(ascii: ","))
      let ruleStart = count
      append(",\"id\":", asString: rule["id_str"] ?? rule["id"])
      appendMembers(of: rule, except: ["id", "id_str"])
      endObject(from: ruleStart)
    }
    closeArray(from: start, keyStart: keyStart)
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
