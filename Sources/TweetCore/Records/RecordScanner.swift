/// Finds the JSON documents in a byte stream: one a line, pretty-printed over many lines, one after the other, or as
/// the elements of one array of any length.
///
/// It reads only when it is told to: ``next()`` returns what the bytes at hand hold and asks for more with
/// ``Step/needsInput``, so that a tool can flush its output or poll other descriptors before ``fill()`` blocks. Bad
/// bytes are returned with their line. After them the scanner goes on with the next line that may start a document, so
/// that one that was cut off does not take the whole ones after it along. Memory is bounded by `maxRecord`, not by the
/// input.
package struct RecordScanner: ~Copyable {
  /// What ``next()`` found.
  package enum Step {
    case record(Record)
    case bad(BadRecord)
    /// Call ``fill()``, then ``next()`` again.
    case needsInput
    case end
  }

  /// The part of the window that is indexed, or is to be indexed piece by piece.
  struct Region {
    /// Its first byte, which the index's offsets count from.
    var start = 0
    /// After its last byte; nothing is indexed when that is consumed.
    var end = 0
    /// The first node that is not consumed.
    var node = 0
    /// Up to here one piece after the other is indexed, because all of them together failed.
    var piecewiseEnd = 0
  }

  /// What is known of the input so far. Another input starts with a new one.
  struct State {
    var region = Region()
    var newline = LastByteSearch(0x0A)
    var bracket = LastByteSearch(UInt8(ascii: "}"))
    var incomplete = IncompleteDocument()
    var framing = InputFraming()
    /// Whether the current line is dropped up to its end, because its record is too long.
    var isDroppingLine = false
    var endsInside = false
  }

  var window: InputWindow
  private let maxRecord: Int
  var state = State()
  var index: JSONIndex
  private var search: WholeDocumentSearch
  /// The copy of a document that is not returned as it stands.
  private var copy = ByteBuffer(capacity: 64)

  /// The number of the line that the next byte is on, from 1.
  package var line: Int { window.line }
  /// Whether the input ended within a document or an array, of which something was returned as bad.
  package var endsInside: Bool { state.endsInside }
  /// Whether the rest of the input is what a service wrote.
  package var isForeign: Bool { state.framing.isForeign }
  /// Whether a read has come to the end of the input.
  var hasEnded: Bool { window.hasEnded }
  /// How many bytes were gone over for the document at hand, which was incomplete each time.
  var triedTotal: Int { state.incomplete.triedTotal }

  /// - Parameters:
  ///   - descriptor: what to read; it stays the caller's.
  ///   - name: what messages call it.
  ///   - maxRecord: the largest document in bytes; larger ones are bad, and are returned without being held.
  ///   - firstLine: the number of the line that the first byte is on.
  ///   - head: bytes that were already read; isForeign: whether it is a file of an archive, without records of the kit.
  package init(
    descriptor: Int32, name: String, maxRecord: Int = 16 << 20, firstLine: Int = 1, head: [UInt8] = [],
    isForeign: Bool = false
  ) {
    state.framing = InputFraming(isForeign: isForeign)
    self.maxRecord = maxRecord
    window = InputWindow(descriptor: descriptor, name: name, firstLine: firstLine, head: head)
    let maximumNodes = max(maxRecord, 16 << 20) / Self.leastBytesOfNode
    index = JSONIndex(maximumNodes: maximumNodes)
    search = WholeDocumentSearch(maximumNodes: maximumNodes)
  }

  /// An index takes eight bytes of memory for each node. Real documents have six bytes to a node or more; hostile ones
  /// with less are refused.
  private static var leastBytesOfNode: Int { 6 }

  /// Reads once; waits when the descriptor has nothing yet. A signal that the tool catches ends the wait early.
  package mutating func fill() throws(ToolError) {
    state.region = Region()
    try window.fill()
  }

  /// The next document or bad piece that is at hand.
  package mutating func next() -> Step {
    while true {
      if state.region.end > window.start, let step = nextInRegion() { return step }
      if state.isDroppingLine, let step = dropLine() { return step }
      if window.count == 0, window.hasEnded { return state.framing.isInside ? endInsideArray() : .end }
      guard findRegion() else {
        if let step = refuseLongRecord() { return step }
        return .needsInput
      }
      if let step = indexRegion() { return step }
    }
  }

  private mutating func endInsideArray() -> Step {
    state.framing.leave()
    state.endsInside = true
    return .bad(
      BadRecord(bytes: window.bytes(0, 0), line: window.line, reason: "the input ends inside an array"))
  }

  // MARK: Regions

  /// Finds what to index next: up to the last newline at hand, because no valid document has a token that contains one;
  /// or everything when the input has ended. `false` when there is nothing new to try.
  private mutating func findRegion() -> Bool {
    window.removeTerminator()
    if state.region.piecewiseEnd > window.start {
      state.region.end = window.pieceEnd(from: window.start, limit: state.region.piecewiseEnd)
      return true
    }
    if window.hasEnded {
      state.region.end = window.end
      return window.count > 0
    }
    var end = state.newline.end(in: window)
    // A long line is indexed up to the last closing bracket at hand, so that the elements of an array on one line are
    // returned as they come. The document that this cuts in two is tried again with more.
    if end == window.start, window.count >= min(InputWindow.readSize, maxRecord) { end = state.bracket.end(in: window) }
    state.region.end = end
    return end > window.start
      && state.incomplete.shouldRetry(with: window.bytes(window.start, end), isLast: window.count > maxRecord)
  }

  /// Indexes the region. When that fails as a whole it is indexed piece by piece.
  private mutating func indexRegion() -> Step? {
    window.advance(
      to: window.start + state.framing.preambleLength(of: window.bytes(window.start, window.end)))
    let (start, end) = (window.start, state.region.end)
    (state.region.start, state.region.node) = (start, 0)
    let endsWithNewline = end > start && window.base[end - 1] == 0x0A
    // The newline, a NUL, or the padding after the text stops the grammar check.
    if end < window.end, !endsWithNewline { window.terminate(at: end) }
    switch index.build(window.base + start, count: end - start - (endsWithNewline ? 1 : 0)) {
    case nil: return nil
    case .empty:
      window.consume(to: end)
      return nil
    case .some(let fault):
      window.removeTerminator()
      let isPiece = state.region.piecewiseEnd > start
      // The cut of a long line may have gone through a string: with more at hand it will be elsewhere.
      if !window.hasEnded, !isPiece, !endsWithNewline {
        waitForMore()
        return .needsInput
      }
      if isPiece {
        // What is in doubt begins after the whole document.
        if let whole = search.documentEnd(in: window.base, from: start, to: end), whole < end {
          state.region.end = whole
          return indexRegion()
        }
        if mayGoOn {
          waitForMore()
          return .needsInput
        }
        return badPiece(fault.reason)
      }
      state.region = Region(piecewiseEnd: end)
      return nil
    }
  }

  /// Whether the piece, which could not be indexed, is an object whose end may still come: what belongs to it must not
  /// be taken for a piece of its own.
  private var mayGoOn: Bool {
    let (start, end) = (window.start, state.region.end)
    let first = window.bytes(start, end).first { !$0.isJSONSpace }
    return !window.hasEnded && end == state.region.piecewiseEnd && (first == nil || first == UInt8(ascii: "{"))
      && end - start < maxRecord && window.base[end - 1] == 0x0A
  }

  /// Leaves the document at hand until there is more of it.
  private mutating func waitForMore() {
    state.incomplete.recordTry(of: state.region.end - window.start)
    state.region = Region()
  }

  // MARK: Documents

  /// The next document of the indexed region; `nil` when there is none, or it needs more input.
  private mutating func nextInRegion() -> Step? {
    while state.region.node < index.count {
      let offset = state.region.start + Int(index.offsets[state.region.node])
      window.consume(to: offset)
      if state.framing.isAfterOutbox, state.framing.passOutboxEnd(window.bytes(offset, state.region.end)) {
        consumeToken(at: offset)
        continue
      }
      if let reason = state.framing.fault(before: window.base[offset]) {
        return .bad(BadRecord(bytes: window.bytes(0, 0), line: window.line, reason: reason))
      }
      switch window.base[offset] {
      case UInt8(ascii: "["):
        guard state.framing.openArrays < JSONIndex.maximumDepth else {
          state.framing.leave()
          return badPiece(JSONFault.tooDeep.reason)
        }
        state.framing.openArray()
        consumeToken(at: offset)
      case UInt8(ascii: "]") where state.framing.openArrays > 0:
        state.framing.closeArray()
        consumeToken(at: offset)
        if state.framing.openArrays == 0, state.framing.isOutbox { state.framing.endOutbox() }
      case UInt8(ascii: ",") where state.framing.openArrays > 0:
        state.framing.passComma()
        consumeToken(at: offset)
      case 0xEF where window.bytes(offset, state.region.end).starts(with: InputFraming.mark):
        // The next file, after the one before it: cat(1).
        passMark(at: offset)
      case UInt8(ascii: "{") where state.framing.openArrays == 0:
        guard let array = state.framing.startOutbox(window.bytes(offset, state.region.end)) else { return document() }
        skipNodes(before: offset + array)
        window.consume(to: offset + array)
      case UInt8(ascii: "w"), UInt8(ascii: "G"):
        // The next file of an archive, after the one before it: `unzip -p`, or cat(1).
        guard state.framing.openArrays == 0, let data = assignmentEnd(at: offset) else { return document() }
        skipNodes(before: data)
        window.advance(to: data)
      case UInt8(ascii: ":"), UInt8(ascii: "d"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "r"):
        guard let data = parseEventLine(at: offset) else { return document() }
        skipNodes(before: data)
        window.advance(to: data)
      default:
        return document()
      }
    }
    window.consume(to: state.region.end)
    return nil
  }

  private mutating func consumeToken(at offset: Int) {
    state.region.node += 1
    window.advance(to: offset + 1)
  }

  private mutating func skipNodes(before limit: Int) {
    while state.region.node < index.count, state.region.start + Int(index.offsets[state.region.node]) < limit {
      state.region.node += 1
    }
  }

  private mutating func document() -> Step? {
    switch index.scan(from: state.region.node) {
    case .value(let next):
      let value = index.value(at: state.region.node)
      let source = window.bytes(window.start, value.end - UnsafePointer(window.base))
      var hasPlainEscapes = false
      let escapes = JSONEscapes.check(source, &hasPlainEscapes)
      if escapes == .fault { return badPiece(JSONFault.badEscape.reason) }
      guard source.count <= maxRecord else { return badPiece(tooLong) }
      state.incomplete = IncompleteDocument()
      return record(
        value, source, hasHalfPairs: escapes == .halfPair, hasPlainEscapes: hasPlainEscapes, next: next)
    case .fault(.cutOff) where !window.hasEnded && state.region.end >= state.region.piecewiseEnd:
      waitForMore()
      return nil
    case .fault(let fault):
      if fault == .cutOff, state.region.end == window.end { state.endsInside = true }
      return badPiece(fault.reason)
    }
  }

  /// Consumes a document and returns it: as it stands, or else a copy on one line and without half surrogate pairs. The
  /// input's bytes stay as they are, for a caller that refuses the record.
  private mutating func record(
    _ value: JSONValue, _ source: ByteView, hasHalfPairs: Bool, hasPlainEscapes: Bool, next: Int
  ) -> Step {
    let end = window.start + source.count
    let spansLines = window.firstOffset(of: 0x0A, from: window.start, to: end) != nil
    var root = value
    if spansLines || hasHalfPairs, value.isObject || value.isArray {
      root = index.move(documentAt: state.region.node, isCompact: spansLines, to: &copy)
      if hasHalfPairs { copy.withMutableBytes { JSONEscapes.mend($0) } }
    }
    let record = Record(
      root: root, source: source, line: window.line,
      isElement: state.framing.openArrays > 0 || state.framing.isForeign, hasPlainEscapes: hasPlainEscapes,
      event: state.framing.takeEvent())
    state.region.node = next
    state.framing.passElement()
    if spansLines { window.consume(to: end) } else { window.advance(to: end) }
    return .record(record)
  }

  // MARK: Bad pieces

  private var tooLong: String { "longer than \(maxRecord) bytes (--max-record)" }

  /// Consumes and returns a bad piece. The scanner goes on with the next line that may start a document.
  private mutating func badPiece(_ reason: String) -> Step {
    state.incomplete = IncompleteDocument()
    state.framing.passBadBytes()
    window.consumeEmptyLines(to: state.region.end)
    var limit = window.pieceEnd(from: window.start, limit: state.region.end)
    if let whole = search.offset(in: window.base, from: window.start, to: limit) {
      // An odd quote of the half document may have spoilt the index of what follows: that is indexed anew.
      limit = whole
      state.region.piecewiseEnd = max(state.region.piecewiseEnd, state.region.end)
      state.region.end = whole
    }
    let piece = takePiece(to: limit, reason: reason)
    skipNodes(before: limit)
    return .bad(piece)
  }

  private mutating func takePiece(to limit: Int, reason: String?) -> BadRecord {
    let piece = BadRecord(bytes: window.bytes(window.start, limit), line: window.line, reason: reason)
    window.consume(to: limit)
    return piece
  }

  /// Starts to drop the line when more is at hand of one document than is allowed.
  private mutating func refuseLongRecord() -> Step? {
    guard window.count > maxRecord else { return nil }
    let indent = window.bytes(window.start, window.end).prefix(Self.maximumIndent).prefix(while: \.isJSONSpace).count
    guard window.count - indent > maxRecord else { return nil }
    state.isDroppingLine = true
    state.incomplete = IncompleteDocument()
    return .bad(takePiece(to: window.end, reason: tooLong))
  }

  /// How much white space before a document does not count as a part of it.
  private static let maximumIndent = 1024

  /// Returns the next part of a line that is too long.
  private mutating func dropLine() -> Step? {
    guard window.count > 0 else {
      if window.hasEnded { state.isDroppingLine = false }
      return window.hasEnded ? nil : .needsInput
    }
    let newline = window.firstOffset(of: 0x0A, from: window.start, to: window.end)
    state.isDroppingLine = newline == nil
    return .bad(takePiece(to: newline.map { $0 + 1 } ?? window.end, reason: nil))
  }
}

