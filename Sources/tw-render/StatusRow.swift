import TweetCore
import TweetDisplay

/// The last row of a terminal: how the last poll round went and when the next one comes.
///
/// It must be wiped before anything else is written.
struct StatusRow {
  private let clock = HumanTime()
  private var status: Status?

  private struct Status {
    let text: [UInt8]
    let next: Timestamp?
    /// The seconds to the next round as they are shown; `nil` once its time has come.
    var secondsLeft: Int64?

    /// Whole seconds to the next round, rounded up.
    func seconds(at now: Timestamp) -> Int64? {
      guard let next, next > now else { return nil }
      return (next.milliseconds - now.milliseconds + 999) / 1000
    }
  }

  /// Shows `3 new at 21:30, next in 42 s`, until it is wiped.
  /// - Parameter refresh: a `refresh` record.
  mutating func show(_ refresh: JSONValue, to output: inout ByteBuffer) {
    var text = ByteBuffer(capacity: 64)
    text.append(decimal: refresh["new"]?.looseInteger ?? 0)
    text.append(" new")
    if let time = refresh["at"].flatMap({ Timestamp(ascii: $0.rawString) }) {
      text.append(" at ")
      clock.appendClock(time, to: &text)
    }
    let next = refresh["next_at"].flatMap { Timestamp(ascii: $0.rawString) }
    write(Status(text: text.array, next: next), to: &output)
  }

  private mutating func write(_ status: Status, to output: inout ByteBuffer) {
    wipe(&output)
    var status = status
    output.append(status.text)
    if let next = status.next {
      status.secondsLeft = status.seconds(at: .shown)
      output.append(", next ")
      if let seconds = status.secondsLeft {
        output.append("in \(seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s")")
      } else {
        output.append("at ")
        clock.appendClock(next, to: &output)
      }
    }
    self.status = status
  }

  /// Rewrites the row if its countdown has changed.
  /// - Returns: the milliseconds until it changes again; `nil` if nothing counts down.
  mutating func update(_ output: inout ByteBuffer) -> Int32? {
    guard let status, let next = status.next, let shown = status.secondsLeft else { return nil }
    let now = Timestamp.shown
    if status.seconds(at: now) != shown { write(status, to: &output) }
    let left = next.milliseconds - now.milliseconds
    return left > 0 ? Int32(left % 1000 + 1) : nil
  }

  /// Removes the row from the terminal.
  mutating func wipe(_ output: inout ByteBuffer) {
    guard status != nil else { return }
    // Erases the row (ECMA-48 EL), which every terminal that moves its cursor can.
    output.append("\r\u{1B}[K")
    status = nil
  }
}
