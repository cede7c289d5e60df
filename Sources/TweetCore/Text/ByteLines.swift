extension ByteView {
  /// Calls `body` with each line, without its newline, in order. Empty lines count; what follows the last newline is a
  /// line only if it is not empty.
  package func forEachLine(_ body: (Self) -> Void) {
    var start = 0
    while start < count {
      let end = firstIndex(of: UInt8(ascii: "\n"), from: start) ?? count
      body(extracting(start..<end))
      start = end + 1
    }
  }
}
