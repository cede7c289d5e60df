import Libc
package import TweetCore

/// The entities of one text as ranges of its bytes, in order.
///
/// Records count offsets in Unicode scalars, and services send wrong ones. A mention or tag whose bytes cannot be what
/// it says is dropped. A link whose bytes are not its address is searched for by this address; if the text does not
/// have it, the bytes are the words that link to it, as people write on Mastodon and Bluesky. One value serves many
/// texts and keeps its memory.
package struct EntitySpans: ~Copyable {
  package struct Span {
    package enum Kind { case mention, tag, link }
    /// The bytes of the text; scalars until the span is located.
    package fileprivate(set) var start: Int
    package fileprivate(set) var end: Int
    package let kind: Kind
    /// The entity's own object in the record.
    package let value: JSONValue
  }

  /// More entities of a text are not looked at: a post of people has a few dozen at most.
  private static let most = 1000
  private static let mostUnplaced = 100
  /// Limits of the search for links, since each may cost its length times that of the text.
  private static let mostSearches = 100
  private static let longestSearched = 512

  /// Ordered by their starts; of those that start together, the longest is first. They may overlap.
  package private(set) var spans: [Span] = []
  /// The links of which the text has nothing: those of cards, and those whose offsets are wrong.
  package private(set) var unplaced: [JSONValue] = []

  package init() {}

  /// Finds the spans of a text.
  /// - Parameters:
  ///   - entities: the record's `entities`.
  ///   - text: the record's `text`, decoded.
  package mutating func locate(_ entities: JSONValue?, in text: ByteView) {
    spans.removeAll(keepingCapacity: true)
    unplaced.removeAll(keepingCapacity: true)
    guard let entities else { return }
    for (key, list) in entities.members {
      if key.equals("urls") {
        collect(list, .link)
      } else if key.equals("mentions") {
        collect(list, .mention)
      } else if key.equals("hashtags") || key.equals("cashtags") {
        collect(list, .tag)
      }
    }
    if spans.isEmpty { return }
    sortSpans()
    convertOffsets(in: text)
    sortSpans()
  }

  private mutating func collect(_ list: JSONValue, _ kind: Span.Kind) {
    for entity in list.elements.prefix(Self.most - spans.count) {
      let start = entity["start"]?.integer ?? -1
      let end = entity["end"]?.integer ?? -1
      spans.append(Span(start: start, end: end, kind: kind, value: entity))
    }
  }

  private mutating func sortSpans() {
    spans.sort { $0.start != $1.start ? $0.start < $1.start : $0.end > $1.end }
  }

  /// Turns scalar offsets into byte offsets, in one pass since starts are in order, and removes spans that do not fit.
  private mutating func convertOffsets(in text: ByteView) {
    var cursor = ScalarCursor(text)
    var lost: [(index: Int, words: Range<Int>?)] = []
    var linkStarts: Set<Int> = []
    for index in spans.indices {
      let span = spans[index]
      (spans[index].start, spans[index].end) = (-1, -1)
      var range: Range<Int>?
      if span.start >= 0, span.end > span.start, let start = cursor.offset(ofScalar: span.start) {
        var ahead = cursor
        range = ahead.offset(ofScalar: span.end).map { start..<$0 }
      }
      if let range, Self.fits(span, text, range) {
        (spans[index].start, spans[index].end) = (range.lowerBound, range.upperBound)
        if span.kind == .link { linkStarts.insert(range.lowerBound) }
      } else if span.kind == .link {
        lost.append((index, range))
      }
    }
    // One short address may stand in the text several times: those that have a span already are left out.
    for (number, (index, words)) in lost.enumerated() {
      let link = spans[index].value
      let found = number < Self.mostSearches ? Self.search(link, in: text, except: linkStarts) : nil
      guard let range = found ?? words.flatMap({ Self.canBeWords($0, text) ? $0 : nil }) else {
        if unplaced.count < Self.mostUnplaced { unplaced.append(link) }
        continue
      }
      (spans[index].start, spans[index].end) = (range.lowerBound, range.upperBound)
      linkStarts.insert(range.lowerBound)
    }
    spans.removeAll { $0.start < 0 }
    // What the record has twice is in the text once.
    unplaced.removeAll { link in
      spans.contains { span in
        guard span.kind == .link, let other = span.value["url"] else { return false }
        return link["url"]?.hasBytes(of: other) == true
      }
    }
  }

  /// Whether the bytes can be what the entity says: a link its short address, the others a sign and a name.
  private static func fits(_ span: Span, _ text: ByteView, _ range: Range<Int>) -> Bool {
    switch span.kind {
    case .link:
      guard let url = span.value["url"]?.rawString, !url.contains(UInt8(ascii: "\\")) else { return true }
      return text[range].elementsEqual(url)
    case .mention:
      let sign = decodeScalar(text, at: range.lowerBound).value
      return sign == 0x40 || sign == 0xFF20
    case .tag:
      let sign = decodeScalar(text, at: range.lowerBound).value
      return sign == 0x23 || sign == 0xFF03 || sign == 0x24
    }
  }

  /// Whether the bytes are whole words.
  private static func canBeWords(_ range: Range<Int>, _ text: ByteView) -> Bool {
    let words = text[range]
    guard let first = words.first, let last = words.last, first > 0x20, last > 0x20 else { return false }
    return isEdge(text, range.lowerBound) && isEdge(text, range.upperBound)
  }

  /// Whether a word may begin or end at an offset. Letters beyond ASCII may be of a script without spaces.
  private static func isEdge(_ text: ByteView, _ offset: Int) -> Bool {
    guard offset > 0, offset < text.count else { return true }
    return !(isLetter(text[offset - 1]) && isLetter(text[offset]))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// The first occurrence of the link's short address that does not start at one of `taken`.
  private static func search(
    _ link: JSONValue, in text: ByteView, except taken: Set<Int>
  ) -> Range<Int>? {
    guard let url = link["url"]?.rawString, let first = url.first, (9...longestSearched).contains(url.count)
    else { return nil }
    var offset = 0
    while let start = text.firstIndex(of: first, from: offset), start + url.count <= text.count {
      offset = start + 1
      guard text.extracting(start..<start + url.count) == url else { continue }
      if !taken.contains(start) { return start..<start + url.count }
      offset = start + url.count
    }
    return nil
  }
}

/// Converts scalar offsets of a text, asked for in rising order, to byte offsets.
private struct ScalarCursor {
  private let text: ByteView
  private var byte = 0
  private var scalar = 0

  init(_ text: ByteView) { self.text = text }

  /// The byte offset of scalar number `wanted`; `nil` if the text has fewer, or if the cursor is past it.
  mutating func offset(ofScalar wanted: Int) -> Int? {
    guard wanted >= scalar, wanted - scalar <= text.count - byte else { return nil }
    while scalar < wanted {
      // Eight letters of ASCII at a time.
      if wanted - scalar >= 8, byte + 8 <= text.count,
        text.word(at: byte) & 0x8080_8080_8080_8080 == 0,
        byte + 8 == text.count || text[byte + 8] & 0xC0 != 0x80
      {
        (byte, scalar) = (byte + 8, scalar + 8)
        continue
      }
      guard byte < text.count else { return nil }
      byte += 1
      while byte < text.count, text[byte] & 0xC0 == 0x80 { byte += 1 }
      scalar += 1
    }
    return byte
  }
}

/// What of a text need not be shown, because it is shown below the text.
extension EntitySpans {
  /// Where the text ends without white space and without the last links, if they lead to its own pictures or to the
  /// quoted tweet.
  /// - Parameters:
  ///   - text: the text whose spans these are.
  ///   - below: what is shown below the text.
  ///   - decoder: for the addresses of links.
  package func shownEnd(
    of text: ByteView, below: ShownBelow, _ decoder: inout StringDecoder
  ) -> Int {
    var end = Self.endWithoutSpace(text, text.count)
    for span in spans.reversed() {
      guard span.end == end, span.kind == .link, Self.isShownBelow(span.value, below: below, &decoder) else { break }
      end = Self.endWithoutSpace(text, span.start)
    }
    return end
  }

  private static func endWithoutSpace(_ text: ByteView, _ end: Int) -> Int {
    var end = end
    while end > 0, text[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  /// Whether a link leads to the tweet's own pictures or to the quoted tweet, and these are shown.
  package static func isShownBelow(
    _ link: JSONValue, below: ShownBelow, _ decoder: inout StringDecoder
  ) -> Bool {
    if below.isNothing { return false }
    if link["media_key"] != nil { return below.hasMedia }
    let target = decoder.decode(link["expanded_url"])
    guard let post = ShownAddress.post(target) else { return false }
    // Media that were posted before are found below the tweet that they were posted with first.
    if post.isMedia, below.hasMedia { return true }
    guard !post.isMedia, let id = below.quote?.rawString else { return false }
    return target[post.id].elementsEqual(id)
  }
}

/// What is shown below a text, so that its last links need not be shown.
package struct ShownBelow {
  /// Whether there are pictures or videos.
  package let hasMedia: Bool
  /// The id of the quoted tweet.
  package let quote: JSONValue?

  package static var nothing: ShownBelow { ShownBelow(hasMedia: false, quote: nil) }
  var isNothing: Bool { !hasMedia && quote == nil }

  package init(hasMedia: Bool, quote: JSONValue?) { (self.hasMedia, self.quote) = (hasMedia, quote) }
}
