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
