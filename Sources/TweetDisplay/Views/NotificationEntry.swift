package import TweetCore

/// A notification in a list: a row that says who did what and when, and one with the first words of the tweet that it
/// is about, beside the block of who did it. It has the rows of a ``ListEntry``.
package struct NotificationEntry: ~Copyable {
  private let style: TerminalStyle
  private let locale: ReaderLocale
  private let times: TimeForm
  private var layout: BlockLayout
  private var names: AuthorText
  private var text = StyledText()

  package init(_ style: TerminalStyle, locale: ReaderLocale, times: TimeForm, blocks: AuthorBlocks) {
    self.style = style
    self.locale = locale
    self.times = times
    layout = BlockLayout(style, blocks)
    names = AuthorText(style)
  }

  /// Lays out a notification.
  /// - Parameters:
  ///   - now: the time that its own is seen from.
  ///   - width: in columns.
  package mutating func append(
    _ notification: NotificationFields, now: Timestamp, width: Int, to rows: inout BlockRows
  ) {
    layout.begin(width: width, &rows)
    names.appendName(notification.user, to: &text)
    layout.startBlock(of: notification.user, name: text.view(from: 0), &rows)
    text.removeAll()
    notification.appendDeed(to: &text, style: style, locale: locale)
    if let time = notification.time {
      text.bytes.append(" ")
      text.bytes.append(style.glyphs.separator)
      text.bytes.append(" ")
      locale.append(time, as: times, now: now, to: &text.bytes)
      text.mark(.dim)
    }
    layout.addBeginning(text, ellipsis: style.glyphs.ellipsis, to: &rows)
    text.removeAll()
    let room = layout.textWidth
    _ = notification.appendWords(to: &text, most: { room - DisplayWidth.widest(of: $0) }, style: style)
    text.mark(.plain)
    layout.addBeginning(text, ellipsis: style.glyphs.ellipsis, to: &rows)
    text.removeAll()
  }
}
