import TweetCore

/// Reads the text of some HTML as a post shows it, and the links in it.
///
/// A blank line separates paragraphs, `br` is a newline, list items and quotes get the marks of plain mail (`- `, `1.
/// `, `> `), and pictures become their description. White space that contains a newline is layout of the source and
/// becomes one space; other white space stays, as Mastodon shows it. Parts of a link that a page hides (Mastodon's
/// `span.invisible`) belong to the text; what a page shows of the link is in ``shown``.
struct HTMLText: ~Copyable {
  /// One link, with offsets in Unicode scalars of the text.
  struct Link {
    var start = -1
    var end = -1
    /// Byte ranges in the buffers ``HTMLText/text``, ``HTMLText/shown`` and ``HTMLText/addresses``.
    var textRange = 0..<0
    var shownRange = 0..<0
    var addressRange = 0..<0
    var isMention = false
    var isHashtag = false
  }

  /// The text in UTF-8.
  private(set) var text = ByteBuffer()
  /// What a page shows of the links, one after the other.
  private(set) var shown = ByteBuffer()
  /// The links' addresses, one after the other.
  private(set) var addresses = ByteBuffer()
  private(set) var links: [Link] = []

  private enum Span { case plain, hidden, ellipsis }

  private var plain = ByteBuffer()
  private var scalars = 0
  /// Newlines and spaces that come before the next character, if there is one.
  private var newlines = 0
  private var spaces = 0
  private var isInLink = false
  private var spans: [Span] = []
  private var hidden = 0
  private var quotes = 0
  private var preformatted = 0
  /// The open lists: the number of the next item, and the step to the one after it; 0 for a list without numbers.
  private var lists: [(number: Int, step: Int)] = []
  private var isItemDue = false
  private var isCellDue = false
  /// How the current base of a ruby is read stands in parentheses after it; those that it brings are left out.
  private var ruby = Ruby.base
  private enum Ruby { case base, text, parenthesis }
  /// Quotes and lists that are nested deeper get no more marks.
  private static let deepest = 16

  /// Reads HTML and replaces what was read before.
  /// - Parameter raw: the inside of a JSON string.
  mutating func read(_ raw: ByteView) {
    text.removeAll()
    shown.removeAll()
    addresses.removeAll()
    links.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    (scalars, newlines, spaces, hidden, quotes, preformatted) = (0, 0, 0, 0, 0, 0)
    (isInLink, isItemDue, isCellDue, ruby) = (false, false, false, .base)
    plain.removeAll()
    plain.append(unescaping: raw)
    // The pointer stays valid: nothing is appended to this buffer below.
    let bytes = plain.withBytes { $0 }
    var tokens = HTMLTokens(bytes)
    while let token = tokens.next() {
      switch token {
      case .text where ruby == .parenthesis: break
      case .text(let range): append(bytes, range)
      case .start(let tag): start(tag, before: tokens)
      case .end(let element): end(element)
      // The name of a page is not a part of a post's text.
      case .title: break
      }
    }
    endRuby()
    closeLink()
  }

  // MARK: Tags

  /// - Parameter rest: what comes after the tag.
  private mutating func start(_ tag: HTMLTag, before rest: HTMLTokens) {
    switch tag.element {
    case .link: openLink(tag)
    case .span:
      push(
        tag.holds("invisible", in: "class")
          ? .hidden : tag.holds("ellipsis", in: "class") ? .ellipsis : .plain)
    case .lineBreak: breakLine(newlines + 1)
    case .image:
      if let words = tag.value("alt") { append(words, 0..<words.count) }
    case .quote:
      breakLine(max(newlines, 2))
      quotes += 1
    case .preformatted:
      breakLine(max(newlines, 2))
      preformatted += 1
    case .list, .numberedList:
      breakLine(max(newlines, lists.isEmpty ? 2 : 1))
      lists.append(tag.element == .list || lists.count >= Self.deepest ? (0, 0) : Self.numbering(of: tag, rest))
    case .item:
      breakLine(max(newlines, 1))
      isItemDue = true
      if let number = Self.number(tag.value("value")), lists.last?.step ?? 0 != 0 {
        lists[lists.count - 1].number = number
      }
    case .row:
      breakBlock(.block)
      isCellDue = false
    case .cell:
      // As in a copy of a page's text.
      if isCellDue { spaces = 0 }
      if isCellDue, !isItemDue, newlines == 0 { append("\t") }
      isCellDue = true
    case .ruby: endRuby()
    case .rubyText, .rubyParenthesis:
      endRuby()
      ruby = tag.element == .rubyText ? .text : .parenthesis
      if ruby == .text { append("(") }
    case .paragraph, .rule, .block: breakBlock(tag.element)
    case .title, .metadata, .relation, .noscript, .opaque, .other: break
    }
  }

