/// Splits HTML into text and tags as the HTML standard's tokenizer does, in one pass and without a tree: the time grows
/// with the length only, whatever the input is.
///
/// Comments and declarations are skipped, and so are `script`, `style` and the like with their contents.
package struct HTMLTokens {
  package enum Token {
    case text(Range<Int>)
    case start(HTMLTag)
    case end(HTMLElement)
    /// The content of a whole `title` element. It is text, whatever looks like a tag in it, and references count.
    case title(Range<Int>)
  }

  let bytes: ByteView
  private var at = 0

  package init(_ bytes: ByteView) { self.bytes = bytes }

  /// The next token; `nil` at the end. A tag that is cut off is not a token.
  package mutating func next() -> Token? {
    while at < bytes.count {
      if bytes[at] != UInt8(ascii: "<") || !startsMarkup(at) {
        let first = at
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") || !startsMarkup(at) { at += 1 }
        return .text(first..<at)
      }
      if let token = markup() { return token }
    }
    return nil
  }

  /// Whether the `<` at `offset` starts a tag or a comment. Else it is text.
  private func startsMarkup(_ offset: Int) -> Bool {
    guard offset + 1 < bytes.count else { return false }
    switch bytes[offset + 1] {
    case UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/"): return true
    case let byte: return byte.isASCIILetter
    }
  }

  private mutating func markup() -> Token? {
    let isEnd = bytes[at + 1] == UInt8(ascii: "/")
    let nameStart = at + (isEnd ? 2 : 1)
    guard nameStart < bytes.count, bytes[nameStart].isASCIILetter else {
      skipComment()
      return nil
    }
    var nameEnd = nameStart
    while nameEnd < bytes.count, !bytes[nameEnd].endsHTMLName { nameEnd += 1 }
    let element = HTMLElement(bytes.extracting(nameStart..<nameEnd))
    guard let end = tagEnd(from: nameEnd) else {
      at = bytes.count
      return nil
    }
    at = end + 1
    if isEnd { return .end(element) }
    if element == .opaque {
      _ = skipContent(of: nameStart..<nameEnd)
      return nil
    }
    if element == .title { return skipContent(of: nameStart..<nameEnd).map(Token.title) }
    return .start(HTMLTag(element: element, bytes: bytes, attributes: nameEnd..<end))
  }

  /// The offset of the `>` that ends a tag. One in a quoted value does not end it.
  private func tagEnd(from first: Int) -> Int? {
    var attributes = HTMLAttributes(bytes: bytes, range: first..<bytes.count)
    while attributes.next() != nil {}
    return attributes.tagEnd
  }

  private mutating func skipComment() {
    if at + 3 < bytes.count, bytes[at + 1] == UInt8(ascii: "!"), bytes[at + 2] == UInt8(ascii: "-"),
      bytes[at + 3] == UInt8(ascii: "-")
    {
      at += 4
      while at + 2 < bytes.count {
        if bytes[at] == UInt8(ascii: "-"), bytes[at + 1] == UInt8(ascii: "-"),
          bytes[at + 2] == UInt8(ascii: ">")
        {
          at += 3
          return
        }
        at += 1
      }
      at = bytes.count
      return
    }
    while at < bytes.count, bytes[at] != UInt8(ascii: ">") { at += 1 }
    at = min(at + 1, bytes.count)
  }

  /// Skips the content of an element that holds text only, and the end tag of that name.
  /// - Returns: the content; `nil` when no end tag comes.
  private mutating func skipContent(of name: Range<Int>) -> Range<Int>? {
    let first = at
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "<"), isEndTag(at, of: name) {
        let content = first..<at
        while at < bytes.count, bytes[at] != UInt8(ascii: ">") { at += 1 }
        at = min(at + 1, bytes.count)
        return content
      }
      at += 1
    }
    return nil
  }

  private func isEndTag(_ offset: Int, of name: Range<Int>) -> Bool {
    let end = offset + 2 + name.count
    guard end < bytes.count, bytes[offset + 1] == UInt8(ascii: "/"), bytes[end].endsHTMLName else { return false }
    return zip(bytes[(offset + 2)..<end], bytes[name]).allSatisfy { $0.asASCIILowercase == $1.asASCIILowercase }
  }
}

