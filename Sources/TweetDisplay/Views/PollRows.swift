import TweetCore

/// A tweet's poll: a row for each option with its share of the votes, and one with the number of votes and the end.
struct PollRows {
  private static let barColumns = 10
  private static let longestLabel = 256

  private let poll: PollFields

  init(_ poll: PollFields) { self.poll = poll }

  func append(to text: inout StyledText, glyphs: Glyphs, clock: HumanTime, decoder: inout StringDecoder) {
    for option in poll.options {
      if !text.isEmpty { text.append("\n", .plain) }
      appendBar(poll.share(of: option), glyphs, to: &text)
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
    text.bytes.append(decimal: Int(max(0, min(poll.votes, 1e15))))
    text.bytes.append(poll.votes == 1 ? " vote" : " votes")
    if poll.isClosed { text.bytes.append(", closed") }
    if let end = poll.end {
      text.bytes.append(poll.isClosed ? " " : ", closes ")
      clock.appendMinute(end, to: &text.bytes)
    }
    text.mark(.dim)
  }

  /// `███░░░░░░░  30%`.
  private func appendBar(_ share: Double, _ glyphs: Glyphs, to text: inout StyledText) {
    let full = Int((share * Double(Self.barColumns)).rounded())
    for column in 0..<Self.barColumns { text.bytes.append(column < full ? glyphs.barFull : glyphs.barEmpty) }
    text.mark(.tag)
    let percent = Int((share * 100).rounded())
    text.bytes.append(percent < 10 ? "   " : percent < 100 ? "  " : " ")
    text.bytes.append(decimal: percent)
    text.append("%", .plain)
  }
}