  private mutating func end(_ element: HTMLElement) {
    switch element {
    case .link: closeLink()
    case .span: pop()
    case .quote:
      breakLine(max(newlines, 2))
      quotes = max(quotes - 1, 0)
    case .preformatted:
      breakLine(max(newlines, 2))
      preformatted = max(preformatted - 1, 0)
    case .list, .numberedList:
      _ = lists.popLast()
      breakLine(max(newlines, lists.isEmpty ? 2 : 1))
    case .item: breakLine(max(newlines, 1))
    case .ruby, .rubyText, .rubyParenthesis: endRuby()
    case .row: breakBlock(.block)
    case .cell: break
    case .paragraph, .block: breakBlock(element)
    case .lineBreak, .rule, .image, .title, .metadata, .relation, .noscript, .opaque, .other: break
    }
  }

  /// Breaks the line before a block. A block at the start of a list item stays on the item's line.
  private mutating func breakBlock(_ element: HTMLElement) {
    if isItemDue { return }
    breakLine(max(newlines, element == .block || !lists.isEmpty ? 1 : 2))
  }

  private mutating func endRuby() {
    if ruby == .text { append(")") }
    ruby = .base
  }

  /// The first number of a list, and the step: HTML, 4.4.5. A list that counts down ends at 1, so its items are
  /// counted.
  private static func numbering(of tag: HTMLTag, _ rest: HTMLTokens) -> (number: Int, step: Int) {
    let start = number(tag.value("start"))
    guard tag.value("reversed") != nil else { return (start ?? 1, 1) }
    if let start { return (start, -1) }
    var (rest, depth, items) = (rest, 0, 0)
    while depth >= 0, let token = rest.next() {
      switch token {
      case .start(let tag) where tag.element == .list || tag.element == .numberedList: depth += 1
      case .end(.list), .end(.numberedList): depth -= 1
      case .start(let tag) where tag.element == .item && depth == 0: items += 1
      default: break
      }
    }
    return (items, -1)
  }

  private static func number(_ value: ByteView?) -> Int? {
    value.flatMap { Int32(String(decoding: $0, as: UTF8.self)).map(Int.init) }
  }

  private mutating func breakLine(_ due: Int) {
    endRuby()
    // A link that is not closed ends with its paragraph.
    if due > 1 { closeLink() }
    newlines = due
    spaces = 0
  }

  private mutating func push(_ span: Span) {
    spans.append(span)
    if span == .hidden { hidden += 1 }
  }

  private mutating func pop() {
    switch spans.popLast() {
    case .hidden: hidden -= 1
    case .ellipsis where isInLink: shown.append("\u{2026}")
    default: break
    }
  }

  // MARK: Links

  private mutating func openLink(_ tag: HTMLTag) {
    closeLink()
    guard let address = tag.value("href") else { return }
    var link = Link()
    let first = addresses.count
    var at = 0
    while at < address.count {
      let length =
        address[at] == UInt8(ascii: "&")
        ? HTMLReference.append(address, at: at, isAttribute: true, to: &addresses) : 0
      if length == 0 { addresses.append(address[at]) }
      at += max(length, 1)
    }
    link.addressRange = first..<addresses.count
    link.shownRange = shown.count..<shown.count
    link.isHashtag = tag.holds("hashtag", in: "class") || tag.holds("tag", in: "rel")
    link.isMention = tag.holds("mention", in: "class") && !link.isHashtag
    links.append(link)
    isInLink = true
  }

