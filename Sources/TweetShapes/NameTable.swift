import TweetCore

/// Finds which of the known names the key of a member is, for one kind of object.
///
/// Programs write the members of their objects in the same order each time. So every name remembers which one came
/// after it last (its *follower*), and the next key is compared with that one first. Nearly always this one comparison
/// is enough; else a hash table finds the name. Unknown names are remembered too, up to a limit, so that the names
/// after them can be predicted as well. What each part is worth in time is in docs/performance.md.
struct NameTable: ~Copyable {
  /// One name.
  struct Entry {
    /// The first and the last eight bytes of the name with its closing quote; they overlap in a short one.
    fileprivate let first: UInt64
    fileprivate let last: UInt64
    /// Which bits of ``first`` and ``last`` count: all, but for a name of less than eight bytes.
    fileprivate let mask: UInt64
    /// The offset in the name of ``last``.
    fileprivate let lastOffset: Int
    /// The name, its closing quote, and zeros.
    fileprivate let bytes: UnsafePointer<UInt8>
    /// The number of a known name; ``NameTable/count`` for an unknown one.
    let ordinal: Int
    /// Whether the member is copied to the output as one whose name is unknown.
    let isUnknown: Bool
    /// The entry of the name that came after it last.
    fileprivate(set) var follower: UnsafeMutablePointer<Entry>

    /// - Parameters:
    ///   - bytes: the name, its closing quote, and zeros up to ``NameTable/longest`` bytes or more.
    ///   - length: of the name and the quote; 0 for an entry that is not a key's.
    fileprivate init(
      _ bytes: UnsafePointer<UInt8>, length: Int, ordinal: Int, isUnknown: Bool, follower: UnsafeMutablePointer<Entry>
    ) {
      (self.bytes, self.ordinal, self.isUnknown, self.follower) = (bytes, ordinal, isUnknown, follower)
      lastOffset = max(length - 8, 0)
      first = bytes.word(at: 0)
      last = bytes.word(at: lastOffset)
      // No key starts with NULs, which the bytes of an entry without a name are.
      mask = length == 0 ? .max : bits(ofBytes: length)
    }

    /// Whether the key that starts at `key`, after its opening quote, is this name. The closing quote is compared as
    /// well, so the key's length need not be known.
    @inline(__always)
    func matches(_ key: UnsafePointer<UInt8>) -> Bool {
      if ((key.word(at: 0) ^ first) | (key.word(at: lastOffset) ^ last)) & mask != 0 { return false }
      var at = 8
      while at < lastOffset {
        if key.word(at: at) != bytes.word(at: at) { return false }
        at &+= 8
      }
      return true
    }
  }

  /// The longest name with its quote that is remembered. Comparing must not read further after a text than its padding.
  private static let longest = 56
  /// How many unknown names are remembered. The objects that services send have fewer.
  private static let maximumUnknown = 80
  private static let slotCount = 1024

  /// The first entry is not a name's: it comes before an object's first member, and stands for names that are not
  /// remembered.
  private let entries: UnsafeMutablePointer<Entry>
  private var used = 0
  /// The hash table: indices of entries, 0 for none.
  private let slots: UnsafeMutablePointer<UInt8>
  /// ``JSONIndex/padding`` bytes for the name of each entry.
  private let bytes: UnsafeMutablePointer<UInt8>
  /// How many names are known.
  let count: Int

  /// - Parameter names: the known names, at most 120, and whether each is treated as unknown in the output.
  init(_ names: [(name: StaticString, isUnknown: Bool)]) {
    count = names.count
    let capacity = names.count + Self.maximumUnknown + 1
    entries = .allocate(capacity: capacity)
    bytes = .allocate(capacity: capacity * JSONIndex.padding)
    bytes.initialize(repeating: 0, count: capacity * JSONIndex.padding)
    slots = .allocate(capacity: Self.slotCount)
    slots.initialize(repeating: 0, count: Self.slotCount)
    entries.initialize(to: Entry(bytes, length: 0, ordinal: count, isUnknown: true, follower: entries))
    used = 1
    for (ordinal, (name, isUnknown)) in names.enumerated() {
      insert(
        name.bytes, ordinal: ordinal,
        isUnknown: isUnknown)
    }
  }

