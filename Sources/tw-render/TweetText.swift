import Libc
import TweetCore
import TweetDisplay

/// The text of a tweet with its entities set: mentions and tags coloured, links replaced by where they lead.
///
/// Entities are taken at their offsets; a link whose offsets are wrong or missing is looked for by its short address, and
/// other wrong ones are left alone.
struct TweetText: ~Copyable {
  enum Style {
    /// For reading: short addresses, all verdicts, lines kept.
    case block
    /// For one line: whole addresses, only the verdicts that say more than "ok".
    case line
  }

  private struct Span {
    enum Kind { case mention, tag, link }
    var start: Int
    var end: Int
    var kind: Kind
    var value: JSONValue
  }

  /// More is not shown of one text. X's longest posts are 25 000 letters.
  private static let longest = 128 << 10
  /// Nor more of its entities set: a post of people has a few dozen at most.
  private static let most = 1000
  /// Bounds of what is looked for in the text, where each link may cost its length times that of the text.
  private static let mostSought = 100
  private static let longestSought = 512
  private static let widestAddress = 48

  private let glyphs: Glyphs
  private let style: Style
  private var decoder = TextDecoder()
  private var linkDecoder = TextDecoder()
  private var spans: [Span] = []

  init(glyphs: Glyphs, style: Style) {
    self.glyphs = glyphs
    self.style = style
  }

  /// Appends the tweet's text.
  /// - Parameters:
  ///   - quoted: the tweet that is shown below it: a link to that at the end is not shown as well.
  ///   - addressed: the handle that is shown above it as the one who is answered: not repeated at the start.
  mutating func append(
    _ tweet: TweetView, quoted: TweetView? = nil, addressed: JSONValue? = nil, to text: inout StyledText
  ) {
    let source = decoder.decode(tweet.text, limit: Self.longest)
    collectSpans(tweet.entities, in: source)
    let end = style == .block ? endOfShown(source, quoted: quoted) : source.count
    var at = min(startOfShown(source, addressed: addressed), end)
    for span in spans where span.start >= at && span.end <= end {
      appendPlain(source, at..<span.start, to: &text)
      append(span, source, to: &text)
      at = span.end
    }
    appendPlain(source, at..<max(at, end), to: &text)
    if let whole = tweet.text, whole.rawString.count > Self.longest { text.append(glyphs.ellipsis, .dim) }
  }

  private func appendPlain(_ source: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, to text: inout StyledText) {
    if range.isEmpty { return }
    let newline: StaticString = style == .block ? "\n" : glyphs.newline
    Printable.append(UnsafeBufferPointer(rebasing: source[range]), to: &text.bytes, newline: newline)
    text.mark(.plain)
  }

  private mutating func append(_ span: Span, _ source: UnsafeBufferPointer<UInt8>, to text: inout StyledText) {
    switch span.kind {
    case .mention, .tag:
      Printable.append(UnsafeBufferPointer(rebasing: source[span.start..<span.end]), to: &text.bytes)
      text.mark(span.kind == .mention ? .mention : .tag)
    case .link: append(link: span.value, to: &text)
    }
  }

  private mutating func append(link: JSONValue, to text: inout StyledText) {
    let address = linkDecoder.decode(Self.address(of: link))
    if style == .block {
      WebAddress.appendShort(address, most: Self.widestAddress, ellipsis: glyphs.ellipsis, to: &text.bytes)
    } else {
      Printable.append(address, to: &text.bytes)
    }
    text.mark(.link, leadingTo: address)
    if let badge = LinkBadge(link, glyphs: glyphs), style == .block || !badge.isQuiet {
      text.append(glyphs.glue, .plain)
      badge.append(to: &text, glyphs: glyphs)
    }
  }

  /// Appends the tweet's checked links alone, each behind a space.
  mutating func appendLinks(_ tweet: TweetView, to text: inout StyledText) {
    guard let links = tweet.entities?["urls"] else { return }
    for link in links.elements where link["verdict"] != nil {
      text.append(" ", .plain)
      append(link: link, to: &text)
    }
  }

  /// Where a link leads, as far as anyone has found out.
  static func address(of link: JSONValue) -> JSONValue? {
    link["unwound_url"] ?? link["expanded_url"] ?? link["url"]
  }

  // MARK: Entities

  private mutating func collectSpans(_ entities: JSONValue?, in source: UnsafeBufferPointer<UInt8>) {
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
    locate(in: source)
    sortSpans()
  }

  /// By their starts; of those that start together the longest, which is the one that is set, first.
  private mutating func sortSpans() {
    spans.sort { $0.start != $1.start ? $0.start < $1.start : $0.end > $1.end }
  }

  private mutating func collect(_ list: JSONValue, _ kind: Span.Kind) {
    for entity in list.elements.prefix(Self.most - spans.count) {
      let start = entity["start"]?.integer ?? -1
      let end = entity["end"]?.integer ?? -1
      spans.append(Span(start: start, end: end, kind: kind, value: entity))
    }
  }

