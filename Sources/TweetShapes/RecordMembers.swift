import TweetCore

/// How the shapes write the members of a record.
extension ByteBuffer {
  /// Appends a member with the value's bytes; nothing for `nil` or a blank value. Texts in it are plain UTF-8.
  @inline(__always)
  mutating func member(_ name: StaticString, _ value: JSONValue?) {
    guard let value, !value.isBlank else { return }
    key(name)
    append(known: value)
  }

  /// Appends a value that tweet(5) names. What is not known keeps its exact bytes.
  @inline(__always)
  mutating func append(known value: JSONValue) {
    if removesEscapes { append(plain: value.raw) } else { append(value) }
  }

  /// Appends the inside of a JSON string that tweet(5) names.
  @inline(__always)
  mutating func append(knownInside bytes: ByteView) {
    if removesEscapes { append(plain: bytes) } else { append(bytes) }
  }

  /// Appends a member that is a string in records: a number gets quotes. Nothing for `nil` or a blank value.
  @inline(__always)
  mutating func member(_ name: StaticString, asString value: JSONValue?) {
    guard let value, !value.isBlank else { return }
    key(name)
    appendAsString(value)
  }

  /// Appends a value as a string: a number gets quotes.
  @inline(__always)
  mutating func appendAsString(_ value: JSONValue) {
    if value.isString {
      append(known: value)
    } else if value.isObject || value.isArray {
      // No service sends such a value, but the output must be JSON.
      appendJSONString(value.rawText)
    } else {
      append(UInt8(ascii: "\""))
      append(value.raw)
      append(UInt8(ascii: "\""))
    }
  }

  /// Appends a member that is an id.
  @inline(__always)
  mutating func member(_ name: StaticString, id value: JSONValue) {
    if value.isString, value.rawString.last != UInt8(ascii: "0") {
      key(name)
      append(known: value)
    } else {
      member(name, inside: value.idBytes)
    }
  }

  /// Appends a member that is a time, in the form that records have.
  /// - Returns: `false` when the value is none; then nothing is appended.
  @discardableResult
  mutating func member(_ name: StaticString, time value: JSONValue?) -> Bool {
    guard let value, !value.isBlank else { return true }
    if let time = UsualTime(value.rawString) {
      key(name)
      append(UInt8(ascii: "\""))
      time.append(to: &self)
      append(UInt8(ascii: "\""))
      return true
    }
    let time = Timestamp(of: value)
    member(name, time)
    return time != nil
  }

  /// Appends a member that is a text.
  /// - Returns: `false` when the value is none; then nothing is appended.
  @inline(__always)
  mutating func member(_ name: StaticString, text value: JSONValue?) -> Bool {
    guard let value else { return true }
    guard value.isString else { return false }
    member(name, value)
    return true
  }

  /// Appends a member that is true or false.
  /// - Returns: `false` when the value is neither; then nothing is appended.
  @inline(__always)
  mutating func member(_ name: StaticString, flag value: JSONValue?) -> Bool {
    guard let value else { return true }
    guard value.kind == .bool else { return false }
    member(name, value)
    return true
  }

  /// Appends what a user of v1.1 and of v2 says of itself, each API by names of its own.
  /// - Returns: whether all of it could be read; what could not is left out.
  @inline(__always)
  mutating func appendProfile(
    username: JSONValue?, name: JSONValue?, image: JSONValue?, verified: JSONValue?, protected: JSONValue?,
    description: JSONValue?, location: JSONValue?, url: JSONValue?, createdAt: JSONValue?
  ) -> Bool {
    var isRead = member("username", text: username)
    isRead = member("name", text: name) && isRead
    isRead = member("profile_image_url", text: image) && isRead
    isRead = member("verified", flag: verified) && isRead
    isRead = member("protected", flag: protected) && isRead
    isRead = member("description", text: description) && isRead
    isRead = member("location", text: location) && isRead
    isRead = member("url", text: url) && isRead
    return member("created_at", time: createdAt) && isRead
  }

