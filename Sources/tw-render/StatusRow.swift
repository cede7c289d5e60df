import TweetCore
import TweetDisplay

/// The last row of a terminal, with a ``FeedStatus``. It is drawn when there is nothing else to do, and must be wiped
/// before anything else is written.
struct StatusRow {
  var status: FeedStatus
  private let hasColours: Bool
  /// What the row says; `nil` if it is not there.
  private var drawn: [UInt8]?

  init(_ style: TerminalStyle, _ locale: ReaderLocale) {
    status = FeedStatus(style, locale)
    hasColours = style.colours != .none
  }

  /// Draws the row if it is not there, or has changed.
  /// - Parameter width: of the screen, in columns.
  /// - Returns: the milliseconds until it changes again; `nil` if nothing counts down.
  mutating func update(width: Int, _ output: inout ByteBuffer) -> Int32? {
    guard !status.isEmpty else { return nil }
    let now = Timestamp.shown
    var row = ByteBuffer(capacity: 128)
    // The last column stays free, so that the cursor stays on the row.
    status.append(now: now, most: max(width - 1, 1), to: &row)
    if row.array != drawn {
      drawn = row.array
      // At its start, as other programs may have written on the terminal.
      output.append("\r\u{1B}[K")
      if hasColours { output.append("\u{1B}[2m") }
      row.withBytes { output.append($0) }
      if hasColours { output.append("\u{1B}[0m") }
    }
    return status.change(after: now)
  }

  /// Removes the row from the terminal.
  mutating func wipe(_ output: inout ByteBuffer) {
    guard drawn != nil else { return }
    // Erases the row (ECMA-48 EL), which every terminal that moves its cursor can.
    output.append("\r\u{1B}[K")
    drawn = nil
  }
}
