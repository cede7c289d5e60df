import TweetCore

/// Puts two versions of one record together: what the newer one says holds, what only the older one knows is kept.
///
/// A version that came without numbers, or as the inner part of another tweet, so never makes the store forget them.
struct RecordMerge {
  private struct Member {
    let key: JSONValue
    let value: JSONValue
  }

  /// Keys whose absence says something: the newer version decides alone.
  private static func isDecidedByNewer(_ key: JSONValue) -> Bool {
    key.equals("withheld") || key.equals("viewer") || key.equals("matching_rules")
  }

  /// Appends the merged record, its keys in the order that both have.
  static func append(newer: JSONValue, older: JSONValue, to buffer: inout ByteBuffer) {
    append(newer, older, depth: 0, to: &buffer)
  }

  private static func append(_ newer: JSONValue, _ older: JSONValue, depth: Int, to buffer: inout ByteBuffer) {
    let members = newer.members.map { Member(key: $0.key, value: $0.value) }
    // A record may have any number of keys, so that each is looked up, not looked for.
    var places: [Spelling: Int] = [:]
    for (place, member) in members.enumerated() where places[Spelling(member.key.rawString)] == nil {
      places[Spelling(member.key.rawString)] = place
    }
    // What only the older one has, by the place among the newer's members that it goes to.
    var added = [[Member]](repeating: [], count: members.count + 1)
    var oldValues = [JSONValue?](repeating: nil, count: members.count)
    var place = 0
    // Entities are places in just this text.
    let hasSameText = newer["text"].map { text in older["text"].map { $0.raw.elementsEqual(text.raw) } ?? true } ?? true
    for (key, value) in older.members {
      if let same = places[Spelling(key.rawString)] {
        oldValues[same] = value
        place = same + 1
      } else if depth > 0 || !isDecidedByNewer(key) && (hasSameText || !key.equals("entities")) {
        added[place].append(Member(key: key, value: value))
      }
    }
    var isFirst = true
    func write(_ key: JSONValue, to buffer: inout ByteBuffer) {
      if !isFirst { buffer.append(UInt8(ascii: ",")) }
      isFirst = false
      buffer.append(key.raw)
      buffer.append(UInt8(ascii: ":"))
    }
    buffer.append(UInt8(ascii: "{"))
    for number in 0...members.count {
      for member in added[number] {
        write(member.key, to: &buffer)
        buffer.append(member.value.raw)
      }
      guard number < members.count else { break }
      let member = members[number]
      write(member.key, to: &buffer)
      append(member, oldValues[number], depth: depth, to: &buffer)
    }
    buffer.append(UInt8(ascii: "}"))
  }

  /// A member that both have: numbers and profiles are merged in their turn, lists of feeds joined, else the newer holds.
  private static func append(_ member: Member, _ old: JSONValue?, depth: Int, to buffer: inout ByteBuffer) {
    let key = member.key
    if let old, old.isObject, member.value.isObject, depth < 2,
      key.equals("public_metrics") || depth == 0 && key.equals("author")
    {
      append(member.value, old, depth: depth + 1, to: &buffer)
    } else if let old, depth == 0, key.equals("feeds"), old.isArray, member.value.isArray {
      appendUnion(old, member.value, to: &buffer)
    } else {
      buffer.append(member.value.raw)
    }
  }

  private static func appendUnion(_ old: JSONValue, _ new: JSONValue, to buffer: inout ByteBuffer) {
    buffer.append(UInt8(ascii: "["))
    var written: Set<Spelling> = []
    for list in [old, new] {
      for element in list.elements where written.insert(Spelling(element.raw)).inserted {
        if written.count > 1 { buffer.append(UInt8(ascii: ",")) }
        buffer.append(element.raw)
      }
    }
    buffer.append(UInt8(ascii: "]"))
  }
}

/// Bytes of a record, compared as they stand. A view: valid as long as the record is.
private struct Spelling: Hashable {
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  static func == (one: Spelling, other: Spelling) -> Bool { isSame(one.bytes, other.bytes) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
}
