package import TweetCore

/// A text in pieces: plain text and entities, in order, none within another and none empty. One value serves many texts
/// and keeps its memory.
package struct TextPieces: ~Copyable {
  package struct Piece {
    package enum Kind { case plain, mention, tag, link }

    /// Where in the text it stands.
    package enum Place {
      case content
      /// At the start: the mentions of those whom the tweet answers, and the white space after them.
      case addressed
      /// White space around the text, and the links at its end that lead to what is shown below it.
      case margin
    }

    package let kind: Kind
    package let place: Place
    /// The bytes of the text: valid until another text is read.
    package let text: ByteView
    /// The entity's own object in the record; `nil` for plain text.
    package let entity: JSONValue?
    /// Whether the words of a link are its address, or the beginning of it, and not words that people have put there.
    package let isAddress: Bool
  }

  /// More bytes of a text are left out.
  private let longest: Int
  private var decoder = StringDecoder()
  private var linkDecoder = StringDecoder()
  private var entities = EntitySpans()
  private var addressed = 0..<0
  private var content = 0..<0

  package private(set) var pieces: [Piece] = []
  /// Whether the text is longer than its pieces.
  package private(set) var isCut = false
  /// The links that the text does not have: those of previews, and those whose offsets are wrong.
  package var unplaced: [JSONValue] { entities.unplaced }

  /// - Parameter longest: more bytes of a text are left out.
  package init(longest: Int = .max) { self.longest = longest }

  /// Reads a text.
  /// - Parameters:
  ///   - entities: the record's own of this text.
  ///   - name: the handle of whom the tweet answers.
  ///   - below: what is shown below the text.
  package mutating func read(
    _ string: JSONValue?, _ entities: JSONValue?, answering name: JSONValue? = nil, below: ShownBelow = .nothing
  ) {
    pieces.removeAll(keepingCapacity: true)
    let text = decoder.decode(string, limit: longest)
    isCut = (string?.rawString.count ?? 0) > longest
    self.entities.locate(entities, in: text)
    let end = self.entities.shownEnd(of: text, below: below, &linkDecoder)
    let start = firstLine(text, end)
    addressed = start..<min(max(start, endOfMentions(text, of: name)), end)
    content = addressed.upperBound..<end
    var offset = 0
    for span in self.entities.spans where span.start >= offset && (span.end <= end || span.start >= end) {
      appendPlain(text, offset..<span.start)
      append(span, text)
      offset = span.end
    }
    appendPlain(text, offset..<text.count)
  }

  /// Where the first line begins that is not blank: its indentation belongs to the text.
  private func firstLine(_ text: ByteView, _ end: Int) -> Int {
    guard let letter = text[..<end].firstIndex(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) else { return end }
    let newline = text[..<letter].lastIndex { (0x0A...0x0D).contains($0) }
    return newline.map { $0 + 1 } ?? 0
  }

  /// Where the text goes on after the mentions at its start, which a service puts before an answer, if that of the
  /// person who is answered is among them.
  private func endOfMentions(_ text: ByteView, of name: JSONValue?) -> Int {
    guard let name, entities.spans.first?.start == 0 else { return 0 }
    var isAmong = false
    var end = 0
    for span in entities.spans {
      guard span.kind == .mention, span.start == end else { break }
      // Where names have a host, the text may be without it.
      if span.value["username"]?.hasBytes(of: name) == true { isAmong = true }
      if text[(span.start + 1)..<span.end].elementsEqual(name.rawString) { isAmong = true }
      end = text[span.end...].firstIndex { $0 > 0x20 } ?? span.end
    }
    return isAmong ? end : 0
  }

  /// The user names of those whom mentions at the start address, besides one.
  func others(than name: JSONValue?) -> [JSONValue] {
    pieces.compactMap { piece in
      guard piece.place == .addressed, piece.kind == .mention, let other = piece.entity?["username"]?.nonEmpty,
        name.map({ other.hasBytes(of: $0) }) != true
      else { return nil }
      return other
    }
  }

  private mutating func append(_ span: EntitySpans.Span, _ text: ByteView) {
    let words = ByteView(rebasing: text[span.start..<span.end])
    let kind: Piece.Kind =
      switch span.kind {
      case .mention: .mention
      case .tag: .tag
      case .link: .link
      }
    pieces.append(
      Piece(
        kind: kind, place: place(of: span.start), text: words, entity: span.value,
        isAddress: kind == .link && isAddress(words, of: span.value)))
  }

  private mutating func isAddress(_ words: ByteView, of link: JSONValue) -> Bool {
    if let url = link["url"]?.rawString, words.elementsEqual(url) { return true }
    return ShownAddress.isSpelled(by: words, linkDecoder.decode(link["expanded_url"] ?? link["url"]))
  }

  /// Appends plain text, in a piece for each place.
  private mutating func appendPlain(_ text: ByteView, _ range: Range<Int>) {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(end(ofPlaceAt: start), range.upperBound)
      let words = ByteView(rebasing: text[start..<end])
      pieces.append(Piece(kind: .plain, place: place(of: start), text: words, entity: nil, isAddress: false))
      start = end
    }
  }

  private func end(ofPlaceAt offset: Int) -> Int {
    if offset < addressed.lowerBound { return addressed.lowerBound }
    if offset < addressed.upperBound { return addressed.upperBound }
    return offset < content.upperBound ? content.upperBound : .max
  }

  private func place(of offset: Int) -> Piece.Place {
    addressed.contains(offset) ? .addressed : content.contains(offset) ? .content : .margin
  }

  /// Whether a link leads to what is shown below the text.
  mutating func isShown(_ link: JSONValue, below: ShownBelow) -> Bool {
    EntitySpans.isShownBelow(link, below: below, &linkDecoder)
  }
}
