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
      var status = stat()
      let result = path == "-" ? fstat(0, &status) : stat(path, &status)
      guard result == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      total += Int(status.st_size)
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
    var status = stat()
    if (path == "-" ? fstat(0, &status) : stat(path, &status)) == 0 { finishedBytes += Int(status.st_size) }
  }

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
