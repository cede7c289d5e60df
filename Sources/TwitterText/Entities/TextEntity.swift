/// A hashtag, mention, list, cashtag or URL in a text, as twitter-text's rules find it.
package struct TextEntity: Equatable, Sendable {
  package enum Kind: Sendable {
    /// `#tag`
    case hashtag
    /// `@name`
    case mention
    /// `@name/list`
    case list
    /// `$SYMBOL`
    case cashtag
    /// A web address, with or without `https://`.
    case url
  }

  package let kind: Kind
  /// Its bytes in the text, the sign before it included.
  package let bytes: Range<Int>
  /// The bytes of its name: a tag, symbol or user without the sign, or the whole URL.
  package let name: Range<Int>
  /// The offset of its first scalar, the sign included. X counts in Unicode scalars.
  package internal(set) var start = 0
  /// The offset of the scalar after it.
  package internal(set) var end = 0

  /// The bytes of a list's own name, without the slash; `nil` for the other kinds.
  package var listName: Range<Int>? {
    kind == .list ? name.upperBound + 1..<bytes.upperBound : nil
  }

  init(_ kind: Kind, bytes: Range<Int>, name: Range<Int>) {
    self.kind = kind
    self.bytes = bytes
    self.name = name
  }
}

/// Kinds of entities to find.
package struct TextEntityKinds: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let hashtags = Self(rawValue: 1)
  /// Users and lists.
  package static let mentions = Self(rawValue: 2)
  package static let cashtags = Self(rawValue: 4)
  package static let urls = Self(rawValue: 8)
  package static let all: Self = [.hashtags, .mentions, .cashtags, .urls]
}
