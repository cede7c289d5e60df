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
