import TweetCore

/// The member names that one kind of object may have. The raw value is the name's ordinal in a ``NameTable``.
protocol ShapeKey: RawRepresentable, CaseIterable where RawValue == Int {
  /// The name as it is in the JSON.
  var name: StaticString { get }
  /// Whether the name is used only to detect the shape; its member is copied to the output like one with an unknown
  /// name.
  var isForDetectionOnly: Bool { get }
}

extension ShapeKey {
  var isForDetectionOnly: Bool { false }
}

/// The names of one kind of object, typed by their keys.
struct KeyTable<Key: ShapeKey>: ~Copyable {
  fileprivate var names = NameTable(Key.allCases.map { ($0.name, $0.isForDetectionOnly) })
}

/// Where the members of one object are: a range of words in a ``FieldArena``, valid until it is released.
struct Fields<Key: ShapeKey> {
  /// A word for each known name: the node of its value, 0 for none.
  fileprivate let known: Int
  /// Two words for each run of neighbours with unknown names: the node of the first name, and the node after the last
  /// value.
  fileprivate let unknown: Int
  fileprivate let end: Int
}

/// The memory of ``Fields``. It is used like a stack, because the objects of a document are nested.
struct FieldArena: ~Copyable {
  private var words: UnsafeMutablePointer<UInt32>
  private var capacity = 4096
  private var top = 0

  init() { words = .allocate(capacity: capacity) }

  deinit { words.deallocate() }

  /// Finds the members of `object`. Of several with the same name the last counts, as in every common reader.
  @inline(__always)
  mutating func gather<Key>(_ object: JSONValue, _ table: inout KeyTable<Key>) -> Fields<Key> {
    let known = top
    gather(object, &table.names)
    return Fields(known: known, unknown: known + table.names.count + 1, end: top)
  }

  private mutating func gather(_ object: JSONValue, _ names: inout NameTable) {
    let (text, offsets, matches) = (object.text, object.offsets, object.matches)
    var node = object.node + 1
    let last = object.isObject ? matches[Int(object.node)] : 0
    // A run takes two words and has three nodes at least: a word for each node is enough.
    reserve(names.count + 1 + (last > node ? Int(last - node) : 0))
    let known = words + top
    known.update(repeating: 0, count: names.count)
    // The word after those of the known names gets the values of all others, so that storing needs no branch.
    var run = known + names.count + 1
    var isInRun = false
    var name = names.start
    while node < last {
      name = names.find(text + Int(offsets[Int(node)]) + 1, before: text + Int(offsets[Int(node) &+ 1]), after: name)
      let value = node &+ 2
      let first = text + Int(offsets[Int(value)])
      let isContainer = first.pointee == UInt8(ascii: "{") || first.pointee == UInt8(ascii: "[")
      let next = (isContainer ? matches[Int(value)] : value) &+ 1
      known[name.pointee.ordinal] = value
      if !name.pointee.isUnknown || first.isBlankValue {
        isInRun = false
      } else {
        if !isInRun {
          run[0] = node
          run += 2
          isInRun = true
        }
        run[-1] = next
      }
      node = next &+ 1
    }
    top = run - words
  }

  /// Releases the fields that were gathered last.
  @inline(__always)
  mutating func release<Key>(_ fields: Fields<Key>) { top = fields.known }

  /// The value of a known name in the object that the fields were gathered from; `nil` when it is missing or blank.
  @inline(__always)
  borrowing func value<Key>(_ fields: Fields<Key>, _ key: Key, in object: JSONValue) -> JSONValue? {
    let node = words[fields.known + key.rawValue]
    if node == 0 { return nil }
    let value = object.at(node)
    return value.isBlank ? nil : value
  }

  /// Whether the value of a known name is there and is not null. It may be an empty string.
  @inline(__always)
  borrowing func has<Key>(_ fields: Fields<Key>, _ key: Key, in object: JSONValue) -> Bool {
    let node = words[fields.known + key.rawValue]
    return node != 0 && !object.at(node).isNull
  }

  /// Whether there is a member of a known name, with whatever value.
  @inline(__always)
  borrowing func isThere<Key>(_ fields: Fields<Key>, _ key: Key) -> Bool { words[fields.known + key.rawValue] != 0 }

  /// Whether there is a member of one of the names from `first` on, in the order of their keys.
  @inline(__always)
  borrowing func isAnyThere<Key: ShapeKey>(_ fields: Fields<Key>, from first: Key) -> Bool {
    var nodes: UInt32 = 0
    // The last word before the unknown ones is not a name's.
    for word in (fields.known + first.rawValue)..<(fields.unknown - 1) { nodes |= words[word] }
    return nodes != 0
  }

  /// Whether there are members with unknown names whose values are not blank.
  @inline(__always)
  borrowing func hasUnknown<Key>(_ fields: Fields<Key>) -> Bool { fields.unknown < fields.end }

  /// Appends the members with unknown names whose values are not blank, each with a comma before it. Neighbours are
  /// copied together, with the white space between them.
  @inline(__always)
  borrowing func appendUnknown<Key>(of fields: Fields<Key>, in object: JSONValue, to out: inout ByteBuffer) {
    var run = fields.unknown
    while run < fields.end {
      let start = object.at(words[run]).start
      out.append(UInt8(ascii: ","))
      out.append(indexed: start, count: object.textEnd(before: words[run + 1]) - start)
      run += 2
    }
  }

  private mutating func reserve(_ extra: Int) {
    if top + extra <= capacity { return }
    capacity = max(capacity * 2, top + extra)
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    larger.update(from: words, count: top)
    words.deallocate()
    words = larger
  }
}

extension JSONValue {
  /// Itself, if it can be an id: a string that is not empty, or a number.
  var asID: JSONValue? { (isString && !isBlank) || kind == .number ? self : nil }

  /// The id of a v1.1 object: the string rather than the number, which some programs have rounded.
  var v1ID: JSONValue? { self["id_str"]?.asID ?? self["id"]?.asID }

  /// Whether it is null or an empty string: a record leaves out what is not known.
  @inline(__always)
  var isBlank: Bool { start.isBlankValue }
}

extension UnsafePointer<UInt8> {
  /// Whether the JSON value that starts here is null or an empty string.
  @inline(__always)
  fileprivate var isBlankValue: Bool {
    pointee == UInt8(ascii: "n") || (pointee == UInt8(ascii: "\"") && self[1] == UInt8(ascii: "\""))
  }
}
