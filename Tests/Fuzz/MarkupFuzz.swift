import TweetCore
import TweetNet

@testable import TweetShapes
@testable import tw_linkcheck

// HTML → text, links and titles.
extension FuzzTarget {
  /// What must hold:
  ///
  /// - the tokenizer's texts are parts of the input, in order, and it ends;
  /// - a post's text is UTF-8, and its links are ranges of it, in order, of as many scalars as they say;
  /// - it does not matter what was read before.
  static let html = FuzzTarget(name: "html") { input in
    input.withBytes { bytes in
      var tokens = HTMLTokens(bytes)
      var (end, count) = (0, 0)
      while let token = tokens.next() {
        count += 1
        require(count <= bytes.count, "more tokens than bytes")
        guard case .text(let range) = token else { continue }
        require(range.lowerBound >= end && range.upperBound <= bytes.count, "the texts are out of order")
        end = range.upperBound
      }
    }
    let string = JSONInside(of: input)
    let fresh = PostText(string)
    fresh.check()
    var html = HTMLText()
    JSONInside(of: Array("<ol><li><pre><a href=x>y<blockquote>&nbsp;".utf8)).withBytes { html.read($0) }
    string.withBytes { html.read($0) }
    require(PostText(html).text == fresh.text, "the text depends on what was read before")
  }

  /// A title is one line of characters that can be seen, no longer than its limit; the text of a page has lines of
  /// such.
  static let titles = FuzzTarget(name: "titles") { input in
    for charset in [nil, "utf-8", "windows-1252", "shift_jis", "gb18030", "iso-2022-jp"] as [String?] {
      let type = ContentType("text/html" + (charset.map { "; charset=\($0)" } ?? ""))
      let text = PageText.make(HTTPResponse(status: 200, body: input, url: ""), type)
      require(text.utf8.count <= PageText.limit, "\(text.utf8.count) bytes of text")
      for scalar in text.unicodeScalars {
        require(scalar.value >= 0x20 && scalar.value != 0x7F || scalar == "\n", "a control character: \(text)")
      }
      guard let title = PageHead(input, charset: charset).title else { continue }
      require(!title.isEmpty && title.unicodeScalars.count <= PageTitle.limit, "a title of \(title.count) characters")
      for scalar in title.unicodeScalars {
        require(scalar.value >= 0x20 && scalar.value != 0x7F, "a title with a control character: \(title)")
      }
    }
  }
}

/// Bytes as they stand between the quotes of a JSON string.
private struct JSONInside: ~Copyable {
  private var quoted = ByteBuffer()

  init(of bytes: [UInt8]) { quoted.appendJSONString(String(decoding: bytes, as: UTF8.self)) }

  func withBytes<Result>(_ body: (ByteView) -> Result) -> Result {
    quoted.withBytes { body(ByteView(rebasing: $0.dropFirst().dropLast())) }
  }
}

/// What ``HTMLText`` made of some HTML.
private struct PostText {
  let text: [UInt8]
  private let shown: Int
  private let addresses: Int
  private let links: [HTMLText.Link]

  init(_ string: borrowing JSONInside) {
    var html = HTMLText()
    string.withBytes { html.read($0) }
    self.init(html)
  }

  init(_ html: borrowing HTMLText) {
    text = html.text.array
    shown = html.shown.count
    addresses = html.addresses.count
    links = html.links
  }

  func check() {
    require(String(validating: text, as: UTF8.self) != nil, "the text is no UTF-8")
    var end = 0
    for link in links {
      require(link.shownRange.upperBound <= shown && link.addressRange.upperBound <= addresses, "a link is too long")
      if link.start < 0 { continue }
      require(link.start >= end && link.end >= link.start, "the links are out of order")
      end = link.end
      require(link.textRange.upperBound <= text.count, "a link is longer than the text")
      let before = text[..<link.textRange.lowerBound].count { $0 & 0xC0 != 0x80 }
      let inside = text[link.textRange].count { $0 & 0xC0 != 0x80 }
      require(before == link.start && before + inside == link.end, "a link's offsets are not those of its text")
    }
  }
}
