import Libc
import TweetCore

/// A progress bar on standard error, for the reading of files: only when that is a terminal to which standard output
/// does not go, and when the size of every input is known.
package struct Progress: ~Copyable {
  /// Milliseconds between two drawings: short enough to look alive, long enough to cost nothing.
  private static let interval = 100
  private static let width = 30

  private let total: Int
  /// The bytes of the inputs that were read whole.
  private var finishedBytes = 0
  private let started: Int
  private var drawnAt: Int
  private var isDrawn = false

  /// - Parameters:
  ///   - inputs: paths, `-` being standard input.
  ///   - printsRecords: whether the tool prints on standard output while it reads.
  /// - Returns: `nil` when no bar is to be shown.
  package init?(inputs: [String], printsRecords: Bool = true) {
    guard Diagnostics.erasesRows, isatty(1) == 0 || !printsRecords else { return nil }
    var total = 0
    for path in inputs {
      guard let status = Self.status(path), status.isFile else { return nil }
      total += status.size
    }
    guard total > 0 else { return nil }
    self.total = total
    started = MonotonicClock.milliseconds
    drawnAt = started
  }

  deinit { if isDrawn { Self.clear() } }

  /// Draws the bar when it is time to.
  /// - Parameter offset: how many bytes of the current file were read; below zero when that is not known.
  package mutating func update(offset: @autoclosure () -> Int) {
    let now = MonotonicClock.milliseconds
    guard now - drawnAt >= Self.interval else { return }
    drawnAt = now
    let offset = offset()
    if offset >= 0 { draw(finishedBytes + offset, after: now - started) }
  }

  /// Counts the current file as read.
  package mutating func finish(path: String) {
    finishedBytes += Self.status(path)?.size ?? 0
  }

  private static func status(_ path: String) -> stat? { path == "-" ? stat(of: 0) : stat(of: path) }

  private mutating func draw(_ done: Int, after milliseconds: Int) {
    isDrawn = true
    let part = min(1, Double(done) / Double(total))
    Self.draw(part: part, "\(Int(part * 100))% \(done / 1000 / max(milliseconds, 1)) MB/s")
  }

  /// Draws a bar of which `part`, at most 1, is filled, and a text after it.
  static func draw(part: Double, _ text: String) {
    let filled = Int(part * Double(Self.width))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    write("\r\(Diagnostics.toolName) [\(bar)] \(text)\u{1B}[K")
  }

  /// Removes the bar.
  static func clear() { write("\r\u{1B}[K") }

  private static func write(_ text: String) {
    // If the terminal cannot be written, nothing can be reported.
    text.withBytes { _ = writeAll($0, to: 2) }
  }
}

/// A progress bar on standard error for work that is counted in steps: only when that is a terminal. The tool prints
/// nothing on standard output before ``clear()``.
package final class WorkProgress {
  /// Milliseconds between two drawings, as for ``Progress``.
  private static let interval = 100

  private var drawnAt = MonotonicClock.milliseconds
  private var isDrawn = false

  /// - Returns: `nil` when no bar is to be shown.
  package init?(isQuiet: Bool) { if isQuiet || !Diagnostics.erasesRows { return nil } }

  deinit { clear() }

  /// Draws the bar when it is time to.
  /// - Parameters:
  ///   - done: how many steps are done.
  ///   - all: how many there are; 0 if that is not known.
  ///   - noun: what the steps are, in the plural.
  package func update(_ done: Int, of all: Int, _ noun: String) {
    let now = MonotonicClock.milliseconds
    guard now - drawnAt >= Self.interval else { return }
    drawnAt = now
    isDrawn = true
    let part = all == 0 ? 0 : min(1, Double(done) / Double(all))
    Progress.draw(part: part, all == 0 ? noun : "\(done) of \(all) \(noun)")
  }

  /// Removes the bar.
  package func clear() {
    if isDrawn { Progress.clear() }
    isDrawn = false
  }
}

/// A progress bar on standard error for look-ups: how many of those that were begun have ended. Only when that is a
/// terminal to which standard output does not go.
package struct LookupProgress: ~Copyable {
  /// Milliseconds between two drawings, as for ``Progress``.
  private static let interval = 100

  private let noun: String
  private var begun = 0
  private var ended = 0
  private var drawnAt: Int
  private var isDrawn = false

  /// - Parameter noun: what is looked up, in the plural.
  /// - Returns: `nil` when no bar is to be shown.
  package init?(noun: String) {
    guard Diagnostics.erasesRows, isatty(1) == 0 else { return nil }
    self.noun = noun
    drawnAt = MonotonicClock.milliseconds
  }

  deinit { if isDrawn { Progress.clear() } }

  /// Counts look-ups that begin.
  package mutating func add(_ count: Int) { begun += count }

  /// Counts look-ups that have ended.
  package mutating func finish(_ count: Int) { ended += count }

  /// Draws the bar when it is time to.
  package mutating func draw() {
    let now = MonotonicClock.milliseconds
    guard begun > 0, now - drawnAt >= Self.interval else { return }
    drawnAt = now
    isDrawn = true
    Progress.draw(part: Double(ended) / Double(begun), "\(ended) of \(begun) \(noun)")
  }
}
