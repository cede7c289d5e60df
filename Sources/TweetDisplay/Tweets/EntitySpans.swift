import Libc
import TweetCore

/// The entities of one text as ranges of its bytes, in order.
///
/// Records count offsets in Unicode scalars, and services send wrong ones. A span whose bytes cannot be what its entity
/// says is dropped; a link is then searched for by its short address. One value serves many texts and keeps its memory.
struct EntitySpans: ~Copyable {
  struct Span {
    enum Kind { case mention, tag, link }
    /// The bytes of the text; scalars until the span is located.
    fileprivate(set) var start: Int
    fileprivate(set) var end: Int
    let kind: Kind
    /// The entity's own object in the record.
    let value: JSONValue
  }

  /// More entities of a text are not looked at: a post of people has a few dozen at most.
  private static let most = 1000
  /// Limits of the search for links, since each may cost its length times that of the text.
  private static let mostSearches = 100
  private static let longestSearched = 512

  /// Ordered by their starts; of those that start together, the longest is first. They may overlap.
  private(set) var spans: [Span] = []

  /// Finds the spans of a text.
  /// - Parameters:
  ///   - entities: the record's `entities`.
  ///   - text: the record's `text`, decoded.
  mutating func locate(_ entities: JSONValue?, in text: UnsafeBufferPointer<UInt8>) {
    spans.removeAll(keepingCapacity: true)
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
  private mutating func convertOffsets(in text: UnsafeBufferPointer<UInt8>) {
    var cursor = ScalarCursor(text)
    var lost: [Int] = []
    var linkStarts: Set<Int> = []
    for index in spans.indices {
      let span = spans[index]
      (spans[index].start, spans[index].end) = (-1, -1)
      if span.start >= 0, span.end > span.start, let start = cursor.offset(ofScalar: span.start) {
        var ahead = cursor
        if let end = ahead.offset(ofScalar: span.end), Self.fits(span, text, start..<end) {
          (spans[index].start, spans[index].end) = (start, end)
          if span.kind == .link { linkStarts.insert(start) }
          continue
        }
      }
      if span.kind == .link { lost.append(index) }
    }
    // One short address may stand in the text several times: those that have a span already are left out.
    for index in lost.prefix(Self.mostSearches) {
      guard let found = Self.search(spans[index].value, in: text, except: linkStarts) else { continue }
      (spans[index].start, spans[index].end) = (found.lowerBound, found.upperBound)
      linkStarts.insert(found.lowerBound)
    }
    spans.removeAll { $0.start < 0 }
  }

  /// Whether the bytes can be what the entity says: a link its short address, the others a sign and a name.
  private static func fits(_ span: Span, _ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
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

  /// The first occurrence of the link's short address that does not start at one of `taken`.
  private static func search(
    _ link: JSONValue, in text: UnsafeBufferPointer<UInt8>, except taken: Set<Int>
  ) -> Range<Int>? {
    guard let url = link["url"]?.rawString, let needle = url.baseAddress, let first = url.first,
      (9...longestSearched).contains(url.count), let base = text.baseAddress
    else { return nil }
    var offset = 0
    while offset + url.count <= text.count,
      let found = memchr(base + offset, Int32(first), text.count - url.count + 1 - offset)
    {
      let start = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      offset = start + 1
      guard memcmp(found, needle, url.count) == 0 else { continue }
      if !taken.contains(start) { return start..<start + url.count }
      offset = start + url.count
    }
    return nil
  }
}

/// Converts scalar offsets of a text, asked for in rising order, to byte offsets.
private struct ScalarCursor {
  private let text: UnsafeBufferPointer<UInt8>
  private var byte = 0
  private var scalar = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// The byte offset of scalar number `wanted`; `nil` if the text has fewer, or if the cursor is past it.
  mutating func offset(ofScalar wanted: Int) -> Int? {
    guard wanted >= scalar, wanted - scalar <= text.count - byte else { return nil }
    while scalar < wanted {
      guard byte < text.count else { return nil }
      byte += 1
      while byte < text.count, text[byte] & 0xC0 == 0x80 { byte += 1 }
      scalar += 1
    }
    return byte
  }
}