/// The elements that make a difference for the text of a post, or say what a page is.
package enum HTMLElement {
  case link, span, lineBreak, rule, image, paragraph, block, quote, preformatted, list,
    numberedList, item, cell, row, ruby, rubyText, rubyParenthesis, title, metadata, relation, noscript, opaque, other

  package init(_ name: ByteView) {
    // Only these two of the names are longer than eight bytes.
    guard name.count <= 8 else {
      self = name.spells("blockquote") ? .quote : name.spells("plaintext") ? .opaque : .other
      return
    }
    switch name.map({ $0.asASCIILowercase }).reduce(
      into: "", { $0.unicodeScalars.append(Unicode.Scalar($1)) })
    {
    case "a": self = .link
    case "span": self = .span
    case "br": self = .lineBreak
    case "hr": self = .rule
    case "img": self = .image
    case "p", "h1", "h2", "h3", "h4", "h5", "h6": self = .paragraph
    case "div", "section", "article", "header", "footer", "figure", "table", "dl", "dt", "dd":
      self = .block
    case "tr": self = .row
    case "td", "th": self = .cell
    case "ruby": self = .ruby
    case "rt": self = .rubyText
    case "rp": self = .rubyParenthesis
    case "pre": self = .preformatted
    case "ul": self = .list
    case "ol": self = .numberedList
    case "li": self = .item
    case "title": self = .title
    case "meta": self = .metadata
    case "link": self = .relation
    case "noscript": self = .noscript
    case "script", "style", "iframe", "xmp", "noembed", "noframes", "textarea", "template",
      "svg", "math":
      self = .opaque
    default: self = .other
    }
  }
}

/// A start tag and the range of its attributes.
package struct HTMLTag {
  package let element: HTMLElement
  let bytes: ByteView
  let attributes: Range<Int>

  /// The value of an attribute, references not decoded. Of several with that name the first counts.
  package func value(_ name: StaticString) -> ByteView? {
    var list = HTMLAttributes(bytes: bytes, range: attributes)
    while let attribute = list.next() {
      if bytes.extracting(attribute.name).spells(name) {
        return bytes.extracting(attribute.value)
      }
    }
    return nil
  }

  /// Whether one of the words of `class` or `rel` is this one.
  package func holds(_ word: StaticString, in name: StaticString) -> Bool {
    guard let value = value(name) else { return false }
    return value.split(whereSeparator: \.isHTMLSpace).contains {
      ByteView(rebasing: $0).spells(word)
    }
  }
}

/// Iterates over the attributes of a tag up to its `>`.
struct HTMLAttributes {
  let bytes: ByteView
  private var at: Int
  private let limit: Int
  /// The offset of the tag's `>`, after ``next()`` has returned `nil`; `nil` when there is none.
  private(set) var tagEnd: Int?

  package init(bytes: ByteView, range: Range<Int>) {
    (self.bytes, at, limit) = (bytes, range.lowerBound, range.upperBound)
  }

  package mutating func next() -> (name: Range<Int>, value: Range<Int>)? {
    while at < limit, bytes[at].isHTMLSpace || bytes[at] == UInt8(ascii: "/") { at += 1 }
    guard at < limit else { return nil }
    if bytes[at] == UInt8(ascii: ">") {
      tagEnd = at
      return nil
    }
    let name = at
    at += 1
    while at < limit, !bytes[at].endsHTMLName, bytes[at] != UInt8(ascii: "=") { at += 1 }
    let nameEnd = at
    skipSpace()
    guard at < limit, bytes[at] == UInt8(ascii: "=") else {
      return (name..<nameEnd, nameEnd..<nameEnd)
    }
    at += 1
    skipSpace()
    guard at < limit else { return nil }
    return (name..<nameEnd, value())
  }

  private mutating func value() -> Range<Int> {
    let quote = bytes[at]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      at += 1
      let first = at
      while at < limit, bytes[at] != quote { at += 1 }
      let value = first..<at
      at = min(at + 1, limit)
      return value
    }
    let first = at
    while at < limit, !bytes[at].isHTMLSpace, bytes[at] != UInt8(ascii: ">") { at += 1 }
    return first..<at
  }

  private mutating func skipSpace() {
    while at < limit, bytes[at].isHTMLSpace { at += 1 }
  }
}

extension UInt8 {
  package var isHTMLSpace: Bool {
    self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D || self == 0x0C
  }

  var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  package var asASCIILowercase: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

  fileprivate var endsHTMLName: Bool {
    isHTMLSpace || self == UInt8(ascii: ">") || self == UInt8(ascii: "/")
  }
}

extension ByteView {
  /// Whether these bytes are `name`, which is in lower case; the case of the bytes does not matter.
  package func spells(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount else { return false }
    for at in 0..<count where self[at].asASCIILowercase != name.utf8Start[at] { return false }
    return true
  }
}
