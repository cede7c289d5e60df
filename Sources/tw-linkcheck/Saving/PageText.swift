import TweetCore
import TweetNet

/// The text of a page, for the search of the store: what a person reads, without marks and layout.
enum PageText {
  /// In bytes of UTF-8. An article has some thousand words.
  static let limit = 16 << 10

  /// The text of an HTML page, its title first, or of plain text; empty for everything else.
  static func make(_ response: HTTPResponse, _ type: ContentType?) -> String {
    guard let type, type.isPage || type.essence == "text/plain" else { return "" }
    let text = PageCharset.decode(response.body, charset: type.charset)
    var result = Writer()
    guard type.isPage else {
      for line in text.split(separator: UInt8(ascii: "\n")) where !result.isFull {
        result.append(String(decoding: line, as: UTF8.self))
        result.endsLine = true
      }
      return result.text
    }
    text.withBytes { bytes in
      var tokens = HTMLTokens(bytes)
      var isHidden = false
      while !result.isFull, let token = tokens.next() {
        switch token {
        case .text(let range) where !isHidden: result.append(PageHead.resolveReferences(in: Array(bytes[range])))
        case .title(let range):
          result.append(PageHead.resolveReferences(in: Array(bytes[range])))
          result.endsLine = true
        case .start(let tag) where tag.element == .noscript: isHidden = true
        case .end(.noscript): isHidden = false
        case .start(let tag): result.endsLine = result.endsLine || breaksLine(tag.element)
        case .end(let element): result.endsLine = result.endsLine || breaksLine(element)
        case .text: break
        }
      }
    }
    return result.text
  }

  private static func breaksLine(_ element: HTMLElement) -> Bool {
    switch element {
    case .lineBreak, .rule, .paragraph, .block, .quote, .preformatted, .list, .numberedList, .item, .row, .cell: true
    default: false
    }
  }

  /// Puts pieces together, with one space or one newline between words, as far as there is room.
  private struct Writer {
    private(set) var text = ""
    /// Whether a newline comes before the next word.
    var endsLine = false
    private var endsWord = false
    private var size = 0

    var isFull: Bool { size >= PageText.limit }

    mutating func append(_ piece: String) {
      for scalar in piece.unicodeScalars {
        if isFull { return }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator:
          endsWord = true
          continue
        case .surrogate, .privateUse, .unassigned: continue
        case .format where PageTitle.isBidiControl(scalar): continue
        default: break
        }
        if endsLine || endsWord, !text.isEmpty {
          text.unicodeScalars.append(endsLine ? "\n" : " ")
          size += 1
        }
        (endsLine, endsWord) = (false, false)
        let length = UTF8.width(scalar)
        guard size + length <= PageText.limit else {
          size = PageText.limit
          return
        }
        text.unicodeScalars.append(scalar)
        size += length
      }
    }
  }
}
