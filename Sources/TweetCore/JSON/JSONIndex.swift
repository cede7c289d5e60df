import CSimdjson

/// Where the structure of some JSON text is: simdjson's structural index, and which bracket closes which.
///
/// Stage 1 (``build(_:count:)``) checks UTF-8 and finds every bracket, colon, comma, opening quote and first byte of a
/// scalar at several GB/s. ``scan(from:)`` then checks the grammar of one document and pairs its brackets. Nothing is
/// copied: a ``JSONValue`` is a number in this index, and its bytes are a range of the text.
///
/// The index owns neither the text nor keeps it: whoever holds both must keep the text in place until the next build.
package struct JSONIndex: ~Copyable {
  /// simdjson's own default limit, so that the two agree on what is too deep.
  static let maximumDepth = 1024
  /// How many readable bytes must follow the text: simdjson reads in blocks of 64.
  package static let padding = 64

  private let handle: OpaquePointer
  private let mostParts: Int
  /// Offsets of the structural bytes, ended by the text's length.
  package private(set) var positions: UnsafeMutablePointer<UInt32>
  /// For an opening bracket's place in ``positions``, the place of the bracket that closes it.
  package private(set) var matches: UnsafeMutablePointer<UInt32>
  private var matchCapacity = 1024
  /// How many structural bytes there are.
  private(set) var count = 0
  private var text: UnsafePointer<UInt8>

  /// - Parameter mostParts: how many structural bytes a text may have; the memory it takes is eight times that.
  init(mostParts: Int = .max) {
    self.mostParts = mostParts
    // Swift's own allocations end the process when there is no memory; so does this one of a few bytes.
    guard let handle = tw_index_new() else { fatalError("no memory for a JSON index") }
    self.handle = handle
    matches = .allocate(capacity: matchCapacity)
    positions = matches
    text = UnsafePointer(UnsafeMutableRawPointer(matches).assumingMemoryBound(to: UInt8.self))
  }

  deinit {
    tw_index_free(handle)
    matches.deallocate()
  }

  /// Indexes `length` bytes, which ``padding`` readable bytes must follow, the first of them NUL or a line end. `nil`
  /// means all is well.
  mutating func build(_ bytes: UnsafePointer<UInt8>, count length: Int) -> JSONFault? {
    var found = 0
    var start: UnsafeMutablePointer<UInt32>?
    count = 0
    let result = tw_index_build(handle, bytes, length, mostParts, &start, &found)
    switch Int(result) {
    case TW_INDEX_OK: break
    case TW_INDEX_EMPTY: return .empty
    case TW_INDEX_UTF8: return .badUTF8
    case TW_INDEX_CONTROL: return .controlCharacter
    case TW_INDEX_UNCLOSED: return .unclosedString
    case TW_INDEX_DENSE: return .tooManyParts
    default: return .tooLarge
    }
    guard let start else { return .tooLarge }
    if matchCapacity < found + 2 {
      matches.deallocate()
      matchCapacity = found + found / 2 + 2
      matches = .allocate(capacity: matchCapacity)
    }
    positions = start
    count = found
    text = bytes
    return nil
  }

  /// Checks `length` bytes, which must hold just one JSON value; lone surrogate escapes become U+FFFD in place. Else as
  /// ``build(_:count:)``.
  mutating func check(_ bytes: UnsafeMutablePointer<UInt8>, count length: Int) -> JSONFault? {
    if let fault = build(bytes, count: length) { return fault }
    let text = UnsafeMutableBufferPointer(start: bytes, count: length)
    switch JSONEscapes.check(UnsafeBufferPointer(text)) {
    case .nothing: break
    case .halfPair: JSONEscapes.mend(text)
    case .fault: return .badEscape
    }
    return checkOneValue()
  }

  /// The same for bytes whose escapes were checked, and need no mending.
  mutating func checkGrammar(_ bytes: UnsafePointer<UInt8>, count length: Int) -> JSONFault? {
    build(bytes, count: length) ?? checkOneValue()
  }

  private borrowing func checkOneValue() -> JSONFault? {
    switch scan(from: 0) {
    case .fault(let fault): fault
    case .value(let end): end == count ? nil : .badGrammar
    }
  }

  /// How one document's check ended: where the next one starts, or what was wrong.
  enum Scan {
    case value(end: Int)
    case fault(JSONFault)
  }

  /// Checks the one value that starts at structural byte `first` and pairs its brackets.
  borrowing func scan(from first: Int) -> Scan {
    var walk = GrammarWalk(text: text, positions: positions, matches: matches, at: first)
    if let fault = walk.run() { return .fault(walk.at >= count ? .cutOff : fault) }
    return .value(end: walk.at)
  }

  /// The value whose first byte is structural byte `place`. It must lie in a document that ``scan(from:)`` accepted.
  @inline(__always)
  package borrowing func value(at place: Int) -> JSONValue {
    JSONValue(
      text: text, positions: positions, matches: UnsafePointer(matches), place: UInt32(truncatingIfNeeded: place))
  }

  /// Copies the document whose first byte is structural byte `first`, an object or an array, and has the index of it mean
  /// the copy: the text keeps its bytes, and no second index is needed. The document must be one that ``scan(from:)``
  /// accepted.
  /// - Parameters:
  ///   - isCompact: whether the white space between its parts is left out.
  ///   - copy: what is replaced by the copy; it must stay as it is for as long as the value is used.
  mutating func move(documentAt first: Int, isCompact: Bool, to copy: inout ByteBuffer) -> JSONValue {
    let value = value(at: first)
    let places = first..<Int(value.next)
    copy.removeAll()
    if isCompact {
      for place in places {
        let part = self.value(at: place).part
        positions[place] = UInt32(truncatingIfNeeded: copy.count)
        copy.append(part)
      }
    } else {
      let start = positions[first]
      copy.append(value.raw)
      for place in places { positions[place] -= start }
    }
    let text = copy.withBytes { $0.baseAddress } ?? UnsafePointer(self.text)
    return JSONValue(
      text: text, positions: positions, matches: UnsafePointer(matches), place: UInt32(truncatingIfNeeded: first))
  }
}

