import Libc

/// Finds the JSON documents in a byte stream: one a line, pretty-printed over many, one behind the other, or as the
/// elements of one array of any length.
///
/// It pulls nothing by itself: ``next()`` gives what the bytes at hand hold and asks for more with
/// ``Step/needsInput``, so that a tool can flush its output or poll other descriptors before ``fill()`` blocks. Bad
/// bytes are named with their line and skipped; after a bad document reading goes on with the next line that may start
/// one, so that a document cut off in the middle never takes the whole ones behind it along. Memory is bounded by
/// `maxRecord`, not by the input.
package struct RecordScanner: ~Copyable {
  /// How much is read at once. Large enough to spread the cost of a read(2) and an index, small enough for a core's
  /// second-level cache.
  static let readSize = 512 << 10

  package enum Step {
    case record(Record)
    case bad(BadRecord)
    /// Call ``fill()``, then ``next()`` again.
    case needsInput
    case end
  }

  let descriptor: Int32
  let name: String
  let maxRecord: Int

  /// Bytes read and not yet given out are `base[start..<end]`; the memory goes on for ``JSONIndex/padding`` more.
  var base: UnsafeMutablePointer<UInt8>
  var capacity: Int
  var start = 0
  var end = 0
  var ended = false
  /// The line that `start` stands on.
  package internal(set) var line: Int

  /// What is indexed: `base[start..<regionEnd]` when it begins; empty when `regionEnd` is not behind `start`.
  var index: JSONIndex
  var regionStart = 0
  var regionEnd = 0
  var place = 0
  /// What the event in work is about, in a stream of server-sent events.
  var event = StreamEvent.post
  /// Behind a region that failed as a whole it is taken a piece at a time, up to here.
  var piecewiseEnd = 0

  /// Arrays that are open around the current document: their elements are taken as documents.
  var openArrays = 0
  /// Newlines were looked for up to here; the last one found ends at `newlineEnd`.
  var searched = 0
  var newlineEnd = 0
  /// The same for closing brackets, which only long lines are searched for.
  var searchedForBrackets = 0
  var lastBracketEnd = 0
  var isBegun = false
  /// Where a NUL stands in the place of ``guarded``; below zero for nowhere.
  var guardPlace = -1
  var guarded: UInt8 = 0
  /// A document was found incomplete with this many bytes at hand; it is tried again with more.
  var triedWith = 0
  /// How many bytes all tries of that document went over.
  var triedInAll = 0
  /// Bytes are dropped up to the end of the line because their record is too large.
  var isDropping = false

  /// Whether the input ended within a document or an array, of which something is given as bad.
  package internal(set) var endsInside = false

  /// Holds the copy of a document that could not be given out as it stands.
  private var copy = ByteBuffer(capacity: 64)
  /// For trying whether a part of a bad piece is a document.
  private var trialIndex: JSONIndex

  /// - Parameters:
  ///   - descriptor: what to read; it stays the caller's.
  ///   - name: what messages call it.
  ///   - maxRecord: the largest document in bytes; larger ones are skipped without being held.
  ///   - firstLine: the number of the line that the first byte stands on.
  ///   - head: bytes that were already taken from the descriptor.
  package init(
    descriptor: Int32, name: String, maxRecord: Int = 16 << 20, firstLine: Int = 1, head: [UInt8] = []
  ) {
    line = firstLine
    self.descriptor = descriptor
    self.name = name
    self.maxRecord = maxRecord
    index = JSONIndex(maximumNodes: max(maxRecord, 16 << 20) / Self.leastBytesOfPart)
    trialIndex = JSONIndex(maximumNodes: max(maxRecord, 16 << 20) / Self.leastBytesOfPart)
    capacity = Self.readSize * 2
    base = resized(nil, to: capacity + JSONIndex.padding)
    for byte in head {
      base[end] = byte
      end += 1
    }
    (base + end).update(repeating: 0, count: JSONIndex.padding)
  }

  deinit { free(base) }

  /// An index takes eight bytes for each part of a document: a bracket, comma, colon, text, number or word. Real documents
  /// have six bytes to a part or more, and hostile ones shall not take more memory.
  private static var leastBytesOfPart: Int { 6 }

  /// The next document or bad piece that is at hand.
  package mutating func next() -> Step {
    while true {
      if regionEnd > start, let step = nextInRegion() { return step }
      if isDropping, let step = dropRest() { return step }
      if start == end, ended { return openArrays > 0 ? endInsideArray() : .end }
      guard findRegion() else {
        if let step = checkSize() { return step }
        return .needsInput
      }
      if let step = indexRegion() { return step }
    }
  }

  private mutating func endInsideArray() -> Step {
    (openArrays, endsInside) = (0, true)
    return .bad(
      BadRecord(bytes: UnsafeBufferPointer(start: base, count: 0), line: line, reason: "the input ends inside an array")
    )
  }

  // MARK: Documents

  /// The next document of the indexed region, or `nil` when it is used up or needs more input.
  private mutating func nextInRegion() -> Step? {
    while place < index.count {
      let offset = regionStart + Int(index.offsets[place])
      skip(to: offset)
      switch base[offset] {
      case UInt8(ascii: "["):
        guard openArrays < JSONIndex.maximumDepth else {
          openArrays = 0
          return bad(JSONFault.tooDeep.reason)
        }
        openArrays += 1
        step(over: offset)
      case UInt8(ascii: "]") where openArrays > 0:
        openArrays -= 1
        step(over: offset)
      case UInt8(ascii: ",") where openArrays > 0:
        step(over: offset)
      case UInt8(ascii: ":"), UInt8(ascii: "d"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "r"):
        guard let limit = eventLine(at: offset) else { return document() }
        pass(to: limit)
      default:
        return document()
      }
    }
    skip(to: regionEnd)
    return nil
  }

  private mutating func step(over offset: Int) {
    place += 1
    start = offset + 1
  }

  /// Moves on within a line, over what is no document.
  private mutating func pass(to limit: Int) {
    while place < index.count, regionStart + Int(index.offsets[place]) < limit { place += 1 }
    start = limit
  }

  private mutating func document() -> Step? {
    switch index.scan(from: place) {
    case .value(let next):
      let value = index.value(at: place)
      let valueEnd = value.end - UnsafePointer(base)
      let source = UnsafeBufferPointer(start: UnsafePointer(base) + start, count: valueEnd - start)
      let escapes = JSONEscapes.check(source)
      if escapes == .fault { return bad(JSONFault.badEscape.reason) }
      guard source.count <= maxRecord else { return bad(tooLong) }
      (triedWith, triedInAll) = (0, 0)
      return give(value, source, mends: escapes == .halfPair, next: next)
    case .fault(.cutOff) where !ended && regionEnd >= piecewiseEnd:
      waitForMore()
      return nil
    case .fault(let fault):
      if fault == .cutOff, regionEnd == end { endsInside = true }
      return bad(fault.reason)
    }
  }

  /// Counts the lines of a document and gives it out: as it stands, or else a copy, on one line and without half
  /// surrogate pairs. What stands in the input stays as it is, for whoever does not want the record after all.
  private mutating func give(
    _ value: JSONValue, _ source: UnsafeBufferPointer<UInt8>, mends: Bool, next: Int
  ) -> Step {
    let spansLines = memchr(base + start, 0x0A, source.count) != nil
    var root = value
    if spansLines || mends, value.isObject || value.isArray {
      root = index.move(documentAt: place, isCompact: spansLines, to: &copy)
      if mends { copy.withMutableBytes { JSONEscapes.mend($0) } }
    }
    let record = Record(root: root, source: source, line: line, isElement: openArrays > 0, event: takeEvent())
    place = next
    if spansLines { skip(to: start + source.count) } else { start += source.count }
    return .record(record)
  }

  /// An event has one document; what follows is none of it.
  private mutating func takeEvent() -> StreamEvent {
    defer { event = .post }
    return event
  }

  // MARK: Bad pieces

  private var tooLong: String { "longer than \(maxRecord) bytes (--max-record)" }

  /// Takes a bad piece out and goes on with the next line that may start a document.
  mutating func bad(_ reason: String) -> Step {
    (triedWith, triedInAll) = (0, 0)
    var limit = pieceEnd(from: start, limit: regionEnd)
    if let whole = wholeDocument(before: limit) {
      // The index of what follows may be wrong by an odd quote of the half one: it is made anew.
      limit = whole
      piecewiseEnd = max(piecewiseEnd, regionEnd)
      regionEnd = whole
    }
    let piece = take(to: limit, reason: reason)
    while place < index.count, regionStart + Int(index.offsets[place]) < limit { place += 1 }
    return .bad(piece)
  }

  /// Two writers, or one that was killed and went on, leave a half document and a whole one on the same line. Gives where
  /// the whole one starts: at a second object whose first member has the same name, and which lasts to the line's end. What
  /// a crash left of the half one may be NULs, or less than the first name.
  private mutating func wholeDocument(before limit: Int) -> Int? {
    var first = start
    while first < limit, base[first] == 0 { first += 1 }
    if first == start, limit - start > 1, base[start + 1] == UInt8(ascii: "{") { first += 1 }
    if first > start { return first < limit && isDocument(first..<limit) ? first : nil }
    guard limit - start > 4, base[start] == UInt8(ascii: "{"), base[start + 1] == UInt8(ascii: "\""),
      let quote = memchr(base + start + 2, Int32(UInt8(ascii: "\"")), min(Self.longestName, limit - start - 2))
    else { return nil }
    let length = quote.assumingMemoryBound(to: UInt8.self) - (base + start) + 1
    if let brace = memchr(base + start + 2, Int32(UInt8(ascii: "{")), length - 3) {
      let place = brace.assumingMemoryBound(to: UInt8.self) - base
      if isDocument(place..<limit) { return place }
    }
    var at = start + length
    var tries = 0
    while tries < Self.wholeTries, limit - at > length,
      let brace = memchr(base + at, Int32(UInt8(ascii: "{")), limit - at - length)
    {
      at = brace.assumingMemoryBound(to: UInt8.self) - base
      if memcmp(base + at, base + start, length) == 0 {
        tries += 1
        if isDocument(at..<limit) { return at }
      }
      at += 1
    }
    return nil
  }

  /// Whether one whole document and nothing else stands there. The NUL ends every grammar state that expects more.
  private mutating func isDocument(_ range: Range<Int>) -> Bool {
    let behind = base[range.upperBound]
    base[range.upperBound] = 0
    defer { base[range.upperBound] = behind }
    guard trialIndex.build(base + range.lowerBound, count: range.count) == nil,
      case .value(let last) = trialIndex.scan(from: 0)
    else { return false }
    return last == trialIndex.count
  }

  /// Longer names than this start no record.
  private static let longestName = 64
  /// Bounds the work that a hostile line can cause.
  private static let wholeTries = 16

  private mutating func take(to limit: Int, reason: String?) -> BadRecord {
    let piece = BadRecord(
      bytes: UnsafeBufferPointer(start: base + start, count: limit - start), line: line, reason: reason)
    skip(to: limit)
    return piece
  }

  /// Moves on, counting the lines passed.
  mutating func skip(to limit: Int) {
    while start < limit {
      guard let newline = memchr(base + start, 0x0A, limit - start) else { break }
      start = newline.assumingMemoryBound(to: UInt8.self) - base + 1
      line += 1
    }
    start = max(start, limit)
  }

  /// Starts dropping when what is held of one document is larger than allowed.
  private mutating func checkSize() -> Step? {
    guard end - start > maxRecord else { return nil }
    var first = start
    while first < end, first - start < Self.longestIndent, isSpace(base[first]) { first += 1 }
    guard end - first > maxRecord else { return nil }
    isDropping = true
    (triedWith, triedInAll) = (0, 0)
    return .bad(take(to: end, reason: tooLong))
  }

  /// White space before a document that does not count for its size.
  private static let longestIndent = 1024

  /// Drops the rest of a line that was too large.
  private mutating func dropRest() -> Step? {
    guard start < end else {
      if ended { isDropping = false }
      return ended ? nil : .needsInput
    }
    let newline = memchr(base + start, 0x0A, end - start)
    let limit = newline.map { $0.assumingMemoryBound(to: UInt8.self) - base + 1 } ?? end
    isDropping = newline == nil
    return .bad(take(to: limit, reason: nil))
  }
}
