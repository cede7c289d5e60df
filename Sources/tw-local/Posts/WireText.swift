/// A text as X sends it: `&`, `<` and `>` escaped, links shortened, entities by places in just that text.
struct WireText {
  /// An entity's place in ``text``, counted in scalars, end exclusive.
  struct Span {
    var start: Int
    var end: Int
    var entity: TextEntity
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
    let entities = TextEntity.find(in: source)
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
    for entity in entities {
      addEscaped(scalars[at..<entity.range.lowerBound])
      let start = length
      if entity.kind == .url {
        add(shorten(entity.value).unicodeScalars)
      } else {
        addEscaped(scalars[entity.range])
      }
      spans.append(Span(start: start, end: length, entity: entity))
      at = entity.range.upperBound
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
    let entity = TextEntity(kind: .url, range: start..<count, value: link)
    spans.append(Span(start: start, end: count, entity: entity))
  }

  /// The same behind a prefix that mentions someone: `RT @name: `.
  func retweeted(from username: String) -> WireText {
    var result = self
    let prefix = "RT @\(username): "
    let shift = prefix.unicodeScalars.count
    let name = TextEntity(kind: .mention, range: 3..<shift - 2, value: username)
    result.text = prefix + text
    result.count += shift
    result.spans = [Span(start: 3, end: shift - 2, entity: name)]
    result.spans += spans.map { Span(start: $0.start + shift, end: $0.end + shift, entity: $0.entity) }
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

  /// The length as X counts it (twitter-text 3): links 23, emoji and most scripts' characters 2, Latin and the like 1.
  static func weight(of source: String) -> Int {
    let scalars = Array(source.unicodeScalars)
    var weight = 0
    var at = 0
    for entity in TextEntity.find(in: source) where entity.kind == .url {
      weight += self.weight(of: scalars[at..<entity.range.lowerBound]) + 23
      at = entity.range.upperBound
    }
    return weight + self.weight(of: scalars[at...])
  }

  private static func weight(of scalars: ArraySlice<Unicode.Scalar>) -> Int {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view).reduce(0) { sum, character in
      let parts = character.unicodeScalars
      let isEmoji = parts.contains { $0.properties.isEmojiPresentation || $0 == "\u{FE0F}" || $0 == "\u{20E3}" }
      return sum + (isEmoji ? 2 : parts.reduce(0) { $0 + weight(of: $1) })
    }
  }

  private static func weight(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0...0x10FF, 0x2000...0x200D, 0x2010...0x201F, 0x2032...0x2037: 1
    default: 2
    }
  }
}
