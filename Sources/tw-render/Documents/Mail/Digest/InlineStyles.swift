import TweetCore
import TweetDisplay

/// Turns the markup of pages into that of mail: each element gets its style itself instead of a class, since mail
/// programs leave style sheets out; elements that they do not know become others.
///
/// It reads only markup of this program, in which text has no `<`, and a value of an attribute no `>`.
enum InlineStyles {
  /// Appends markup.
  static func append(_ markup: ByteView, to output: inout ByteBuffer) {
    var rest = markup[...]
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      output.append(ByteView(rebasing: rest[..<start]))
      let end = rest[start...].firstIndex(of: UInt8(ascii: ">")) ?? rest.endIndex
      append(tag: ByteView(rebasing: rest[(start + 1)..<end]), to: &output)
      rest = rest[min(end + 1, rest.endIndex)...]
    }
    output.append(ByteView(rebasing: rest))
  }

  /// - Parameter tag: without its brackets.
  private static func append(tag: ByteView, to output: inout ByteBuffer) {
    let isEnd = tag.first == UInt8(ascii: "/")
    let words = tag.dropFirst(isEnd ? 1 : 0)
    let name = String(decoding: words.prefix { $0 != 0x20 && $0 != 0x2F }, as: UTF8.self)
    guard let shown = elements[name] ?? name as String?, !shown.isEmpty else { return }
    output.append(isEnd ? "</\(shown)" : "<\(shown)")
    if !isEnd { append(attributes: words.dropFirst(name.utf8.count), of: name, to: &output) }
    output.append(">")
  }

  private static func append(
    attributes: Slice<ByteView>, of name: String, to output: inout ByteBuffer
  ) {
    var (style, shade) = ("", "")
    func add(_ more: String?) {
      style += more ?? ""
      for (name, colour) in colours where more?.contains("color:\(colour);") == true { shade = name }
    }
    add(styles[name])
    var rest = attributes
    while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
      let key = String(decoding: rest[..<equals].drop { $0 == 0x20 }, as: UTF8.self)
      let value = rest[(equals + 1)...].dropFirst().prefix { $0 != UInt8(ascii: "\"") }
      if key == "class" {
        for word in value.split(separator: 0x20) { add(styles["." + String(decoding: word, as: UTF8.self)]) }
      } else if kept.contains(key) {
        output.append(" \(key)=\"")
        output.append(ByteView(rebasing: value))
        output.append("\"")
      }
      rest = rest[min(value.endIndex + 1, rest.endIndex)...]
    }
    if !shade.isEmpty { output.append(" class=\"\(shade)\"") }
    if !style.isEmpty { output.append(" style=\"\(style)\"") }
  }

  private static let kept = ["href", "src", "width", "height", "alt", "dir", "lang", "title"]

  /// What becomes of elements that mail programs leave out, some with what is in them; nothing, or another.
  private static let elements = [
    "meter": "", "data": "", "time": "span", "label": "span", "details": "div", "summary": "p", "article": "div",
    "h2": "div",
  ]

  /// The colours of text on a white ground, by the classes that give them others on a dark one. No colour has enough
  /// contrast on both (WCAG 2.1: 4.5 to 1).
  private static let colours = [("dim", "#56636f"), ("link", "#0b5cab"), ("warn", "#a4320f"), ("plain", "inherit")]
  /// Programs without style sheets in messages leave the ground white, or make colours lighter themselves.
  static let darkSheet = """
    @media (prefers-color-scheme:dark){.dim{color:#9ba7b3!important}.link{color:#84bdf7!important}\
    .warn{color:#ff9e80!important}}

    """
  static let dim = "color:#56636f;font-size:14px;"
  private static let box = "margin:8px 0 0;padding:8px 12px;border:1px solid #99a3ad;border-radius:8px;"

  /// By element, and by class.
  private static let styles: [String: String] = {
    var styles = [
      "a": "color:#0b5cab;", "h2": "margin:0;", "blockquote": box, "summary": "margin:4px 0 0;font-weight:bold;",
      "ul": "margin:6px 0 0;padding:0;list-style:none;", "li": "margin:3px 0 0;", "time": dim + "white-space:nowrap;",
      "img": "display:block;max-width:100%;height:auto;border:0;border-radius:8px;",
      ".face": "display:inline-block;width:40px;height:40px;line-height:40px;border-radius:20px;text-align:center;"
        + "color:#ffffff;font-weight:bold;font-size:15px;",
      ".p-name": "font-weight:bold;color:inherit;text-decoration:none;", ".handle": dim, ".note": dim + "margin:0;",
      ".text": "margin:4px 0 0;", ".card": box, ".host": dim, ".verdict": "color:#a4320f;font-size:14px;",
      ".verified": "color:#0b5cab;", ".media": dim, ".votes": dim + "margin:4px 0 0;", ".counts": dim,
      ".head": "margin:0;",
    ]
    for (number, colour) in AuthorColour.palette.enumerated() {
      let hex = [colour.red, colour.green, colour.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      styles[".c\(number)"] = "background:#\(hex.joined());"
    }
    return styles
  }()
}
