import CSimdjson

/// Where the structure of some JSON text is: simdjson's structural index, and which bracket closes which.
///
/// Stage 1 (``build(_:count:)``) checks UTF-8 and finds every bracket, colon, comma, opening quote and first byte of a
/// scalar at several GB/s. ``scan(from:)`` then checks the grammar of one document and pairs its brackets. Nothing is
/// copied: a ``JSONValue`` is a number in this index, and its bytes are a range of the text.
///
/// The index owns neither the text nor keeps it: whoever holds both must keep the text in place until the next build.
struct JSONIndex: ~Copyable {
  /// simdjson's own default limit, so that the two agree on what is too deep.
  static let maximumDepth = 1024
  /// How many readable bytes must follow the text: simdjson reads in blocks of 64.
  static let padding = 64

  private let handle: OpaquePointer
  /// Offsets of the structural bytes, ended by the text's length.
  private(set) var positions: UnsafeMutablePointer<UInt32>
  /// For an opening bracket's place in ``positions``, the place of the bracket that closes it.
  private(set) var matches: UnsafeMutablePointer<UInt32>
  private var matchCapacity = 1024
  /// How many structural bytes there are.
  private(set) var count = 0
  private var text: UnsafePointer<UInt8>

  init() {
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

  /// Indexes `length` bytes, which ``padding`` readable bytes must follow, the first of them NUL or a newline. `nil` means
  /// all is well.
  mutating func build(_ bytes: UnsafePointer<UInt8>, count length: Int) -> JSONFault? {
    var found = 0
    var start: UnsafeMutablePointer<UInt32>?
    count = 0
    let result = tw_index_build(handle, bytes, length, &start, &found)
    switch Int(result) {
    case TW_INDEX_OK: break
    case TW_INDEX_EMPTY: return .empty
    case TW_INDEX_UTF8: return .badUTF8
    case TW_INDEX_CONTROL: return .controlCharacter
    case TW_INDEX_UNCLOSED: return .unclosedString
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
  borrowing func value(at place: Int) -> JSONValue {
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

/// The state of one grammar check. The list of open brackets lives in the match table itself: until a bracket is closed
/// its entry holds the bracket around it.
private struct GrammarWalk {
  let text: UnsafePointer<UInt8>
  let positions: UnsafePointer<UInt32>
  let matches: UnsafeMutablePointer<UInt32>
  var at: Int
  var open = GrammarWalk.none
  var depth = 0

  static let none = UInt32.max

  /// Walks one value, `at` ending behind it. The NUL or newline behind the text ends every state that expects
  /// more.
  mutating func run() -> JSONFault? {
    var fault: JSONFault?
    while true {
      // A value starts here.
      switch text[Int(positions[at])] {
      case UInt8(ascii: "\""): at += 1
      case UInt8(ascii: "{"):
        if !push() { return .tooDeep }
        if text[Int(positions[at])] != UInt8(ascii: "}") {
          if !member() { return .badGrammar }
          continue
        }
      case UInt8(ascii: "["):
        if !push() { return .tooDeep }
        if text[Int(positions[at])] != UInt8(ascii: "]") { continue }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        if !number(text + Int(positions[at])) { return .badNumber }
        at += 1
      case UInt8(ascii: "t"):
        if !word(0x6575_7274, 4) { return .badLiteral }
      case UInt8(ascii: "n"):
        if !word(0x6C6C_756E, 4) { return .badLiteral }
      case UInt8(ascii: "f"):
        if !word(0x736C_6166, 5) { return .badLiteral }
      default: return .badGrammar
      }
      // A value has ended here, or an empty container waits to be closed.
      if close(&fault) { return fault }
    }
  }

  /// Closes containers until another value is due (false) or the document has ended (true).
  @inline(__always)
  private mutating func close(_ fault: inout JSONFault?) -> Bool {
    while open != Self.none {
      let isObject = text[Int(positions[Int(open)])] == UInt8(ascii: "{")
      switch text[Int(positions[at])] {
      case UInt8(ascii: ","):
        at += 1
        if !isObject { return false }
        if member() { return false }
        fault = .badGrammar
        return true
      case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"):
        let parent = matches[Int(open)]
        matches[Int(open)] = UInt32(truncatingIfNeeded: at)
        open = parent
        depth -= 1
        at += 1
      default:
        fault = .badGrammar
        return true
      }
    }
    return true
  }

  @inline(__always)
  private mutating func push() -> Bool {
    depth += 1
    matches[at] = open
    open = UInt32(truncatingIfNeeded: at)
    at += 1
    return depth <= JSONIndex.maximumDepth
  }

  /// A key and its colon.
  @inline(__always)
  private mutating func member() -> Bool {
    guard text[Int(positions[at])] == UInt8(ascii: "\"") else { return false }
    at += 1
    guard text[Int(positions[at])] == UInt8(ascii: ":") else { return false }
    at += 1
    return true
  }

  /// `true`, `false` or `null`: the first four bytes as a little-endian number, an `e` behind a `false`.
  @inline(__always)
  private mutating func word(_ expected: UInt32, _ length: Int) -> Bool {
    let start = text + Int(positions[at])
    let four = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    guard UInt32(littleEndian: four) == expected, length == 4 || start[4] == UInt8(ascii: "e") else { return false }
    guard endsScalar(start + length) else { return false }
    at += 1
    return true
  }

  /// RFC 8259 §6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  @inline(__always)
  private func number(_ start: UnsafePointer<UInt8>) -> Bool {
    var byte = start
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
    return endsScalar(byte)
  }

  @inline(__always)
  private func digits(_ byte: inout UnsafePointer<UInt8>) -> Bool {
    let first = byte
    while byte.pointee &- UInt8(ascii: "0") < 10 { byte += 1 }
    return byte > first
  }

  /// Whether the scalar that starts at structural byte `at` can end here. A NUL is an end only where it is the text's.
  @inline(__always)
  private func endsScalar(_ byte: UnsafePointer<UInt8>) -> Bool {
    switch byte.pointee {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: true
    case 0: byte == text + Int(positions[at + 1])
    default: false
    }
  }
}
