import Libc
import TweetCore
import TweetNet
import TweetServices

/// Waits for a reader that is behind, and says so when the service may lose patience: X closes streams that are not read
/// ("Consuming streaming data": full buffers are a reason to be disconnected).
struct SlowReader {
  /// Since when nothing was received because nothing could be written, in milliseconds.
  private var since: Int?
  private var toldAt: Int?

  /// So long a service bears with it.
  private static let patience = 10_000
  /// Said at most so often, as X's own FALLING_BEHIND is.
  private static let pause = 300_000

  /// The reader has taken enough.
  mutating func hasTaken() { since = nil }

  /// Waits until the reader takes something, a signal comes, or it is time.
  ///
  /// - Parameters:
  ///   - deadline: when to come back at the latest.
  ///   - isConnected: whether a connection is open that is not read meanwhile.
  mutating func wait(_ writer: inout FeedWriter, until deadline: Int?, isConnected: Bool) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    let since = self.since ?? now
    self.since = since
    let isQuiet = !isConnected || toldAt.map { now - $0 < Self.pause } == true
    if !isQuiet, now - since >= Self.patience {
      toldAt = now
      var notice = Notice(
        .warning, "slow-reader",
        "the reader of the output has held it up for \((now - since) / 1000) s: the service may close the connection")
      notice.add("wait", milliseconds: now - since)
      return try writer.write(notice)
    }
    let due = [deadline, isQuiet ? nil : since + Self.patience].compactMap { $0 }.min()
    var entries = [
      pollfd(fd: writer.destination, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&entries, 2, due.map { Int32(max(0, min($0 - now, 3_600_000))) } ?? -1)
  }
}
