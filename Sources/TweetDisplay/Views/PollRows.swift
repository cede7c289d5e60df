import TweetCore

/// A tweet's poll: a row for each option with its share of the votes, and one with the number of votes.
struct PollRows {
  private static let barColumns = 10
  /// More options are not shown; the services allow four.
  private static let mostOptions = 12
  private static let longestLabel = 256

  private let poll: JSONValue

  /// - Parameter poll: the value of `attachments.poll`.
  init(_ poll: JSONValue) { self.poll = poll }

  func append(to text: inout StyledText, glyphs: Glyphs, decoder: inout StringDecoder) {
    guard let options = poll["options"] else { return }
    // Counts come from outside: unlike integers, these cannot overflow when they are added up.
    let votes = options.elements.prefix(Self.mostOptions).map { Double($0["votes"]?.looseInteger ?? 0) }
    let total = votes.reduce(0, +)
    for (option, count) in zip(options.elements, votes) {
      if !text.isEmpty { text.append("\n", .plain) }
      let share = total > 0 ? max(0, min(1, count / total)) : 0
      appendBar(share, glyphs, to: &text)
      text.bytes.append(" ")
      Printable.append(decoder.decode(option["label"], limit: Self.longestLabel), to: &text.bytes)
      text.mark(.plain)
    }
    text.append("\n", .plain)
    text.bytes.append(decimal: Int(max(0, min(total, 1e15))))
    text.bytes.append(total == 1 ? " vote" : " votes")
    if poll["voting_status"]?.equals("closed") == true { text.bytes.append(", closed") }
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