  /// Appends `,"coordinates":{…}` of a point whose latitude comes first, as GeoJSON, where the longitude does.
  mutating func append(point: JSONValue?) {
    guard let pair = point?["coordinates"], pair.isArray else { return }
    var ends = pair.elements
    guard let latitude = ends.next(), let longitude = ends.next(), latitude.kind == .number, longitude.kind == .number
    else { return }
    object("coordinates") { out in
      out.member("type", "Point")
      out.array("coordinates") { out in
        out.element(longitude)
        out.element(latitude)
      }
    }
  }

  /// Appends a member that is a count; nothing when the value is below zero or no whole number of 64 bits.
  @inline(__always)
  mutating func member(_ name: StaticString, count value: JSONValue?) {
    guard let value else { return }
    if isCount(value) {
      key(name)
      append(value)
    } else if let number = wholeNumber(value) {
      key(name)
      append(decimal: number)
    }
  }

  /// Appends the members of an object that are counts, each with a comma before it, and others with their exact bytes.
  /// Those in `names` are left out.
  mutating func appendCounts(of object: JSONValue, except names: [StaticString]) {
    for (key, value) in object.members where !value.isBlank {
      if names.contains(where: { key.spells($0) }) { continue }
      if value.isObject || value.isArray || isCount(value) {
        append(member: key, value)
      } else if let number = wholeNumber(value) {
        self.key(key)
        append(decimal: number)
      }
    }
  }

  /// Whether the value is written as a count is in a record: up to 18 digits.
  @inline(__always)
  private func isCount(_ value: JSONValue) -> Bool {
    let length = value.end - value.start
    guard length <= 18 else { return false }
    for offset in 0..<length where !value.start[offset].isASCIIDigit { return false }
    return true
  }