/// What stands between documents.
extension RecordScanner {
  /// Passes a byte order mark. The token after it may have no node of its own.
  mutating func passMark(at offset: Int) {
    let end = offset + InputFraming.mark.count
    let next = state.region.node + 1
    if next < index.count, Int(index.offsets[next]) == end - state.region.start {
      state.region.node = next
    } else {
      index.offsets[state.region.node] += UInt32(InputFraming.mark.count)
    }
    window.advance(to: end)
  }

  /// Where the value is that a script assigns in the line of `offset`; `nil` for anything but the start of an
  /// assignment of X's archives.
  mutating func assignmentEnd(at offset: Int) -> Int? {
    let rest = window.bytes(offset, state.region.end)
    guard rest.starts(with: "window.".utf8) || rest.starts(with: "Grailbird.".utf8) else { return nil }
    return state.framing.assignmentLength(of: rest).map { offset + $0 }
  }

  /// Reads the line that starts at `offset` as one of an event stream.
  /// - Returns: where its data starts, or its end when it has none for us; `nil` when it is no such line.
  mutating func parseEventLine(at offset: Int) -> Int? {
    guard state.framing.openArrays == 0, offset == 0 || window.base[offset - 1] == 0x0A else { return nil }
    let end = window.firstOffset(of: 0x0A, from: offset, to: state.region.end) ?? state.region.end
    return state.framing.parseEventLine(window.bytes(offset, end)).map { offset + $0 }
  }
}

