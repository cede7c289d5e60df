import TweetCore

/// The text of some HTML as a post shows it, and the links in it.
///
/// Paragraphs have a blank line between them, `br` is a newline, list items and quotes get the marks they have in plain
/// mail (`- `, `1. `, `> `), pictures their description. White space with a newline in it is the source's own layout and
/// counts as one space; other white space stays, as Mastodon itself shows it. Parts of a link that a page hides
/// (Mastodon's `span.invisible`) belong to the text; how a page shows the link is kept beside it.
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
  /// The links' parts that a page shows, one after the other.
  private(set) var shown = ByteBuffer()
  /// The links' addresses, one after the other.
  private(set) var addresses = ByteBuffer()
  private(set) var links: [Link] = []

  private enum Span { case plain, hidden, ellipsis }

  private var plain = ByteBuffer()
  private var scalars = 0
  /// Line ends that are due before the next character, and whether a space is.
  private var newlines = 0
  private var spaces = 0
  private var isInLink = false
  private var spans: [Span] = []
  private var hidden = 0
  private var quotes = 0
  private var preformatted = 0
  /// The open lists: the number of the next item, 0 where items have none.
  private var lists: [Int] = []
  private var isItemDue = false
  /// Marks of deeper quotes and lists than any page shows would only fill the text.
  private static let deepest = 16

  /// Reads the HTML that the inside of a JSON string stands for; forgets what was read before.
  mutating func read(_ raw: UnsafeBufferPointer<UInt8>) {
    text.removeAll()
    shown.removeAll()
    addresses.removeAll()
    links.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
    lists.removeAll(keepingCapacity: true)
    (scalars, newlines, spaces, hidden, quotes, preformatted) = (0, 0, 0, 0, 0, 0)
    (isInLink, isItemDue) = (false, false)
    plain.removeAll()
    plain.append(unescaping: raw)
    // The bytes stay where they are while they are read: nothing below appends to this buffer.
    let bytes = plain.withBytes { $0 }
    var tokens = HTMLTokens(bytes)
    while let token = tokens.next() {
      switch token {
      case .text(let range): append(bytes, range)
      case .start(let tag): start(tag)
      case .end(let element): end(element)
      // The name of a page is no part of a post's text.
      case .title: break
      }
    }
    closeLink()
  }

  // MARK: Tags

  private mutating func start(_ tag: HTMLTag) {
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
      lists.append(tag.element == .list ? 0 : 1)
    case .item:
      breakLine(max(newlines, 1))
      isItemDue = true
    case .paragraph, .rule, .block: breakBlock(tag.element)
    case .title, .opaque, .other: break
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
    case .paragraph, .block: breakBlock(element)
    case .lineBreak, .rule, .image, .title, .opaque, .other: break
    }
  }

  /// A paragraph that is all of a list item starts on the item's line.
  private mutating func breakBlock(_ element: HTMLElement) {
    if isItemDue { return }
    breakLine(max(newlines, element == .block || !lists.isEmpty ? 1 : 2))
  }

  private mutating func breakLine(_ due: Int) {
    // A link that a broken page leaves open ends with its paragraph.
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

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
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
          UnsafeBufferPointer(rebasing: bytes[..<range.upperBound]), at: at, to: &text)
      }
      if length == 0 {
        length = 1
        while at + length < range.upperBound, !bytes[at + length].isHTMLSpace,
          bytes[at + length] != UInt8(ascii: "&")
        {
          length += 1
        }
        text.append(UnsafeBufferPointer(rebasing: bytes[at..<at + length]))
      }
      finishCharacters(from: first)
      at += length
    }
  }

  /// White space waits: it counts only when something follows it on its line.
  private mutating func appendSpace(_ bytes: UnsafeBufferPointer<UInt8>, _ first: Int, _ limit: Int)
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

  /// Writes what is due before the next character.
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
    if let number = lists.last, number > 0 {
      text.append(decimal: number)
      text.append(". ")
      lists[lists.count - 1] = number + 1
    } else {
      text.append("- ")
    }
  }

  private mutating func finishCharacters(from first: Int) {
    for at in first..<text.count {
      // Continuation bytes start no scalar.
      if text[at] & 0xC0 != 0x80 { scalars += 1 }
      if isInLink, hidden == 0 { shown.append(text[at]) }
    }
  }
}
