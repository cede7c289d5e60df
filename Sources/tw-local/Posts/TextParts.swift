import TweetCore
import TwitterText

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
