import TweetCore
import TwitterText

/// A text as X sends it: `&`, `<` and `>` are escaped, links are short, offsets of entities are those in this text.
struct WireText {
  /// An entity in ``text``. Offsets count scalars; `end` is exclusive.
  struct Span {
    var start: Int
    var end: Int
    let kind: TextEntity.Kind
    /// As in ``TextPart``.
    let value: String
  }

  private(set) var text: String
  private(set) var spans: [Span]
  /// Scalars in ``text``.
  private(set) var count: Int

  /// - Parameters:
  ///   - source: a stored text.
  ///   - site: makes its links short.
  init(_ source: String, _ site: SiteAddress) {
    let scalars = Array(source.unicodeScalars)
    var output = String.UnicodeScalarView()
    var length = 0
    var spans: [Span] = []
    func append(_ text: some Sequence<Unicode.Scalar>) {
      for scalar in text {
        output.append(scalar)
        length += 1
      }
    }
    func appendEscaped(_ part: ArraySlice<Unicode.Scalar>) {
      for scalar in part {
        switch scalar {
        case "&": append("&amp;".unicodeScalars)
        case "<": append("&lt;".unicodeScalars)
        case ">": append("&gt;".unicodeScalars)
        default: append(CollectionOfOne(scalar))
        }
      }
    }
    var copied = 0
    for part in TextPart.find(in: source) {
      appendEscaped(scalars[copied..<part.range.lowerBound])
      let start = length
      if part.kind == .url {
        append(site.short(part.value).unicodeScalars)
      } else {
        appendEscaped(scalars[part.range])
      }
      spans.append(Span(start: start, end: length, kind: part.kind, value: part.value))
      copied = part.range.upperBound
    }
    appendEscaped(scalars[copied...])
    text = String(output)
    self.spans = spans
    count = length
  }

  /// Appends a link, as X does for what a post quotes or has attached.
  mutating func append(link: String, _ site: SiteAddress) {
    let short = site.short(link)
    let start = text.isEmpty ? 0 : count + 1
    text += text.isEmpty ? short : " " + short
    count = start + short.unicodeScalars.count
    spans.append(Span(start: start, end: count, kind: .url, value: link))
  }

  /// The text of a retweet: `RT @name: ` and this text.
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

  /// At most `limit` scalars, with an ellipsis where something is left out. No entity, escape or grapheme cluster is
  /// cut in two.
  func truncated(to limit: Int) -> WireText {
    guard count > limit else { return self }
    var end = 0
    var kept = ""
    var pending = ""
    for character in text {
      let next = end + pending.unicodeScalars.count + character.unicodeScalars.count
      guard next < limit else { break }
      pending.append(character)
      // An escape is kept as a whole.
      if character == "&" || (pending.first == "&" && character != ";" && pending.count < 5) { continue }
      kept += pending
      end = next
      pending = ""
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

/// A link, hashtag, mention or cashtag of a text.
struct TextPart: Sendable, Equatable {
  let kind: TextEntity.Kind
  /// Offsets in scalars of the text.
  let range: Range<Int>
  /// The link with its scheme, or the tag or name without its mark.
  let value: String

  /// The links in a stored text.
  static func links(in text: String) -> [String] { find(in: text, .urls).map(\.value) }

  /// The names that a stored text mentions.
  static func mentions(in text: String) -> [String] { find(in: text, .mentions).map(\.value) }

  /// Finds the parts of a stored text, in order, by twitter-text's rules.
  static func find(in text: String, _ kinds: TextEntityKinds = .all) -> [TextPart] {
    text.withBytes { bytes in
      TextEntities.find(in: bytes, kinds).compactMap { entity in
        // On X the name of a list is no entity.
        if entity.kind == .list { return nil }
        let name = String(decoding: bytes.extracting(entity.name), as: UTF8.self)
        let hasNoScheme = entity.kind == .url && !name.contains("://")
        return TextPart(
          kind: entity.kind, range: entity.start..<entity.end, value: hasNoScheme ? "http://" + name : name)
      }
    }
  }
}
