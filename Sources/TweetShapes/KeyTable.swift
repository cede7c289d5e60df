import TweetCore

/// The member names that one kind of object is known to have; a raw value is a place in its ``Fields``.
protocol ShapeKey: RawRepresentable, CaseIterable where RawValue == Int {
  /// Its spelling in the JSON.
  var name: StaticString { get }
  /// Whether it is only looked for, and is one of those nobody knows all the same.
  var isMark: Bool { get }
}

extension ShapeKey {
  var isMark: Bool { false }
}

/// The member names a shape knows, and where each is kept in its ``Fields``.
struct KeyTable<Key: ShapeKey>: ~Copyable {
  fileprivate let names = NameTable(Key.allCases.map { ($0.name, $0.isMark) })
}

/// Where the members of one object were found: a place for each known name, and the names nobody knows.
///
/// It is a window on a ``FieldArena``, valid until the arena gives it back.
struct Fields<Key: ShapeKey> {
  fileprivate let slots: Int
  fileprivate let rest: Int
  fileprivate let end: Int
}

/// The memory behind ``Fields``: taken and given back like a stack, as the objects of a document nest.
struct FieldArena: ~Copyable {
  private var words: UnsafeMutablePointer<UInt32>
  private var capacity = 4096
  private var top = 0

  init() { words = .allocate(capacity: capacity) }

  deinit { words.deallocate() }

  /// Finds the members of `object`. A name that comes twice counts where it comes last, as in every common reader.
  @inline(__always)
  mutating func gather<Key>(_ object: JSONValue, _ table: borrowing KeyTable<Key>) -> Fields<Key> {
    let slots = top
    gather(object, table.names)
    return Fields(slots: slots, rest: slots + table.names.count + 1, end: top)
  }

  /// Takes a word for each known name, the place of its value, and one that is of no use, for all others; behind those
  /// two for each run of neighbours nobody knows: the places of its first name and of what follows its last value.
  private mutating func gather(_ object: JSONValue, _ names: borrowing NameTable) {
    let (text, offsets, matches) = (object.text, object.offsets, object.matches)
    var place = object.node + 1
    let last = object.isObject ? matches[Int(object.node)] : 0
    let slots = top
    reserve(names.count + 1 + (last > place ? Int(last - place) : 0))
    (words + slots).update(repeating: 0, count: names.count)
    let slot = words + slots
    var run = slot + names.count + 1
    var isRunning = false
    var name = names.start
    while place < last {
      let key = text + Int(offsets[Int(place)]) + 1
      let guess = name.pointee.follower
      if guess.pointee.stands(at: key) {
        name = guess
      } else {
        name = names.find(key, before: text + Int(offsets[Int(place) &+ 1]), after: name)
      }
      let value = place &+ 2
      let first = text + Int(offsets[Int(value)])
      let isContainer = first.pointee == UInt8(ascii: "{") || first.pointee == UInt8(ascii: "[")
      let next = (isContainer ? matches[Int(value)] : value) &+ 1
      slot[Int(name.pointee.ordinal)] = value
      if !name.pointee.isRest || first.saysNothing {
        isRunning = false
      } else {
        if !isRunning {
          run[0] = place
          run += 2
          isRunning = true
        }
        run[-1] = next
      }
      place = next &+ 1
    }
    top = run - words
  }

  /// Gives back what the latest ``gather(_:_:)`` took.
  @inline(__always)
  mutating func release<Key>(_ fields: Fields<Key>) { top = fields.slots }

  /// The value of one known name in the object the fields were gathered from; `nil` when it is absent or says nothing.
  @inline(__always)
  borrowing func value<Key>(_ fields: Fields<Key>, _ key: Key, in object: JSONValue) -> JSONValue? {
    let place = words[fields.slots + key.rawValue]
    if place == 0 { return nil }
    let value = object.at(place)
    return value.saysNothing ? nil : value
  }

  /// Whether a known name is there with something other than null, be it an empty text.
  @inline(__always)
  borrowing func has<Key>(_ fields: Fields<Key>, _ key: Key, in object: JSONValue) -> Bool {
    let place = words[fields.slots + key.rawValue]
    return place != 0 && !object.at(place).isNull
  }

  /// Whether there are members that nobody knows and that say something.
  @inline(__always)
  borrowing func hasRest<Key>(_ fields: Fields<Key>) -> Bool { fields.rest < fields.end }

  /// Appends the members nobody knows, each with a comma before it, but for those that say nothing (null and "").
  /// Neighbours are copied in one go.
  @inline(__always)
  borrowing func appendRest<Key>(of fields: Fields<Key>, in object: JSONValue, to out: inout ByteBuffer) {
    var run = fields.rest
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
  /// Itself, when it can be an id: a text that says something, or a number.
  var asID: JSONValue? { (isString && !saysNothing) || kind == .number ? self : nil }

  /// A v1.1 object's id: the text before the number, which some programs have rounded.
  var v1ID: JSONValue? { self["id_str"]?.asID ?? self["id"]?.asID }

  /// Whether it is null or an empty string: records leave out what is not known.
  @inline(__always)
  var saysNothing: Bool { start.saysNothing }
}

extension UnsafePointer<UInt8> {
  /// Whether the JSON value that starts here is null or an empty string.
  @inline(__always)
  fileprivate var saysNothing: Bool {
    pointee == UInt8(ascii: "n") || (pointee == UInt8(ascii: "\"") && self[1] == UInt8(ascii: "\""))
  }
}