  /// A count that is written in another way: in a string, as some services do, or with a fraction of zero, as pandas
  /// does.
  private func wholeNumber(_ value: JSONValue) -> Int? {
    let number = value.looseInteger ?? value.double.flatMap { Int(exactly: $0) }
    return number.flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Appends a member that is a string.
  /// - Parameter inside: the bytes between the quotes, escaped.
  mutating func member(_ name: StaticString, inside: ByteView) {
    string(name) { $0.append(knownInside: inside) }
  }

  /// Appends a member that is a string.
  /// - Parameter inside: the bytes between the quotes, escaped.
  mutating func member(_ name: StaticString, inside: [UInt8]) {
    string(name) { $0.append(inside) }
  }

  /// Appends a member that is a string.
  /// - Parameter text: the bytes between the quotes, not escaped.
  mutating func member(_ name: StaticString, text: ByteView) {
    string(name) { $0.appendJSONEscaped(text) }
  }

  /// Appends an element that is a string.
  /// - Parameter inside: the bytes between the quotes, escaped.
  mutating func element(inside: ByteView) {
    append(",\"")
    append(inside)
    append("\"")
  }

  /// Appends `,"extra":{…}` with the members that are not in `names`; nothing when there are none.
  mutating func appendExtra(of object: JSONValue, except names: [StaticString]) {
    self.object("extra") { $0.appendMembers(of: object, except: names) }
  }

  /// Appends the members of an object with their exact bytes, each with a comma before it. Blank ones and those in
  /// `names` are left out.
  mutating func appendMembers(of object: JSONValue, except names: [StaticString]) {
    for (key, value) in object.members where !value.isBlank {
      if names.contains(where: { key.spells($0) }) { continue }
      append(member: key, value)
    }
  }

  /// Appends the members of an object that tweet(5) names as a whole, each with a comma before it. Blank ones and the
  /// one of this name are left out.
  mutating func appendKnownMembers(of object: JSONValue, except name: StaticString) {
    for (key, value) in object.members where !value.isBlank && !key.spells(name) {
      self.key(key)
      append(known: value)
    }
  }

  /// Appends the members of a service's message to a notice, except those in `names` and those by which programs know a
  /// notice of the kit.
  mutating func appendNoticeMembers(of message: JSONValue, except names: [StaticString]) {
    let own: [StaticString] = ["tw", "level", "service", "feed", "source", "terminal"]
    for (key, value) in message.members where !value.isBlank {
      if (names + own).contains(where: { key.equals($0) }) { continue }
      append(member: key, value)
    }
  }

  /// Appends `,"matching_rules":[…]`. Their ids are strings, as all are; some answers have numbers.
  mutating func append(matchingRules rules: JSONValue?) {
    guard let rules, rules.isArray else { return }
    array("matching_rules") { out in
      for rule in rules.elements where rule.isObject {
        out.element { out in
          out.member("id", asString: rule["id_str"] ?? rule["id"])
          out.appendMembers(of: rule, except: ["id", "id_str"])
        }
      }
    }
  }

  /// Appends `,"viewer":{…}`, what the account that asked did to the post; nothing when neither is known.
  ///
  /// - Parameter account: ``FeedContext/account``.
  mutating func appendViewer(
    _ account: [UInt8], liked: JSONValue?, retweeted: JSONValue?, bookmarked: JSONValue? = nil
  ) {
    guard liked?.isBlank == false || retweeted?.isBlank == false || bookmarked?.isBlank == false else { return }
    object("viewer") { out in
      out.append(account)
      out.member("liked", liked)
      out.member("retweeted", retweeted)
      out.member("bookmarked", bookmarked)
    }
  }
}

extension TweetMapper {
  /// Appends the members whose values could not be read, as they are: for `extra`.
  func append<Key>(
    unreadOf object: JSONValue, _ fields: Fields<Key>, times: [Key] = [], texts: [Key] = [], flags: [Key] = [],
    to out: inout ByteBuffer
  ) {
    func append(_ keys: [Key], unless isRead: (JSONValue) -> Bool) {
      for key in keys {
        if let value = arena.value(fields, key, in: object), !isRead(value) { out.member(key.name, value) }
      }
    }
    append(times) { Timestamp(of: $0) != nil }
    append(texts) { $0.isString }
    append(flags) { $0.kind == .bool }
  }
}

extension Timestamp {
  /// A time as services, databases and other programs write it: a text, or the seconds or milliseconds since 1970.
  init?(of value: JSONValue) {
    let text = value.isString ? value.rawString : value.raw
    // No post and no account is from before 1973; what is less is something else.
    guard let number = Int(ascii: text) ?? value.double.flatMap({ Int(exactly: $0) }) else {
      guard value.isString, let time = Timestamp(ascii: text) else { return nil }
      self = time
      return
    }
    switch number {
    case 100_000_000..<100_000_000_000: self.init(milliseconds: Int64(number) * 1000)
    case 100_000_000_000..<100_000_000_000_000: self.init(milliseconds: Int64(number))
    default: return nil
    }
  }
}

/// The code of a service's message, if it may be that of a notice: programs act on the codes of the kit's own notices,
/// which no service gives.
func serviceCode(_ code: String) -> String? { kitCodes.contains(code) ? nil : code }

private let kitCodes: Set = [
  "bad-source", "bad-message", "fault", "gap", "reconnect", "rate-limit", "connection-limit", "refresh", "fallback",
  "budget", "connect", "disconnect", "withheld", "scrub_geo", "not-read",
]

/// ActivityPub's objects are JSON-LD (https://www.w3.org/TR/activitystreams-core/#jsonld): one value may stand for a
/// list of one, and an object for its address.
extension JSONValue {
  /// The values of a list; the value itself where it stands for such a list.
  var each: [JSONValue] { isArray ? Array(elements) : isBlank ? [] : [self] }

  /// The address that a value is, or that the object or the first of the list there has.
  var address: String? {
    guard let first = each.first else { return nil }
    return first.isObject ? (first["id"] ?? first["href"])?.nonEmptyString : first.nonEmptyString
  }

  /// Of the addresses of an object, the one for people: the page, where there are others of other types.
  var page: JSONValue? {
    let page = each.first { $0["mediaType"]?.equals("text/html") ?? $0.isString } ?? each.first
    return page.flatMap { $0.isObject ? $0["href"] : $0 }
  }

  /// Whether it is an object of that type, among others perhaps.
  func isA(_ type: StaticString) -> Bool { self["type"]?.each.contains { $0.equals(type) } ?? false }
}
