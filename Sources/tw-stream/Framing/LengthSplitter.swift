import TweetCore

/// Finds the messages of a stream in which a line before each message gives its length in bytes, its `\r\n` included
/// (X API v1.1, "Processing streaming data", `delimited=length`).
///
/// A length is trusted if the message ends where it says. No message has `\r\n` inside, so if a length is missing or
/// wrong that end is searched for instead, and the next line of digits is a length again.
struct LengthSplitter: Sendable {
  private enum State {
    /// A length comes, or an empty line.
    case length
    /// A message of this many bytes comes.
    case message(Int)
    /// All announced bytes of a message are there, without an end: it must follow.
    case end(of: Int)
    /// A message of unknown length comes, up to its `\r\n`.
    case toEnd
    /// What comes is discarded up to the next `\r\n`; how many bytes were discarded so far, if the sum is to be
    /// reported.
    case skipping(Int?)
  }

  private let maxMessage: Int
  private var state = State.length
  /// The beginning of a message or a length, whose end has not come.
  private var partial: [UInt8] = []
  /// How many of them were searched for a newline.
  private var searched = 0
  /// Where the message that comes may end before its length says; `nil` once it is known to be no JSON.
  private var early: ValueEnd? = ValueEnd()
  /// A missing length was reported, and no length was right since.
  private var isOutOfStep = false

  init(maxMessage: Int) { self.maxMessage = maxMessage }

  var isMidMessage: Bool {
    if case .length = state { !partial.isEmpty } else { true }
  }

  mutating func reset() { self = LengthSplitter(maxMessage: maxMessage) }

  mutating func append<E: Error>(
    _ bytes: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) {
    if partial.isEmpty {
      let used = try split(bytes, body)
      partial.append(contentsOf: bytes[used...])
    } else {
      var whole: [UInt8] = []
      swap(&whole, &partial)
      whole.append(contentsOf: bytes)
      let used = try whole.withBytes { (whole) throws(E) in try split(whole, body) }
      whole.removeFirst(used)
      partial = whole
    }
  }