extension RecordScanner {
  /// Gives back the memory that a long record needed, if it was the last one at hand. For a caller that has copied the
  /// record, and waits before it asks for the next one.
  package mutating func shrink() {
    guard state.region.node >= index.count else { return }
    window.consume(to: state.region.end)
    state.region = Region()
    if window.shrink() { index = JSONIndex(maximumNodes: index.maximumNodes) }
  }
}

/// An input that is read in turns: by a scanner, and in segments, each by a scanner of its own.
extension RecordScanner {
  /// How many bytes ``fill()`` has read.
  package var readCount: Int { window.readCount }

  /// Takes the bytes that were read and not returned, if what begins there could be an input of its own: at the start
  /// of a line, outside of arrays and events.
  /// - Parameter limit: how many bytes it may be at most.
  /// - Returns: the bytes, and the number of their first line. The scanner goes on with ``resume(with:line:)``.
  package mutating func takeRest(upTo limit: Int) -> (bytes: [UInt8], line: Int)? {
    guard !window.hasEnded, window.count <= limit, window.isAtLineStart, !state.isDroppingLine,
      state.framing.isOutside, state.region.piecewiseEnd <= window.start
    else { return nil }
    window.removeTerminator()
    return (Array(window.bytes(window.start, window.end)), window.line)
  }

  /// Goes on with these bytes, and then with what the descriptor has.
  /// - Parameter line: the number of their first line.
  package mutating func resume(with bytes: ByteView, line: Int) {
    state = State(framing: InputFraming(isPreamblePassed: true))
    window.replace(by: bytes, line: line)
  }

  /// Replaces the input by a segment of one, which starts a line. Lines are counted from 1 again.
  /// - Parameter segment: the scanner keeps its memory until ``unload(_:)``, and nothing is copied.
  package mutating func load(_ segment: inout ByteBuffer) {
    state = State(framing: InputFraming(isPreamblePassed: true))
    window.exchange(&segment, isLoading: true)
  }

  /// Gives the memory of a segment back, with the same bytes in it.
  package mutating func unload(_ segment: inout ByteBuffer) { window.exchange(&segment, isLoading: false) }
}
