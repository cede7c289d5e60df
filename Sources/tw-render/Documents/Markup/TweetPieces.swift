import TweetCore
import TweetDisplay

/// The text of a tweet in pieces: plain text and entities, in order, none within another.
///
/// White space around the text is left out, and so are the links at its end that lead to the tweet's own pictures or to the
/// tweet that it quotes, which documents show below the text.
struct TweetPieces: ~Copyable {
  enum Kind { case plain, mention, tag, link }

  struct Piece {
    let kind: Kind
    /// The bytes of the text: valid until another tweet is read.
    let text: UnsafeBufferPointer<UInt8>
    /// The entity's own object in the record; `nil` for plain text.
    let entity: JSONValue?
  }

  /// More links below a text are not shown.
  private static let mostCards = 20

  private var decoder = StringDecoder()
  private var linkDecoder = StringDecoder()
  private var entities = EntitySpans()
  /// None of them is empty.
  private(set) var pieces: [Piece] = []
  /// Links that are not in the text: objects with `url`, and with `title` if that is known.
  private(set) var cards: [JSONValue] = []

  mutating func read(_ tweet: TweetFields) {
    pieces.removeAll(keepingCapacity: true)
    let text = decoder.decode(tweet.text, limit: .max)
    entities.locate(tweet.entities, in: text)
    let quoted = tweet.quoted
    readCards(tweet, quoted: quoted)
    let end = entities.shownEnd(of: text, quoted: quoted, &linkDecoder)
    var offset = text.firstIndex { $0 > 0x20 } ?? end
    for span in entities.spans where span.start >= offset && span.end <= end {
      append(.plain, text, offset..<span.start)
      let kind: Kind =
        switch span.kind {
        case .mention: .mention
        case .tag: .tag
        case .link: .link
        }
      append(kind, text, span.start..<span.end, span.value)
      offset = span.end
    }
    append(.plain, text, offset..<max(offset, end))
  }

  /// Finds the links that the text does not have: those of a preview below it, and those whose offsets are wrong.
  private mutating func readCards(_ tweet: TweetFields, quoted: TweetFields?) {
    cards.removeAll(keepingCapacity: true)
    for link in entities.unplaced.prefix(Self.mostCards)
    where !EntitySpans.isShownBelow(link, quoted: quoted, &linkDecoder) { cards.append(link) }
    if let card = tweet.card { cards.append(card) }
  }

  private mutating func append(
    _ kind: Kind, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ entity: JSONValue? = nil
  ) {
    if range.isEmpty { return }
    pieces.append(Piece(kind: kind, text: UnsafeBufferPointer(rebasing: text[range]), entity: entity))
  }
}

extension TweetPieces.Piece {
  /// Whether a link's piece is the link's own address, and not words that people have put there.
  var isAddress: Bool { entity?["url"]?.rawString.elementsEqual(text) == true }
}
