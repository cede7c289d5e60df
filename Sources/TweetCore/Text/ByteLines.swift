import Libc

extension UnsafeBufferPointer<UInt8> {
  /// Calls `body` with each line, without its newline, in order. Empty lines count; what follows the last newline is a line
  /// only if it is not empty.
  package func forEachLine(_ body: (Self) -> Void) {
    guard let base = baseAddress else { return }
    var start = 0
    while start < count {
      let found = memchr(base + start, 0x0A, count - start)
      let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? count
      body(Self(start: base + start, count: end - start))
      start = end + 1
    }
  }
}
