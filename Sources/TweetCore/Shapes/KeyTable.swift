#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The member names that one kind of object is known to have; a raw value is a place in its ``Fields``.
protocol ShapeKey: RawRepresentable, CaseIterable where RawValue == Int {
  /// Its spelling in the JSON.
  var name: StaticString { get }
}

/// The member names a shape knows, found by their bytes: a small open hash table over a name's first and last eight
/// bytes and its length. Looking a name up reads it once and allocates nothing.
struct KeyTable<Key: ShapeKey>: ~Copyable {
  private struct Entry {
    var first: UInt64 = 0
    var last: UInt64 = 0
    var length = 0
    var ordinal = -1
    var bytes: UnsafePointer<UInt8>?
  }
  private let entries: UnsafeMutablePointer<Entry>
  private let mask: Int
  /// How many names there are; their ordinals are `0..<count`.
  let count: Int

  init() {
    count = Key.allCases.count
    // At most an eighth full, so that the first look nearly always decides.
    var size = 64
    while size < count * 8 { size *= 2 }
    mask = size - 1
    entries = .allocate(capacity: size)
    entries.initialize(repeating: Entry(), count: size)
    for key in Key.allCases {
      let text = key.name
      let probe = Self.probe(text.utf8Start, text.utf8CodeUnitCount) { from in
        // A literal is not followed by readable bytes, so its words are put together one by one.
        var word: UInt64 = 0
        for at in from..<min(from + 8, text.utf8CodeUnitCount) {
          word |= UInt64(text.utf8Start[at]) << UInt64(8 * (at - from))
        }
        return word
      }
      var slot = probe.hash & mask
      while entries[slot].ordinal >= 0 { slot = (slot + 1) & mask }
      entries[slot] = Entry(
        first: probe.first, last: probe.last, length: text.utf8CodeUnitCount, ordinal: key.rawValue,
        bytes: text.utf8Start)
    }
  }

  deinit { entries.deallocate() }

  /// The ordinal of the name whose opening quote stands at `quote` and whose bytes are `length`; -1 for one it does not
  /// know. Eight bytes behind the name must be readable, as behind any indexed text.
  @inline(__always)
  borrowing func ordinal(_ start: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let probe = Self.probe(start, length) { from in
      let word = UInt64(littleEndian: UnsafeRawPointer(start + from).loadUnaligned(as: UInt64.self))
      return length - from >= 8 ? word : word & ((1 << UInt64(8 * (length - from))) - 1)
    }
    var slot = probe.hash & mask
    while true {
      let entry = entries + slot
      if entry.pointee.ordinal < 0 { return -1 }
      if entry.pointee.first == probe.first, entry.pointee.last == probe.last, entry.pointee.length == length {
        if length <= 16 { return entry.pointee.ordinal }
        if let bytes = entry.pointee.bytes, memcmp(bytes, start, length) == 0 { return entry.pointee.ordinal }
      }
      slot = (slot + 1) & mask
    }
  }

  private struct Probe {
    let first: UInt64
    let last: UInt64
    let hash: Int
  }

  @inline(__always)
  private static func probe(_ start: UnsafePointer<UInt8>, _ length: Int, _ word: (Int) -> UInt64) -> Probe {
    let first = word(0)
    let last = length > 8 ? word(length - 8) : first
    // Two odd 64-bit constants spread the bits; the upper half of the product is the well-mixed one.
    let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (last &* 0xC2B2_AE3D_27D4_EB4F) ^ UInt64(truncatingIfNeeded: length)
    return Probe(first: first, last: last, hash: Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 40))
  }
}

/// Where the members of one object were found: a place for each known name, and the names nobody knows.
///
/// It is a window on a ``FieldArena``, valid until the arena gives it back.
struct Fields<Key: ShapeKey> {
  fileprivate let slots: Int
  fileprivate let rest: Int
  fileprivate let restCount: Int
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
    let members = object.isObject ? Int(object.matches[Int(object.place)] - object.place) : 0
    reserve(table.count + members)
    memset(words + slots, 0, table.count * MemoryLayout<UInt32>.size)
    let rest = slots + table.count
    var end = rest
    var place = object.place + 1
    let last = object.isObject ? object.matches[Int(object.place)] : 0
    while place < last {
      let key = object.text + Int(object.positions[Int(place)]) + 1
      // In compact JSON the colon follows the closing quote at once.
      var keyEnd = object.text + Int(object.positions[Int(place) + 1]) - 1
      while keyEnd.pointee != UInt8(ascii: "\"") { keyEnd -= 1 }
      let ordinal = table.ordinal(key, keyEnd - key)
      if ordinal >= 0 {
        words[slots + ordinal] = place + 2
      } else {
        words[end] = place
        end += 1
      }
      place = object.at(place + 2).next + 1
    }
    top = end
    return Fields(slots: slots, rest: rest, restCount: end - rest)
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

  /// Appends the members nobody knows, each with a comma before it, but for those that say nothing (null and "").
  /// Neighbours are copied in one go.
  borrowing func appendRest<Key>(of fields: Fields<Key>, in object: JSONValue, to out: inout ByteBuffer) {
    var at = fields.rest
    let end = fields.rest + fields.restCount
    while at < end {
      let key = object.at(words[at])
      var value = object.at(key.place + 2)
      at += 1
      if value.saysNothing { continue }
      while at < end, words[at] == value.next + 1 {
        let next = object.at(words[at] + 2)
        if next.saysNothing { break }
        value = next
        at += 1
      }
      out.append(UInt8(ascii: ","))
      out.append(UnsafeBufferPointer(start: key.start, count: value.end - key.start))
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
  var saysNothing: Bool {
    isNull || (isString && start[1] == UInt8(ascii: "\""))
  }
}
