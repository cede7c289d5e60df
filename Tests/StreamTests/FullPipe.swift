import Foundation
import Synchronization

/// A pipe that takes no byte until its reader drains it.
final class FullPipe: Sendable {
  let writing: Int32
  private let reading: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    (reading, writing) = (ends[0], ends[1])
    #if os(Linux)
      // F_SETPIPE_SZ: as large as an OutputQueue makes it.
      _ = fcntl(writing, 1031, 1 << 20)
    #endif
    let flags = fcntl(writing, F_GETFL)
    _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
    let filling = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 16)
    while write(writing, filling, filling.count) > 0 {}
    _ = fcntl(writing, F_SETFL, flags)
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Reads what is in it.
  func drain() {
    _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while read(reading, &bytes, bytes.count) > 0 {}
  }
}
