import TweetCore
import TweetDisplay

/// The title that a tweet gets where the form needs one, as in feeds and mail: the first words of its text, without
/// those whom it addresses and with the addresses that its links lead to; of one with a warning, the warning; without
/// words, what it has besides them.
struct TweetTitle: ~Copyable {
  private static let widestAddress = 30

  private let locale: ReaderLocale
  private let warnings: WarningChoice
  private let parts = TweetParts()
  private var decoder = StringDecoder()
  private var words = ByteBuffer(capacity: 512)

  init(_ locale: ReaderLocale, warnings: WarningChoice) { (self.locale, self.warnings) = (locale, warnings) }

  /// Appends a title on one line, without markup and control characters.
  /// - Parameter most: scalars.
  mutating func append(_ tweet: TweetFields, most: Int, to output: inout ByteBuffer) {
    words.removeAll()
    if let original = tweet.retweeted {
      words.append("RT @")
      words.append(decoder.decode(original.author.username ?? original.author.name, limit: 256))
      words.append(": ")
      parts.read(original, in: tweet)
    } else {
      parts.read(tweet)
    }
    if let warning = parts.tweet.warning, warnings != .show {
      words.append(decoder.decode(warning, limit: 16 * most))
    } else {
      appendText(most: most)
    }
    words.withBytes { output.append(firstWordsOf: $0, most: most) }
  }

  private mutating func appendText(most: Int) {
    let start = words.count
    append(.content, most: most)
    if !isBlank(from: start) { return }
    words.truncate(to: start)
    if let media = parts.media.first {
      locale.append(media.kind.phrase, to: &words)
      if let description = media.description {
        words.append(": ")
        words.append(decoder.decode(description, limit: 16 * most))
      }
    } else if let title = parts.pages.first?.title {
      words.append(decoder.decode(title, limit: 16 * most))
    } else if let options = parts.poll(now: .shown)?.options, !options.isEmpty {
      for (index, option) in options.enumerated() {
        words.append(index == 0 ? "☐ " : " ☐ ")
        words.append(decoder.decode(option.label, limit: 16 * most))
      }
    } else if let quote = parts.readQuote() {
      words.append("❝ ")
      append(.content, of: quote, most: most)
    } else {
      append(.addressed, most: most)
    }
    if !isBlank(from: start) { return }
    words.truncate(to: start)
    // Programs would show a piece of the address.
    let states: [TweetPart: Phrase] = [.deleted: .isDeleted, .withheld: .withheld]
    let state = parts.parts.lazy.compactMap { states[$0] }.first
    if let state { locale.append(state, to: &words) } else { locale.append(.tweets, count: 1, to: &words) }
  }

  /// Whether nobody sees anything of the words from there on.
  private func isBlank(from start: Int) -> Bool {
    words.withBytes { bytes in
      String(decoding: bytes[start...], as: UTF8.self).unicodeScalars.allSatisfy { scalar in
        let nature = scalar.properties
        // The empty pattern of Braille is no white space by its name only.
        return nature.isWhitespace || nature.isDefaultIgnorableCodePoint || nature.generalCategory == .control
          || scalar == "\u{2800}"
      }
    }
  }

  /// Appends the pieces of the text that stand there.
  private mutating func append(_ place: TextPieces.Piece.Place, of other: TweetParts? = nil, most: Int) {
    let parts = other ?? parts
    for index in parts.text.pieces.indices where parts.text.pieces[index].place == place {
      if words.count > 16 * most { break }
      let piece = parts.text.pieces[index]
      if piece.kind == .link, piece.isAddress, let link = piece.entity {
        ShownAddress.appendShort(
          decoder.decode(ShownAddress.target(of: link), limit: 8192), most: Self.widestAddress, ellipsis: "…",
          to: &words)
      } else {
        words.append(piece.text)
      }
    }
  }
}

/// When a tweet was posted and changed, for documents that must have a time of each.
struct TweetTimes {
  let posted: Timestamp
  /// The time of the last edit, if the tweet was edited.
  let updated: Timestamp

  /// A tweet without a date gets the one in its id, and else always the same: a time that is different in each run
  /// would make it a new one for readers.
  init(_ tweet: TweetFields) {
    posted = tweet.createdAt ?? Self.inID(of: tweet) ?? Timestamp(milliseconds: 0)
    updated = tweet.editedAt ?? posted
  }

  /// X's ids since November 2010 begin with the milliseconds since this one.
  private static let firstMillisecond: Int64 = 1_288_834_974_657

  private static func inID(of tweet: TweetFields) -> Timestamp? {
    guard tweet.service?.equals("x") == true, let id = tweet.id?.looseInteger, id > 1 << 34 else { return nil }
    return Timestamp(milliseconds: Int64(id >> 22) + firstMillisecond)
  }
}
