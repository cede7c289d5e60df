import TweetCore

/// One kind of object's member names, found by their bytes.
///
/// Programs write the members of an object in the same order each time. So each name remembers which one followed it
/// last, and finding the next is most often one comparison with that. Where it fails, a small open hash table over a
/// name's first and last eight bytes and its length decides. Names that nobody asked for are noted as well, as far as
/// there is room, so that those behind them are foreseen too.
struct NameTable: ~Copyable {
  /// One name, with the quote that closes it: one that matches needs no look at where the name ends.
  struct Entry {
    fileprivate var first: UInt64
    fileprivate var last: UInt64
    /// The bytes of ``first`` and ``last`` that count.
    fileprivate var mask: UInt64
    /// Where the eight bytes of ``last`` start.
    fileprivate var lastOffset: Int32
    /// Where the name's value is kept; ``NameTable/count`` for all that nobody asked for.
    private(set) var ordinal: UInt16
    /// Whether it is one of those that nobody knows.
    private(set) var isRest: Bool
    fileprivate let bytes: UnsafePointer<UInt8>
    /// The entry that followed last.
    fileprivate(set) var follower: UnsafeMutablePointer<Entry>

    /// An entry that stands nowhere: no name has a NUL in it.
    fileprivate init(nowhere bytes: UnsafePointer<UInt8>, ordinal: Int, follower: UnsafeMutablePointer<Entry>) {
      (first, last, mask, lastOffset, isRest) = (0, 0, .max, 0, true)
      (self.bytes, self.ordinal, self.follower) = (bytes, UInt16(ordinal), follower)
    }

    /// - Parameter bytes: the name and its quote, ``NameTable/longest`` bytes or less, zeros behind them.
    fileprivate init(
      _ bytes: UnsafePointer<UInt8>, length: Int, ordinal: Int, isRest: Bool, follower: UnsafeMutablePointer<Entry>
    ) {
      (self.bytes, self.follower, self.ordinal, self.isRest) = (bytes, follower, UInt16(ordinal), isRest)
      lastOffset = Int32(max(length - 8, 0))
      first = bytes.word(at: 0)
      last = bytes.word(at: max(length - 8, 0))
      mask = length < 8 ? (1 << UInt64(8 * length)) - 1 : .max
    }

    /// Whether the name whose opening quote is before `key` is this one.
    @inline(__always)
    func stands(at key: UnsafePointer<UInt8>) -> Bool {
      let lastOffset = Int(lastOffset)
      if ((key.word(at: 0) ^ first) | (key.word(at: lastOffset) ^ last)) & mask != 0 { return false }
      var at = 8
      while at < lastOffset {
        if key.word(at: at) != bytes.word(at: at) { return false }
        at &+= 8
      }
      return true
    }
  }

  /// With its quote; comparing reads no further behind a text than its padding goes.
  private static let longest = 56
  /// How many unknown names are noted. More of them only take longer to find.
  private static let room = 80
  private static let slotCount = 1024

  private let entries: UnsafeMutablePointer<Entry>
  /// Numbers of entries by their hash; 0 for none.
  private let slots: UnsafeMutablePointer<UInt8>
  private let bytes: UnsafeMutablePointer<UInt8>
  private let used: UnsafeMutablePointer<Int>
  /// How many names are known; their ordinals are below it.
  let count: Int

  /// - Parameter names: the known ones, at most 120 of them, in the order of their ordinals; and whether they are of those
  ///   that nobody knows all the same.
  init(_ names: [(name: StaticString, isRest: Bool)]) {
    count = names.count
    let capacity = names.count + Self.room + 1
    entries = .allocate(capacity: capacity)
    bytes = .allocate(capacity: capacity * JSONIndex.padding)
    bytes.initialize(repeating: 0, count: capacity * JSONIndex.padding)
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: 0, count: Self.slotCount)
    used = .allocate(capacity: 1)
    used.initialize(to: 1)
    entries.initialize(to: Entry(nowhere: bytes, ordinal: count, follower: entries))
    for (ordinal, (name, isRest)) in names.enumerated() {
      let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
      add(bytes, ordinal: ordinal, isRest: isRest)
    }
  }

  deinit {
    entries.deallocate()
    bytes.deallocate()
    slots.deallocate()
    used.deallocate()
  }

  /// What stands before an object's first member.
  @inline(__always)
  var start: UnsafeMutablePointer<Entry> { entries }

  /// The name that starts at `key`, whose colon stands at `colon`; from now on it is what follows `previous`.
  @inline(never)
  borrowing func find(
    _ key: UnsafePointer<UInt8>, before colon: UnsafePointer<UInt8>, after previous: UnsafeMutablePointer<Entry>
  ) -> UnsafeMutablePointer<Entry> {
    // In compact JSON the colon follows the closing quote at once.
    var end = colon - 1
    while end.pointee != UInt8(ascii: "\"") { end -= 1 }
    let length = end + 1 - key
    guard length <= Self.longest else { return entries }
    var slot = Self.hash(key, length)
    while slots[slot] != 0 {
      let entry = entries + Int(slots[slot])
      if entry.pointee.stands(at: key) {
        previous.pointee.follower = entry
        return entry
      }
      slot = (slot + 1) % Self.slotCount
    }
    guard used.pointee <= count + Self.room else { return entries }
    let entry = add(UnsafeBufferPointer(start: key, count: length - 1), ordinal: count, isRest: true)
    previous.pointee.follower = entry
    return entry
  }

  @discardableResult
  private borrowing func add(
    _ name: UnsafeBufferPointer<UInt8>, ordinal: Int, isRest: Bool
  ) -> UnsafeMutablePointer<Entry> {
    let number = used.pointee
    used.pointee += 1
    let place = bytes + number * JSONIndex.padding
    _ = UnsafeMutableBufferPointer(start: place, count: name.count).update(from: name)
    place[name.count] = UInt8(ascii: "\"")
    let entry = Entry(place, length: name.count + 1, ordinal: ordinal, isRest: isRest, follower: entries)
    (entries + number).initialize(to: entry)
    var slot = Self.hash(place, name.count + 1)
    while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
    slots[slot] = UInt8(number)
    return entries + number
  }

  private static func hash(_ key: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let mask: UInt64 = length < 8 ? (1 << UInt64(8 * length)) - 1 : .max
    let first = key.word(at: 0) & mask
    let last = key.word(at: max(length - 8, 0)) & mask
    // Two odd 64-bit constants spread the bits; the upper half of the product is the well-mixed one.
    let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (last &* 0xC2B2_AE3D_27D4_EB4F) ^ UInt64(length)
    return Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> 40) % slotCount
  }
}

extension UnsafePointer<UInt8> {
  /// Eight bytes as a little-endian number.
  @inline(__always)
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(self + offset).loadUnaligned(as: UInt64.self))
  }
}
