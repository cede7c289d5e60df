import TweetCore
import TwitterText

/// A link, hashtag, mention or cashtag of a text, in place.
struct TextPart: Sendable, Equatable {
  let kind: TextEntity.Kind
  /// Places in the text's scalars.
  let range: Range<Int>
  /// The link with its scheme, or the tag or name without its mark.
  let value: String

  /// Those of a text as it was written, in order, by twitter-text's rules.
  static func find(in text: String, _ kinds: TextEntityKinds = .all) -> [TextPart] {
    var text = text
    return text.withUTF8 { bytes in
      TextEntities.find(in: bytes, kinds).compactMap { entity in
        // X makes no entity of a list's name.
        if entity.kind == .list { return nil }
        let name = String(decoding: UnsafeBufferPointer(rebasing: bytes[entity.name]), as: UTF8.self)
        let isBare = entity.kind == .url && !name.contains("://")
        return TextPart(kind: entity.kind, range: entity.start..<entity.end, value: isBare ? "http://" + name : name)
      }
    }
  }
}

/// Links to this service itself. Its address may differ next time, so stored texts have a host that stands for it, one
/// that nobody can own (RFC 2606).
enum OwnLink {
  private static let prefix = "https://tw-local.example.com/"
  /// The same in the demo's script.
  private static let scheme = "local://"

  /// - Parameter path: without the first slash.
  static func to(_ path: String) -> String { prefix + path }

  /// A text of the script as it is stored.
  static func written(_ text: String) -> String { text.replacing(scheme, with: prefix) }

  /// Whether it leads to a post's photo.
  static func isPhoto(_ link: String) -> Bool { link.hasPrefix(prefix) && link.hasSuffix("/photo/1") }

  /// A link as it is reached.
  /// - Parameter base: the service's address, `http://127.0.0.1:PORT`.
  static func resolved(_ link: String, base: String) -> String {
    link.hasPrefix(prefix) ? "\(base)/\(link.dropFirst(prefix.count))" : link
  }
}
