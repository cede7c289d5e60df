/// Changes to members of one record that leave every other byte as it is. Filters add with them what they found.
package struct RecordEdits {
  private struct Edit {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    let bytes: [UInt8]
    /// Edits at the same offset are applied in the order in which they were made.
    let order: Int
  }
  private var edits: [Edit] = []
  /// The closing brackets of empty objects that were given a member.
  private var filled: Set<UnsafePointer<UInt8>> = []

  package init() {}

  /// Sets a member of `object`: replaces the value of the first member of that name, or appends one.
  /// - Parameter json: one valid JSON value.
  package mutating func set(_ key: StaticString, in object: JSONValue, to json: [UInt8]) {
    if let value = object[key] {
      add(value.start, value.end, json)
      return
    }
    var member: [UInt8] = [UInt8(ascii: "\"")]
    key.withUTF8Buffer { member.append(contentsOf: $0) }
    member.append(contentsOf: "\":".utf8)
    member.append(contentsOf: json)
    append(members: member, to: object)
  }

  /// Appends members to `object`, which has none of these names, or loses them by ``remove(from:where:)``.
  /// - Parameter members: one or more, as they stand in an object, without a comma before the first.
  package mutating func append(members: [UInt8], to object: JSONValue) {
    let closing = object.end - 1
    let isFirst = object.isEmpty && filled.insert(closing).inserted
    add(closing, closing, isFirst ? members : [UInt8(ascii: ",")] + members)
  }

  /// The same for a value given as text.
  package mutating func set(_ key: StaticString, in object: JSONValue, to json: String) {
    set(key, in: object, to: Array(json.utf8))
  }

  /// Removes all members of `object` whose names fit `condition`, each with its comma. An object that also gets members
  /// by ``set`` must keep at least one of its own.
  package mutating func remove(from object: JSONValue, where condition: (_ name: JSONValue) -> Bool) {
    var keptEnd: UnsafePointer<UInt8>?
    var first: UnsafePointer<UInt8>?
    for (name, value) in object.members {
      if condition(name) {
        if let end = keptEnd {
          add(end, value.end, [])
          keptEnd = value.end
        } else if first == nil {
          first = name.start
        }
      } else {
        // Members before the first that stays are removed with the comma after them.
        if keptEnd == nil, let first { add(first, name.start, []) }
        keptEnd = value.end
      }
    }
    if keptEnd == nil, let first { add(first, object.end - 1, []) }
  }

  private mutating func add(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ bytes: [UInt8]) {
    edits.append(Edit(start: start, end: end, bytes: bytes, order: edits.count))
  }

  /// Appends the edited record. `record` must be on one line, as records are.
  package func apply(to record: JSONValue, into buffer: inout ByteBuffer) {
    // At once, with the line end: a large record would be copied as often as the buffer grows, and be there twice
    // meanwhile.
    buffer.reserve(record.end - record.start + edits.reduce(0) { $0 + $1.bytes.count } + 1)
    var at = record.start
    for edit in edits.sorted(by: { ($0.start, $0.order) < ($1.start, $1.order) }) {
      buffer.append(ByteView(start: at, count: edit.start - at))
      buffer.append(edit.bytes)
      at = edit.end
    }
    buffer.append(ByteView(start: at, count: record.end - at))
  }
}
