import TweetCore

/// A tweet's poll: a row for each option with its share of the votes, and one with the number of votes and the end.
struct PollRows {
  private static let barColumns = 10
  private static let longestLabel = 256

  private let poll: PollFields

  init(_ poll: PollFields) { self.poll = poll }

  /// - Parameter now: the time that the poll's end is seen from.
  func append(
    to text: inout StyledText, glyphs: Glyphs, locale: ReaderLocale, times: TimeForm, now: Timestamp,
    decoder: inout StringDecoder
  ) {
    for option in poll.options {
      if !text.isEmpty { text.append("\n", .plain) }
      appendBar(poll.share(of: option), glyphs, locale, to: &text)
      text.bytes.append(" ")
      Printable.append(decoder.decode(option.label, limit: Self.longestLabel), to: &text.bytes)
      let isWinner = poll.isWinner(option)
      text.mark(isWinner ? .name : .plain)
      if isWinner {
        text.bytes.append(glyphs.glue)
        text.append(glyphs.ok, .good)
      }
    }
    text.append("\n", .plain)
    poll.appendState(locale, to: &text.bytes) { end, bytes in
      // No form says how long it is until a time.
      locale.append(end, as: times == .relative ? .clock : times, now: now, to: &bytes)
    }
    text.mark(.dim)
  }

  /// `███░░░░░░░  30%`.
  private func appendBar(_ share: Double, _ glyphs: Glyphs, _ locale: ReaderLocale, to text: inout StyledText) {
    let full = Int((share * Double(Self.barColumns)).rounded())
    for column in 0..<Self.barColumns { text.bytes.append(column < full ? glyphs.barFull : glyphs.barEmpty) }
    text.mark(.tag)
    let percent = Int((share * 100).rounded())
    let start = text.count
    locale.append(percent: 100, to: &text.bytes)
    let widest = DisplayWidth.of(text.view(from: start))
    text.bytes.truncate(to: start)
    locale.append(percent: percent, to: &text.bytes)
    let width = DisplayWidth.of(text.view(from: start))
    text.bytes.truncate(to: start)
    for _ in width...widest { text.bytes.append(" ") }
    locale.append(percent: percent, to: &text.bytes)
    text.mark(.plain)
  }
}