  deinit {
    entries.deallocate()
    bytes.deallocate()
    slots.deallocate()
  }

  /// The entry before an object's first member.
  @inline(__always)
  var start: UnsafeMutablePointer<Entry> { entries }

  /// The entry of the name of a member, which becomes the follower of `previous`.
  /// - Parameters:
  ///   - key: the first byte of the name, after its opening quote.
  ///   - colon: the colon after the name.
  @inline(__always)
  mutating func find(
    _ key: UnsafePointer<UInt8>, before colon: UnsafePointer<UInt8>, after previous: UnsafeMutablePointer<Entry>
  ) -> UnsafeMutablePointer<Entry> {
    let expected = previous.pointee.follower
    if expected.pointee.matches(key) { return expected }
    let found = lookUp(key, before: colon)
    if found != entries { previous.pointee.follower = found }
    return found
  }

  /// The entry of a name by its hash; a new one for an unknown name as long as there is room.
  @inline(never)
  private mutating func lookUp(
    _ key: UnsafePointer<UInt8>, before colon: UnsafePointer<UInt8>
  ) -> UnsafeMutablePointer<Entry> {
    // In compact JSON the colon follows the closing quote at once.
    var end = colon - 1
    while end.pointee != UInt8(ascii: "\"") { end -= 1 }
    let length = end + 1 - key
    guard length <= Self.longest else { return entries }
    var slot = Self.slot(of: key, length)
    while slots[slot] != 0 {
      let entry = entries + Int(slots[slot])
      if entry.pointee.matches(key) { return entry }
      slot = (slot + 1) % Self.slotCount
    }
    if let known = spelledOut(ByteView(start: key, count: length - 1)) { return known }
    guard used <= count + Self.maximumUnknown else { return entries }
    return insert(ByteView(start: key, count: length - 1), ordinal: count, isUnknown: true)
  }

  /// The entry of a known name that is spelled with escapes; `nil` for any other name.
  private func spelledOut(_ name: ByteView) -> UnsafeMutablePointer<Entry>? {
    guard name.contains(UInt8(ascii: "\\")) else { return nil }
    var plain = ByteBuffer(capacity: name.count + 1)
    plain.append(unescaping: name)
    plain.append(UInt8(ascii: "\""))
    for known in 1...count where plain.withBytes({ $0 == ByteView(start: entries[known].bytes, count: $0.count) }) {
      return entries + known
    }
    return nil
  }

  @discardableResult
  private mutating func insert(
    _ name: ByteView, ordinal: Int, isUnknown: Bool
  ) -> UnsafeMutablePointer<Entry> {
    let copy = bytes + used * JSONIndex.padding
    _ = UnsafeMutableBufferPointer(start: copy, count: name.count).update(from: name)
    copy[name.count] = UInt8(ascii: "\"")
    let entry = entries + used
    entry.initialize(
      to: Entry(copy, length: name.count + 1, ordinal: ordinal, isUnknown: isUnknown, follower: entries))
    var slot = Self.slot(of: copy, name.count + 1)
    while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
    slots[slot] = UInt8(used)
    used += 1
    return entry
  }

  private static func slot(of key: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let first = key.word(at: 0) & bits(ofBytes: length)
    let last = key.word(at: max(length - 8, 0)) & bits(ofBytes: length)
    // Two odd constants spread the bits. The upper bits of the product depend on all of them.
    let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (last &* 0xC2B2_AE3D_27D4_EB4F) ^ UInt64(length)
    return Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> 40) % slotCount
  }
}

/// The bits of the first `length` bytes of a little-endian word.
private func bits(ofBytes length: Int) -> UInt64 { length < 8 ? (1 << UInt64(8 * length)) - 1 : .max }

extension UnsafePointer<UInt8> {
  /// Eight bytes as a little-endian number.
  @inline(__always)
  fileprivate func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(self + offset).loadUnaligned(as: UInt64.self))
  }
}