  private mutating func closeLink() {
    guard isInLink else { return }
    isInLink = false
    let last = links.count - 1
    links[last].shownRange = links[last].shownRange.lowerBound..<shown.count
    if links[last].start >= 0 {
      links[last].end = scalars
      links[last].textRange = links[last].textRange.lowerBound..<text.count
    }
  }

  // MARK: Text

  private mutating func append(_ bytes: ByteView, _ range: Range<Int>) {
    var at = range.lowerBound
    while at < range.upperBound {
      let byte = bytes[at]
      if byte.isHTMLSpace {
        at = appendSpace(bytes, at, range.upperBound)
        continue
      }
      startCharacter()
      let first = text.count
      var length = 0
      if byte == UInt8(ascii: "&") {
        length = HTMLReference.append(
          bytes.extracting(..<range.upperBound), at: at, to: &text)
      }
      if length == 0 {
        length = 1
        while at + length < range.upperBound, !bytes[at + length].isHTMLSpace,
          bytes[at + length] != UInt8(ascii: "&")
        {
          length += 1
        }
        text.append(bytes.extracting(at..<at + length))
      }
      finishCharacters(from: first)
      at += length
    }
  }

  /// Appends characters that are not in the HTML.
  private mutating func append(_ mark: StaticString) {
    startCharacter()
    let first = text.count
    text.append(mark)
    finishCharacters(from: first)
  }

  /// Notes white space. It is written only when a character follows it on its line.
  /// - Returns: the offset after it.
  private mutating func appendSpace(_ bytes: ByteView, _ first: Int, _ limit: Int)
    -> Int
  {
    if preformatted > 0 {
      if bytes[first] == 0x0A { newlines += 1 } else { spaces += 1 }
      if bytes[first] == 0x0A { spaces = 0 }
      return first + 1
    }
    var at = first
    var hasNewline = false
    while at < limit, bytes[at].isHTMLSpace {
      hasNewline = hasNewline || bytes[at] == 0x0A || bytes[at] == 0x0D
      at += 1
    }
    if newlines > 0 || text.count == 0 { return at }
    spaces = hasNewline ? 1 : spaces + at - first
    return at
  }

  /// Writes the newlines, marks and spaces that come before the next character.
  private mutating func startCharacter() {
    let first = text.count
    if first > 0 { for _ in 0..<newlines { text.append(0x0A) } }
    if newlines > 0 || first == 0 {
      for _ in 0..<min(quotes, Self.deepest) { text.append("> ") }
    }
    if isItemDue { startItem() }
    for _ in 0..<spaces { text.append(0x20) }
    let shownSpaces = newlines > 0 ? 0 : spaces
    scalars += text.count - first
    (newlines, spaces, isItemDue) = (0, 0, false)
    guard isInLink else { return }
    if links[links.count - 1].start < 0 {
      links[links.count - 1].start = scalars
      links[links.count - 1].textRange = text.count..<text.count
    } else if hidden == 0 {
      for _ in 0..<shownSpaces { shown.append(0x20) }
    }
  }

  private mutating func startItem() {
    for _ in 1..<max(min(lists.count, Self.deepest), 1) { text.append("  ") }
    if let (number, step) = lists.last, step != 0 {
      text.append(decimal: number)
      text.append(". ")
      lists[lists.count - 1].number += step
    } else {
      text.append("- ")
    }
  }

  private mutating func finishCharacters(from first: Int) {
    for at in first..<text.count {
      // A continuation byte does not start a scalar.
      if text[at] & 0xC0 != 0x80 { scalars += 1 }
      if isInLink, hidden == 0 { shown.append(text[at]) }
    }
  }
}
