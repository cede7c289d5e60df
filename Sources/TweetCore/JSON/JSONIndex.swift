import CSimdjson

/// Where the tokens of some JSON text start (simdjson's structural index), and which bracket closes which.
///
/// ``build(_:count:)`` runs simdjson's stage 1: it checks UTF-8 and finds every bracket, colon, comma, opening quote
/// and first byte of a scalar at several GB/s. Each of them is a *node*, numbered from 0. ``scan(from:)`` then checks
/// the grammar of one document and pairs its brackets. Nothing is copied: a ``JSONValue`` is a node, and its bytes are
/// a range of the text.
///
/// The index does not own the text. Its owner must not move, change or free the text until the next build.
package struct JSONIndex: ~Copyable {
  /// simdjson's own default limit, so that both refuse the same documents.
  static let maximumDepth = 1024
  /// How many readable bytes must follow the text, because simdjson reads in blocks of 64.
  package static let padding = 64

  private let handle: OpaquePointer
  let maximumNodes: Int
  /// The byte offset of each node; after the last one the text's length.
  package private(set) var offsets: UnsafeMutablePointer<UInt32>
  /// For the node of an opening bracket, the node of the bracket that closes it.
  package private(set) var matches: UnsafeMutablePointer<UInt32>
  private var matchCapacity = 1024
  /// How many nodes there are.
  private(set) var count = 0
  private var text: UnsafePointer<UInt8>

  /// - Parameter maximumNodes: a text with more nodes is refused; the index takes eight bytes of memory for each.
  init(maximumNodes: Int = .max) {
    self.maximumNodes = maximumNodes
    // Swift's own allocations also end the process when there is no memory.
    guard let handle = tw_index_new() else { fatalError("no memory for a JSON index") }
    self.handle = handle
    matches = .allocate(capacity: matchCapacity)
    offsets = matches
    text = UnsafePointer(UnsafeMutableRawPointer(matches).assumingMemoryBound(to: UInt8.self))
  }

  deinit {
    tw_index_free(handle)
    matches.deallocate()
  }

  /// Indexes `length` bytes. ``padding`` readable bytes must follow them, the first of which is NUL or a line end.
  /// - Returns: what is wrong with the text; `nil` when it was indexed.
  mutating func build(_ bytes: UnsafePointer<UInt8>, count length: Int) -> JSONFault? {
    var found = 0
    var start: UnsafeMutablePointer<UInt32>?
    count = 0
    let result = tw_index_build(handle, bytes, length, maximumNodes, &start, &found)
    switch Int(result) {
    case TW_INDEX_OK: break
    case TW_INDEX_EMPTY: return .empty
    case TW_INDEX_UTF8: return .badUTF8
    case TW_INDEX_CONTROL: return .controlCharacter
    case TW_INDEX_UNCLOSED: return .unclosedString
    case TW_INDEX_DENSE: return .tooManyNodes
    default: return .tooLarge
    }
    guard let start else { return .tooLarge }
    if matchCapacity < found + 2 {
      matches.deallocate()
      matchCapacity = found + found / 2 + 2
      matches = .allocate(capacity: matchCapacity)
    }
    offsets = start
    count = found
    text = bytes
    return nil
  }

  /// Indexes and checks `length` bytes, which must hold exactly one JSON value. Lone surrogate escapes are overwritten
  /// with `\ufffd`. ``padding`` readable bytes must follow, as for ``build(_:count:)``.
  /// - Returns: what is wrong with the text; `nil` when it is one JSON value.
  mutating func check(_ bytes: UnsafeMutablePointer<UInt8>, count length: Int) -> JSONFault? {
    if let fault = build(bytes, count: length) { return fault }
    let text = UnsafeMutableBufferPointer(start: bytes, count: length)
    switch JSONEscapes.check(ByteView(start: bytes, count: length)) {
    case .nothing: break
    case .halfPair: JSONEscapes.mend(text)
    case .fault: return .badEscape
    }
    return checkOneValue()
  }

  /// The same for bytes whose escapes were checked before and hold no lone surrogate: nothing is overwritten.
  /// - Returns: the value.
  mutating func value(of bytes: UnsafePointer<UInt8>, count length: Int) throws(JSONFault) -> JSONValue {
    if let fault = build(bytes, count: length) ?? checkOneValue() { throw fault }
    return value(at: 0)
  }

  private borrowing func checkOneValue() -> JSONFault? {
    switch scan(from: 0) {
    case .fault(let fault): fault
    case .value(let end): end == count ? nil : .badGrammar
    }
  }

  /// The result of checking one document: the node after it, or what is wrong with it.
  enum Scan {
    case value(end: Int)
    case fault(JSONFault)
  }

  /// Checks the grammar of the value that starts at node `first` and pairs its brackets.
  borrowing func scan(from first: Int) -> Scan {
    var walk = GrammarWalk(text: text, offsets: offsets, matches: matches, at: first)
    if let fault = walk.run() { return .fault(walk.at >= count ? .cutOff : fault) }
    return .value(end: walk.at)
  }

  /// The value that starts at `node`, in a document that ``scan(from:)`` accepted.
  @inline(__always)
  package borrowing func value(at node: Int) -> JSONValue {
    JSONValue(
      text: text, offsets: offsets, matches: UnsafePointer(matches), node: UInt32(truncatingIfNeeded: node))
  }

  /// Copies the document that starts at node `first`, an object or an array that ``scan(from:)`` accepted, and changes
  /// its offsets to those in the copy. The text keeps its bytes, and no second index is needed.
  /// - Parameters:
  ///   - isCompact: whether to leave out the white space between tokens.
  ///   - copy: its contents are replaced by the copy; it must not change while the returned value is in use.
  mutating func move(documentAt first: Int, isCompact: Bool, to copy: inout ByteBuffer) -> JSONValue {
    let value = value(at: first)
    let nodes = first..<Int(value.next)
    copy.removeAll()
    if isCompact {
      for node in nodes {
        let token = self.value(at: node).token
        offsets[node] = UInt32(truncatingIfNeeded: copy.count)
        copy.append(token)
      }
    } else {
      let start = offsets[first]
      copy.append(value.raw)
      for node in nodes { offsets[node] -= start }
    }
    let text = copy.withBytes { $0.baseAddress } ?? UnsafePointer(self.text)
    return JSONValue(
      text: text, offsets: offsets, matches: UnsafePointer(matches), node: UInt32(truncatingIfNeeded: first))
  }
}

