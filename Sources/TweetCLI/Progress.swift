import Libc
import TweetCore

/// How far the reading of files has come, as a line on standard error that draws itself over: only where that is a
/// terminal that nothing else writes to, and where the size of all inputs is known.
package struct Progress: ~Copyable {
  /// Milliseconds between two drawings: often enough to look alive, seldom enough to cost nothing.
  private static let interval = 100
  private static let width = 30

  private let total: Int
  /// Bytes of the inputs read whole.
  private var behind = 0
  private let started: Int
  private var drawnAt: Int
  private var isDrawn = false

  /// - Parameter inputs: paths, `-` being standard input; `nil` comes back when no bar is to be shown.
  package init?(inputs: [String]) {
    guard isatty(2) == 1, isatty(1) == 0 else { return nil }
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

  deinit { if isDrawn { Self.write("\r\u{1B}[K") } }

  /// Draws when it is time to.
  /// - Parameter place: the bytes read of the file at hand; below zero when nobody knows.
  package mutating func update(place: @autoclosure () -> Int) {
    let now = MonotonicClock.milliseconds
    guard now - drawnAt >= Self.interval else { return }
    drawnAt = now
    let place = place()
    if place >= 0 { draw(behind + place, after: now - started) }
  }

  /// The file at hand is read.
  package mutating func finish(path: String) {
    var status = stat()
    if (path == "-" ? fstat(0, &status) : stat(path, &status)) == 0 { behind += Int(status.st_size) }
  }

  private mutating func draw(_ done: Int, after milliseconds: Int) {
    isDrawn = true
    let part = min(1, Double(done) / Double(total))
    let filled = Int(part * Double(Self.width))
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    let speed = done / 1000 / max(milliseconds, 1)
    let percent = Int(part * 100)
    Self.write("\r\(Diagnostics.toolName) [\(bar)] \(percent)% \(speed) MB/s\u{1B}[K")
  }

  private static func write(_ text: String) {
    var text = text
    // Where a terminal cannot be written nothing can be said either.
    text.withUTF8 { _ = writeAll($0, to: 2) }
  }
}