/// One grammar check. The list of open brackets lives in the match table itself: until a bracket is closed its entry
/// holds the bracket around it.
private struct GrammarWalk {
  package let text: UnsafePointer<UInt8>
  package let positions: UnsafePointer<UInt32>
  package let matches: UnsafeMutablePointer<UInt32>
  var at: Int

  private static let none = UInt32.max

  /// Walks one value, `at` ending behind it. The NUL or line end behind the text ends every state that expects
  /// more.
  mutating func run() -> JSONFault? {
    // In locals, since what is behind a pointer may change with every store: the walk is in every tool's hot path.
    var at = self.at
    var open = Self.none
    var depth = 0
    defer { self.at = at }
    var isObject = false
    while true {
      // A value starts here.
      let byte = byte(at)
      if byte == UInt8(ascii: "\"") {
        at &+= 1
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth &+= 1
        isObject = byte == UInt8(ascii: "{")
        matches[at] = open
        open = UInt32(truncatingIfNeeded: at)
        at &+= 1
        if depth > JSONIndex.maximumDepth { return .tooDeep }
        if !isObject {
          if self.byte(at) != UInt8(ascii: "]") { continue }
        } else if self.byte(at) != UInt8(ascii: "}") {
          if !member(&at) { return .badGrammar }
          continue
        }
      } else {
        if let fault = scalar(at, byte) { return fault }
        at &+= 1
      }
      // A value has ended here, or an empty container waits to be closed.
      while true {
        if open == Self.none { return nil }
        let byte = self.byte(at)
        if byte == UInt8(ascii: ",") {
          at &+= 1
          if isObject, !member(&at) { return .badGrammar }
          break
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return .badGrammar }
        let parent = matches[Int(open)]
        matches[Int(open)] = UInt32(truncatingIfNeeded: at)
        open = parent
        depth &-= 1
        at &+= 1
        isObject = open != Self.none && self.byte(Int(open)) == UInt8(ascii: "{")
      }
    }
  }

  @inline(__always)
  private func byte(_ place: Int) -> UInt8 { text[Int(positions[place])] }

  /// A key and its colon.
  @inline(__always)
  private func member(_ at: inout Int) -> Bool {
    guard byte(at) == UInt8(ascii: "\"") else { return false }
    at &+= 1
    guard byte(at) == UInt8(ascii: ":") else { return false }
    at &+= 1
    return true
  }

  /// The number or word at structural byte `place`, by its first byte.
  @inline(__always)
  private func scalar(_ place: Int, _ byte: UInt8) -> JSONFault? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number(place) ? nil : .badNumber
    case UInt8(ascii: "t"): word(place, 0x6575_7274, 4) ? nil : .badLiteral
    case UInt8(ascii: "n"): word(place, 0x6C6C_756E, 4) ? nil : .badLiteral
    case UInt8(ascii: "f"): word(place, 0x736C_6166, 5) ? nil : .badLiteral
    default: .badGrammar
    }
  }

  /// `true`, `false` or `null`: the first four bytes as a little-endian number, an `e` behind a `false`.
  @inline(__always)
  private func word(_ place: Int, _ expected: UInt32, _ length: Int) -> Bool {
    let start = text + Int(positions[place])
    let four = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    guard UInt32(littleEndian: four) == expected, length == 4 || start[4] == UInt8(ascii: "e") else { return false }
    return ends(place, start + length)
  }

  /// RFC 8259 §6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  @inline(__always)
  private func number(_ place: Int) -> Bool {
    var byte = text + Int(positions[place])
    if byte.pointee == UInt8(ascii: "-") { byte += 1 }
    if byte.pointee == UInt8(ascii: "0") {
      byte += 1
    } else if !digits(&byte) {
      return false
    }
    if byte.pointee == UInt8(ascii: ".") {
      byte += 1
      if !digits(&byte) { return false }
    }
    if byte.pointee | 0x20 == UInt8(ascii: "e") {
      byte += 1
      if byte.pointee == UInt8(ascii: "+") || byte.pointee == UInt8(ascii: "-") { byte += 1 }
      if !digits(&byte) { return false }
    }
    return ends(place, byte)
  }

  @inline(__always)
  private func digits(_ byte: inout UnsafePointer<UInt8>) -> Bool {
    let first = byte
    while true {
      // Eight bytes at once: how many of them are digits is counted, not guessed.
      let word = UInt64(littleEndian: UnsafeRawPointer(byte).loadUnaligned(as: UInt64.self))
      let excess = word ^ 0x3030_3030_3030_3030
      let others = (excess | (excess &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0
      byte += others.trailingZeroBitCount >> 3
      if others != 0 { return byte > first }
    }
  }

  /// Whether the scalar at structural byte `place` can end here. A NUL is an end only where it is the text's.
  @inline(__always)
  private func ends(_ place: Int, _ byte: UnsafePointer<UInt8>) -> Bool {
    switch byte.pointee {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: true
    case 0: byte == text + Int(positions[place + 1])
    default: false
    }
  }
}
