package import TweetCore

/// The fields of a poll that are shown.
package struct PollFields {
  package struct Option {
    package let label: JSONValue?
    /// Not a whole number, since sums of such numbers cannot overflow.
    package let votes: Double
  }

  /// More options are not shown; the services allow four.
  private static let mostOptions = 12

  package let options: [Option]
  /// The votes of all options.
  package let votes: Double
  package let isClosed: Bool
  /// When it ends or ended.
  package let end: Timestamp?

  /// - Parameters:
  ///   - poll: the value of `attachments.poll`.
  ///   - now: a poll whose end is before it is closed, whatever the record says: it may be older than that.
  /// - Returns: `nil` for a poll without options.
  package init?(_ poll: JSONValue, now: Timestamp) {
    guard let list = poll["options"], list.elements.contains(where: { _ in true }) else { return nil }
    options = list.elements.prefix(Self.mostOptions).map {
      Option(label: $0["label"], votes: Double($0["votes"]?.looseInteger ?? 0))
    }
    votes = options.reduce(0) { $0 + $1.votes }
    let end = poll["end_datetime"].flatMap { Timestamp(ascii: $0.rawString) }
    self.end = end
    isClosed = poll["voting_status"]?.equals("closed") == true || end.map { $0 <= now } ?? false
  }

  /// The votes of all options, as far as they can be shown.
  package var count: Int { Self.count(votes) }

  /// The votes of an option, as far as they can be shown.
  package func count(of option: Option) -> Int { Self.count(option.votes) }

  private static func count(_ votes: Double) -> Int { Int(max(0, min(votes, 1e15))) }

  /// The share of an option, from 0 to 1.
  package func share(of option: Option) -> Double { votes > 0 ? max(0, min(1, option.votes / votes)) : 0 }

  /// Appends `12 votes, closes 2021-11-03 21:25`.
  /// - Parameter time: appends the end.
  package func appendState(
    _ locale: ReaderLocale, to buffer: inout ByteBuffer, _ time: (Timestamp, inout ByteBuffer) -> Void
  ) {
    locale.append(.votes, count: count, to: &buffer)
    if isClosed { locale.append(.closed, to: &buffer) }
    guard let end else { return }
    if isClosed { buffer.append(" ") } else { locale.append(before: .closes, to: &buffer) }
    time(end, &buffer)
    if !isClosed { locale.append(after: .closes, to: &buffer) }
  }

  /// Whether the poll is closed and no option has more votes.
  package func isWinner(_ option: Option) -> Bool {
    isClosed && option.votes > 0 && options.allSatisfy { $0.votes <= option.votes }
  }
}