/// The grammar check of one value. It needs no stack of open brackets: until a bracket is closed, its entry in
/// `matches` holds the node of the bracket around it.
private struct GrammarWalk {
  let text: UnsafePointer<UInt8>
  let offsets: UnsafePointer<UInt32>
  let matches: UnsafeMutablePointer<UInt32>
  /// The node that is looked at.
  var at: Int

  private static let none = UInt32.max

  /// Checks one value and leaves `at` at the node after it. The NUL or line end after the text matches nothing that the
  /// grammar expects, so the walk never passes the end.
  mutating func run() -> JSONFault? {
    // In a local variable: the compiler must assume that each store through a pointer changes `self`.
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
          if !skipKey(&at) { return .badGrammar }
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
          if isObject, !skipKey(&at) { return .badGrammar }
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
  private func byte(_ node: Int) -> UInt8 { text[Int(offsets[node])] }

  /// Moves after a key and its colon; `false` when there is none.
  @inline(__always)
  private func skipKey(_ at: inout Int) -> Bool {
    guard byte(at) == UInt8(ascii: "\"") else { return false }
    at &+= 1
    guard byte(at) == UInt8(ascii: ":") else { return false }
    at &+= 1
    return true
  }

  /// Checks the number or word at `node`.
  @inline(__always)
  private func scalar(_ node: Int, _ byte: UInt8) -> JSONFault? {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number(node) ? nil : .badNumber
    case UInt8(ascii: "t"): word(node, 0x6575_7274, 4) ? nil : .badLiteral
    case UInt8(ascii: "n"): word(node, 0x6C6C_756E, 4) ? nil : .badLiteral
    case UInt8(ascii: "f"): word(node, 0x736C_6166, 5) ? nil : .badLiteral
    default: .badGrammar
    }
  }

  /// Whether `true`, `false` or `null` is at `node`. Its first four bytes are `expected`, a little-endian number;
  /// `false` has one more.
  @inline(__always)
  private func word(_ node: Int, _ expected: UInt32, _ length: Int) -> Bool {
    let start = text + Int(offsets[node])
    let four = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
    guard UInt32(littleEndian: four) == expected, length == 4 || start[4] == UInt8(ascii: "e") else { return false }
    return ends(node, start + length)
  }

  /// RFC 8259 §6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  @inline(__always)
  private func number(_ node: Int) -> Bool {
    var byte = text + Int(offsets[node])
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
    return ends(node, byte)
  }

  @inline(__always)
  private func digits(_ byte: inout UnsafePointer<UInt8>) -> Bool {
    let first = byte
    while byte.pointee.isASCIIDigit { byte += 1 }
    return byte > first
  }

  /// Whether the scalar at `node` may end before `byte`. A NUL ends it only at the end of the text.
  @inline(__always)
  private func ends(_ node: Int, _ byte: UnsafePointer<UInt8>) -> Bool {
    switch byte.pointee {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: true
    case 0: byte == text + Int(offsets[node + 1])
    default: false
    }
  }
}