  /// Calls `body` for each piece that the bytes complete.
  /// - Returns: how many bytes that used.
  private mutating func split<E: Error>(
    _ bytes: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int {
    var start = 0
    while start < bytes.count {
      let input = bytes.extracting(start...)
      let used =
        switch state {
        case .length: try parseLength(input, body)
        case .message(let length): try parseMessage(of: length, input, body)
        case .end(let length): try parseEnd(after: length, input, body)
        case .toEnd: try parseToEnd(input, body)
        case .skipping(let count): try skip(after: count, input, body)
        }
      guard let used else {
        searched = max(searched, input.count)
        break
      }
      start += used
      if used > 0 { searched = 0 }
    }
    return start
  }

  // Each of these returns how many bytes it used, or `nil` when it needs more.

  private mutating func parseLength<E: Error>(
    _ input: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int? {
    guard let newline = MessageSplitter.newline(in: input, from: searched) else {
      let canBeLength = input.count <= Self.longestLength || input.allSatisfy { $0.isASCIIDigit || Self.isSpace($0) }
      if canBeLength, input.count <= Self.longestLine { return nil }
      return try reportMissingLength(body)
    }
    let line = Self.trimmed(input[..<newline])
    if line.isEmpty {
      try body(.keepAlive)
      return newline + 1
    }
    guard line.allSatisfy(\.isASCIIDigit) else { return try reportMissingLength(body) }
    let length = line.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), .max / 16) }
    if length > maxMessage {
      try body(.tooLong(length))
      state = .skipping(nil)
    } else if length > 0 {
      state = .message(length)
      early = ValueEnd()
    }
    return newline + 1
  }

  /// Digits of the largest number a machine holds.
  private static let longestLength = 20
  /// White space and digits longer than this are no length.
  private static let longestLine = 1024

  /// What comes is a message of unknown length.
  private mutating func reportMissingLength<E: Error>(
    _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int {
    if !isOutOfStep { try body(.wrongLength("a message came without its length")) }
    isOutOfStep = true
    state = .toEnd
    return 0
  }

  private mutating func parseMessage<E: Error>(
    of length: Int, _ input: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int? {
    // The message ends before its length says: the length is too large, unless these bytes alone are no JSON.
    while let newline = MessageSplitter.newline(in: input, from: searched), newline + 1 < length {
      searched = newline + 1
      guard newline > 0, input[newline - 1] == UInt8(ascii: "\r"), endsEarly(input[..<newline]) else { continue }
      try body(.wrongLength("a message of \(newline + 1) bytes was announced as one of \(length)"))
      try emit(input[..<newline], body)
      return newline + 1
    }
    guard input.count >= length else { return nil }
    guard input[length - 1] == UInt8(ascii: "\n") else {
      state = .end(of: length)
      return 0
    }
    isOutOfStep = false
    try emit(input[..<length], body)
    return length
  }

  /// Whether a message is whole before its announced end. Of each message, however many lines it has, one is parsed at
  /// most.
  private mutating func endsEarly(_ text: Slice<ByteView>) -> Bool {
    guard let place = early?.look(text) else { return false }
    switch place {
    case .before, .inside: return false
    case .balanced where Self.isJSON(text): return true
    case .balanced, .broken:
      early = nil
      return false
    }
  }

  /// Some services do not count a message's end.
  private mutating func parseEnd<E: Error>(
    after length: Int, _ input: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int? {
    let tail = input[length...].prefix(2)
    if tail.isEmpty || tail.elementsEqual([UInt8(ascii: "\r")]) { return nil }
    let end =
      tail.first == UInt8(ascii: "\n") ? 1 : tail.elementsEqual([UInt8(ascii: "\r"), UInt8(ascii: "\n")]) ? 2 : 0
    guard end > 0 else {
      try body(.wrongLength("a message goes on after the \(length) bytes that were announced"))
      isOutOfStep = true
      state = .toEnd
      return 0
    }
    isOutOfStep = false
    try emit(input[..<length], body)
    return length + end
  }

  private mutating func parseToEnd<E: Error>(
    _ input: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int? {
    while let newline = MessageSplitter.newline(in: input, from: searched) {
      searched = newline + 1
      guard newline > 0, input[newline - 1] == UInt8(ascii: "\r") else { continue }
      if newline - 1 > maxMessage {
        try body(.tooLong(newline - 1))
        state = .length
      } else {
        try emit(input[..<newline], body)
      }
      return newline + 1
    }
    guard input.count > maxMessage + 1 else { return nil }
    state = .skipping(0)
    return 0
  }

  private mutating func skip<E: Error>(
    after count: Int?, _ input: ByteView, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) -> Int? {
    while let newline = MessageSplitter.newline(in: input, from: searched) {
      searched = newline + 1
      guard newline > 0, input[newline - 1] == UInt8(ascii: "\r") else { continue }
      state = .length
      if let count { try body(.tooLong(count + newline - 1)) }
      return newline + 1
    }
    // The last byte may be half of an end.
    guard input.count > 1 else { return nil }
    state = .skipping(count.map { $0 + input.count - 1 })
    return input.count - 1
  }

  private mutating func emit<E: Error>(
    _ message: Slice<ByteView>, _ body: (MessageSplitter.Piece) throws(E) -> Void
  ) throws(E) {
    state = .length
    let message = Self.trimmed(message)
    if !message.isEmpty { try MessageSplitter.emitOnOneLine(message, body) }
  }

  // MARK: Bytes

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Without white space at its ends.
  private static func trimmed(_ line: Slice<ByteView>) -> ByteView {
    guard let last = line.lastIndex(where: { !isSpace($0) }) else { return .empty }
    return ByteView(rebasing: line[...last].drop(while: isSpace))
  }

  /// Whether the bytes are one whole JSON text.
  private static func isJSON(_ bytes: Slice<ByteView>) -> Bool {
    do throws(JSONFault) {
      _ = try JSONDocument(Array(bytes))
      return true
    } catch {
      return false
    }
  }
}
