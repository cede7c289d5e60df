import Libc
import TweetCore
import TweetNet
import TweetServices

/// Waits for a reader that is behind, and warns when the service may close the connection: X closes streams that are
/// not read ("Consuming streaming data": full buffers are a reason to be disconnected).
struct SlowReader {
  /// Since when nothing was received because nothing could be written, in milliseconds.
  private var since: Int?
  private var warnedAt: Int?

  /// Milliseconds after which it warns.
  private static let patience = 10_000
  /// Milliseconds between warnings; X sends its own FALLING_BEHIND as often.
  private static let pause = 300_000

  /// Records that the reader has taken enough.
  mutating func reset() { since = nil }

  /// Waits until the reader takes something, a signal comes, or the deadline or a warning is due.
  ///
  /// - Parameters:
  ///   - deadline: when to return at the latest.
  ///   - isConnected: whether a connection is open that is not read meanwhile.
  mutating func wait(_ writer: inout FeedWriter, until deadline: Int?, isConnected: Bool) throws(ToolError) {
    let now = MonotonicClock.milliseconds
    let since = self.since ?? now
    self.since = since
    let isQuiet = !isConnected || warnedAt.map { now - $0 < Self.pause } == true
    if !isQuiet, now - since >= Self.patience {
      warnedAt = now
      return try writer.write(
        Notice(
          .warning, "slow-reader",
          "the reader of the output is \((now - since) / 1000) s behind: the service may close the connection"
        )
        .with("wait", milliseconds: now - since))
    }
    let due = [deadline, isQuiet ? nil : since + Self.patience].compactMap { $0 }.min()
    var entries = [
      pollfd(fd: writer.descriptor, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&entries, 2, due.map { Int32(max(0, min($0 - now, MonotonicClock.longestPoll))) } ?? -1)
  }
}
