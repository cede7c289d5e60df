import TweetCore
import TweetDisplay

/// Draws the entries of notifications.
final class NotificationPainter {
  private var entry: NotificationEntry

  init(_ look: ScreenStyle) {
    entry = NotificationEntry(look.style, locale: look.locale, times: .relative, blocks: look.entryBlocks)
  }

  /// Appends the two rows of a `notification` record.
  func append(_ record: JSONDocument, now: Timestamp, width: Int, to rows: inout BlockRows) {
    record.read { entry.append(NotificationFields($0), now: now, width: width, to: &rows) }
  }
}
