import Libc

/// Where a bad piece of an input ends.
extension InputWindow {
  /// The end of the piece that starts at `from`: a bracket or comma between documents is a piece of its own; an object
  /// that spans lines ends with the bracket that closes it, told by its indentation; what is not an object ends
  /// with its line.
  func pieceEnd(from: Int, limit: Int) -> Int {
    var first = from
    while first < limit, base[first].isJSONSpace { first += 1 }
    guard first < limit else { return limit }
    switch base[first] {
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","): return first + 1
    default: break
    }
    let isObject = base[first] == UInt8(ascii: "{")
    let indent = indent(ofLineAt: first)
    var at = first
    while let newline = firstOffset(of: 0x0A, from: at, to: limit) {
      at = newline + 1
      let text = endOfBlanks(from: at, to: limit)
      if isObject, text < limit, base[text] == UInt8(ascii: "}"), text - at <= indent { return text + 1 }
      if at < limit, !isObject || !base[at].continuesDocument { return at }
    }
    return limit
  }

  /// Consumes lines of white space before `limit`.
  mutating func consumeEmptyLines(to limit: Int) {
    var (at, lineStart) = (start, start)
    while at < limit, base[at].isJSONSpace {
      if base[at] == 0x0A { lineStart = at + 1 }
      at += 1
    }
    if at < limit { consume(to: lineStart) }
  }

  /// How many spaces and tabs the line of a byte starts with.
  private func indent(ofLineAt offset: Int) -> Int {
    var lineStart = offset
    while lineStart > 0, base[lineStart - 1] != 0x0A { lineStart -= 1 }
    return endOfBlanks(from: lineStart, to: offset) - lineStart
  }

  private func endOfBlanks(from: Int, to limit: Int) -> Int {
    var at = from
    while at < limit, base[at] == 0x20 || base[at] == 0x09 { at += 1 }
    return at
  }
}

extension UInt8 {
  var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

  /// Whether a line that starts with this byte may be in the middle of a pretty-printed document: such lines are
  /// indented, or start with a closing bracket.
  fileprivate var continuesDocument: Bool {
    switch self {
    case 0x20, 0x09, UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
      true
    default: false
    }
  }
}

/// Finds a whole document after half of one on the same line, as two writers leave it, or one that was killed and
/// started again.
struct WholeDocumentSearch: ~Copyable {
  private var index: JSONIndex

  /// - Parameter maximumNodes: as the index's.
  init(maximumNodes: Int) { index = JSONIndex(maximumNodes: maximumNodes) }

  /// Longer names than this start no record.
  private static let longestName = 64
  /// Bounds the work that a hostile line can cause.
  private static let maximumTries = 16

  /// Where the whole document starts: at a second object whose first member has the same name as the half one's, and
  /// which lasts to the end of the line. What a crash left of the half one may be NULs, or less than the first name.
  /// - Parameters:
  ///   - start: the offset in `base` of the half document.
  ///   - limit: the offset of the line's end; one byte more can be read.
  mutating func offset(in base: UnsafeMutablePointer<UInt8>, from start: Int, to limit: Int) -> Int? {
    var first = start
    while first < limit, base[first] == 0 { first += 1 }
    if first == start, limit - start > 1, base[start + 1] == UInt8(ascii: "{") { first += 1 }
    if first > start { return first < limit && isDocument(base, first..<limit) ? first : nil }
    guard limit - start > 4, base[start] == UInt8(ascii: "{"), base[start + 1] == UInt8(ascii: "\""),
      let quote = memchr(base + start + 2, Int32(UInt8(ascii: "\"")), min(Self.longestName, limit - start - 2))
    else { return nil }
    let length = quote.assumingMemoryBound(to: UInt8.self) - (base + start) + 1
    if let brace = memchr(base + start + 2, Int32(UInt8(ascii: "{")), length - 3) {
      let offset = brace.assumingMemoryBound(to: UInt8.self) - base
      if isDocument(base, offset..<limit) { return offset }
    }
    var at = start + length
    var tries = 0
    while tries < Self.maximumTries, limit - at > length,
      let brace = memchr(base + at, Int32(UInt8(ascii: "{")), limit - at - length)
    {
      at = brace.assumingMemoryBound(to: UInt8.self) - base
      if memcmp(base + at, base + start, length) == 0 {
        tries += 1
        if isDocument(base, at..<limit) { return at }
      }
      at += 1
    }
    return nil
  }

  /// Where the whole object ends that starts at `start`, after white space; `nil` if none does.
  mutating func documentEnd(in base: UnsafeMutablePointer<UInt8>, from start: Int, to limit: Int) -> Int? {
    var first = start
    while first < limit, base[first].isJSONSpace { first += 1 }
    guard first < limit, base[first] == UInt8(ascii: "{") else { return nil }
    var (at, depth, isText) = (first, 0, false)
    while at < limit {
      switch base[at] {
      case UInt8(ascii: "\"") where isText: isText = false
      case UInt8(ascii: "\\") where isText: at += 1
      // No text has a line break.
      case 0x0A where isText: return nil
      case _ where isText: break
      case UInt8(ascii: "\""): isText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return isDocument(base, first..<at + 1) ? at + 1 : nil }
      default: break
      }
      at += 1
    }
    return nil
  }

  /// Whether the range holds exactly one whole document. The grammar check stops at the NUL put after it.
  private mutating func isDocument(_ base: UnsafeMutablePointer<UInt8>, _ range: Range<Int>) -> Bool {
    let after = base[range.upperBound]
    base[range.upperBound] = 0
    defer { base[range.upperBound] = after }
    guard index.build(base + range.lowerBound, count: range.count) == nil, case .value(let end) = index.scan(from: 0)
    else { return false }
    return end == index.count
  }
}
