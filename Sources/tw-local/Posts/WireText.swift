import TweetCore
import TwitterText

/// A text as X sends it: `&`, `<` and `>` escaped, links shortened, entities by places in just that text.
struct WireText {
  /// An entity's place in ``text``, counted in scalars, end exclusive.
  struct Span {
    var start: Int
    var end: Int
    var kind: TextEntity.Kind
    /// As in ``TextPart``.
    var value: String
  }

  private(set) var text: String
  private(set) var spans: [Span]
  /// Scalars in ``text``.
  private(set) var count: Int

  /// X shows this many weighted characters; the whole of a longer post goes into `note_tweet`.
  static let shownWeight = 280

  /// - Parameters:
  ///   - source: as written.
  ///   - shorten: gives the short link for a link.
  init(_ source: String, shorten: (String) -> String) {
    let scalars = Array(source.unicodeScalars)
    var output = String.UnicodeScalarView()
    var length = 0
    var spans: [Span] = []
    func add(_ text: some Sequence<Unicode.Scalar>) {
      for scalar in text {
        output.append(scalar)
        length += 1
      }
    }
    func addEscaped(_ part: ArraySlice<Unicode.Scalar>) {
      for scalar in part {
        switch scalar {
        case "&": add("&amp;".unicodeScalars)
        case "<": add("&lt;".unicodeScalars)
        case ">": add("&gt;".unicodeScalars)
        default: add(CollectionOfOne(scalar))
        }
      }
    }
    var at = 0
    for part in TextPart.find(in: source) {
      addEscaped(scalars[at..<part.range.lowerBound])
      let start = length
      if part.kind == .url {
        add(shorten(part.value).unicodeScalars)
      } else {
        addEscaped(scalars[part.range])
      }
      spans.append(Span(start: start, end: length, kind: part.kind, value: part.value))
      at = part.range.upperBound
    }
    addEscaped(scalars[at...])
    text = String(output)
    self.spans = spans
    count = length
  }

  /// Adds a link at the end, as X does for what is attached or quoted.
  mutating func append(link: String, short: String) {
    let start = text.isEmpty ? 0 : count + 1
    text += text.isEmpty ? short : " " + short
    count = start + short.unicodeScalars.count
    spans.append(Span(start: start, end: count, kind: .url, value: link))
  }

  /// The same behind a prefix that mentions someone: `RT @name: `.
  func retweeted(from username: String) -> WireText {
    var result = self
    let prefix = "RT @\(username): "
    let shift = prefix.unicodeScalars.count
    result.text = prefix + text
    result.count += shift
    result.spans = [Span(start: 3, end: shift - 2, kind: .mention, value: username)]
    result.spans += spans.map {
      Span(start: $0.start + shift, end: $0.end + shift, kind: $0.kind, value: $0.value)
    }
    return result
  }

  /// At most `limit` scalars, an ellipsis included; never cut inside an entity, an escape or a grapheme cluster.
  func cut(to limit: Int) -> WireText {
    guard count > limit else { return self }
    var end = 0
    var kept = ""
    var escape = ""
    for character in text {
      let next = end + escape.unicodeScalars.count + character.unicodeScalars.count
      guard next < limit else { break }
      escape.append(character)
      if character == "&" || (escape.first == "&" && character != ";" && escape.count < 5) { continue }
      kept += escape
      end = next
      escape = ""
    }
    if let broken = spans.first(where: { $0.start < end && $0.end > end }) {
      end = broken.start
      kept = String(String.UnicodeScalarView(kept.unicodeScalars.prefix(end)))
    }
    var result = self
    result.text = kept + "…"
    result.count = end + 1
    result.spans = spans.filter { $0.end <= end }
    return result
  }
}
