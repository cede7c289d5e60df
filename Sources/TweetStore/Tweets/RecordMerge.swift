import TweetCore

/// Merges two versions of one record: a key of the newer one replaces the same key of the older one; a key that only
/// the older one has stays.
///
/// So a version without numbers, for example one from inside another tweet, does not remove the stored numbers.
struct RecordMerge {
  private struct Member {
    let key: JSONValue
    let value: JSONValue
  }

  /// Keys for which absence is a statement too: the newer version decides alone.
  private static func isDecidedByNewer(_ key: JSONValue) -> Bool {
    key.equals("withheld") || key.equals("viewer") || key.equals("matching_rules")
  }

  /// Appends the merged record. Its keys keep the order they have in both.
  static func append(newer: JSONValue, older: JSONValue, to buffer: inout ByteBuffer) {
    append(newer, older, depth: 0, to: &buffer)
  }

  private static func append(_ newer: JSONValue, _ older: JSONValue, depth: Int, to buffer: inout ByteBuffer) {
    let members = newer.members.map { Member(key: $0.key, value: $0.value) }
    // A dictionary, since a record may have any number of keys: a search for each would take quadratic time.
    var indexes: [RawBytes: Int] = [:]
    for (index, member) in members.enumerated() where indexes[RawBytes(member.key.rawString)] == nil {
      indexes[RawBytes(member.key.rawString)] = index
    }
    // Members that only the older version has, by the index of the newer's member they come before.
    var added = [[Member]](repeating: [], count: members.count + 1)
    var oldValues = [JSONValue?](repeating: nil, count: members.count)
    var next = 0
    // The offsets of entities are valid only for the same text.
    let hasSameText = newer["text"].map { text in older["text"].map { $0.raw.elementsEqual(text.raw) } ?? true } ?? true
    for (key, value) in older.members {
      if let same = indexes[RawBytes(key.rawString)] {
        oldValues[same] = value
        next = same + 1
      } else if depth > 0 || !isDecidedByNewer(key) && (hasSameText || !key.equals("entities")) {
        added[next].append(Member(key: key, value: value))
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

  /// Appends the value of a member of the newer version. `public_metrics` and `author` are merged with the old value,
  /// `feeds` becomes the union of both lists, and any other old value is dropped.
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
    var written: Set<RawBytes> = []
    for list in [old, new] {
      for element in list.elements where written.insert(RawBytes(element.raw)).inserted {
        if written.count > 1 { buffer.append(UInt8(ascii: ",")) }
        buffer.append(element.raw)
      }
    }
    buffer.append(UInt8(ascii: "]"))
  }
}

/// Bytes of a record, compared byte by byte. They are not copied: valid as long as the record.
private struct RawBytes: Hashable {
  private let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  static func == (one: RawBytes, other: RawBytes) -> Bool { isSame(one.bytes, other.bytes) }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
}