  /// Turns offsets in scalars into offsets in bytes, in one walk since starts are in order, and drops what does not fit.
  private mutating func locate(in source: UnsafeBufferPointer<UInt8>) {
    var cursor = ScalarCursor(source)
    var lost: [Int] = []
    var taken: Set<Int> = []
    for index in spans.indices {
      let span = spans[index]
      (spans[index].start, spans[index].end) = (-1, -1)
      if span.start >= 0, span.end > span.start, let start = cursor.offset(of: span.start) {
        var ahead = cursor
        if let end = ahead.offset(of: span.end), fits(span, source, start..<end) {
          (spans[index].start, spans[index].end) = (start, end)
          if span.kind == .link { taken.insert(start) }
          continue
        }
      }
      if span.kind == .link { lost.append(index) }
    }
    // Only when all right ones are known is it clear which places are left.
    for index in lost.prefix(Self.mostSought) {
      guard let found = search(spans[index].value, source, except: taken) else { continue }
      (spans[index].start, spans[index].end) = (found.lowerBound, found.upperBound)
      taken.insert(found.lowerBound)
    }
    spans.removeAll { $0.start < 0 }
  }

  /// Whether the bytes can be what the entity says: a link its own short address, the others their sign and a name.
  private func fits(_ span: Span, _ source: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    switch span.kind {
    case .link:
      guard let url = span.value["url"]?.rawString, !url.contains(UInt8(ascii: "\\")) else { return true }
      return source[range].elementsEqual(url)
    case .mention:
      let sign = decodeScalar(source, at: range.lowerBound).value
      return sign == 0x40 || sign == 0xFF20
    case .tag:
      let sign = decodeScalar(source, at: range.lowerBound).value
      return sign == 0x23 || sign == 0xFF03 || sign == 0x24
    }
  }

  /// The first place where the link's short address stands that is not another link's.
  private func search(_ link: JSONValue, _ source: UnsafeBufferPointer<UInt8>, except taken: Set<Int>) -> Range<Int>? {
    guard let url = link["url"]?.rawString, let needle = url.baseAddress, let first = url.first,
      (9...Self.longestSought).contains(url.count), let text = source.baseAddress
    else { return nil }
    var at = 0
    while at + url.count <= source.count,
      let found = memchr(text + at, Int32(first), source.count - url.count + 1 - at)
    {
      let start = UnsafeRawPointer(found) - UnsafeRawPointer(text)
      at = start + 1
      guard memcmp(found, needle, url.count) == 0 else { continue }
      if !taken.contains(start) { return start..<start + url.count }
      at = start + url.count
    }
    return nil
  }

  /// Where the text starts without the mention of whom it answers.
  private func startOfShown(_ source: UnsafeBufferPointer<UInt8>, addressed: JSONValue?) -> Int {
    guard let addressed, let first = spans.first, first.kind == .mention, first.start == 0,
      source[1..<first.end].elementsEqual(addressed.rawString)
    else { return 0 }
    return source[first.end...].firstIndex { $0 > 0x20 } ?? first.end
  }

  /// Where the text ends without the links at its end that lead to its own pictures or to the quoted tweet.
  private mutating func endOfShown(_ source: UnsafeBufferPointer<UInt8>, quoted: TweetView?) -> Int {
    var end = trimmed(source, source.count)
    for span in spans.reversed() {
      guard span.end == end, span.kind == .link, isRepeated(span.value, quoted: quoted) else { break }
      end = trimmed(source, span.start)
    }
    return end
  }

  private func trimmed(_ source: UnsafeBufferPointer<UInt8>, _ end: Int) -> Int {
    var end = end
    while end > 0, source[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  private mutating func isRepeated(_ link: JSONValue, quoted: TweetView?) -> Bool {
    if link["media_key"] != nil { return true }
    let address = linkDecoder.decode(link["expanded_url"])
    guard let post = WebAddress.post(address) else { return false }
    if post.isMedia { return true }
    guard let id = quoted?.id?.rawString else { return false }
    return address[post.id].elementsEqual(id)
  }
}

/// Finds byte offsets of scalar offsets that are asked for in rising order.
private struct ScalarCursor {
  private let source: UnsafeBufferPointer<UInt8>
  private var byte = 0
  private var scalar = 0

  init(_ source: UnsafeBufferPointer<UInt8>) { self.source = source }

  /// The byte at which scalar number `wanted` starts; `nil` when it lies behind the end or the cursor is past it.
  mutating func offset(of wanted: Int) -> Int? {
    guard wanted >= scalar, wanted - scalar <= source.count - byte else { return nil }
    while scalar < wanted {
      guard byte < source.count else { return nil }
      byte += 1
      while byte < source.count, source[byte] & 0xC0 == 0x80 { byte += 1 }
      scalar += 1
    }
    return byte
  }
}
