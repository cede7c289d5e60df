import Foundation

/// What a test waited for did not happen in time.
package struct NotInTime: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until `isSo`, at most this many seconds and not longer than its test may run; throws ``NotInTime`` then.
package func waitUntil(
  seconds: Double = 60, file: String = #fileID, line: Int = #line, _ isSo: () throws -> Bool
) throws {
  let start = Date()
  let deadline = start.addingTimeInterval(seconds * Sanitizer.slowness)
  while try !isSo() {
    guard Date() < deadline, WaitingTest.current?.isOver != true else {
      throw NotInTime(description: "\(file):\(line): it did not happen in time")
    }
    // Often first, then less often: some look by asking a service that limits that.
    usleep(UInt32(min(max(2000, -start.timeIntervalSinceNow * 1_000_000 / 8), 100_000)))
  }
}
