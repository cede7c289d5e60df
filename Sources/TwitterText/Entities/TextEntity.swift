/// One thing in a text that is more than text, as twitter-text's rules find it.
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
  /// The bytes of its name: a tag, a symbol or a user without the sign; a URL whole.
  package let name: Range<Int>
  /// Where it starts and ends in Unicode scalars of the text, the sign included, the end exclusive: the services' own
  /// way of counting.
  package internal(set) var start = 0
  package internal(set) var end = 0

  /// The bytes of a list's own name, without the slash; `nil` for all else.
  package var listName: Range<Int>? {
    kind == .list ? name.upperBound + 1..<bytes.upperBound : nil
  }

  init(_ kind: Kind, bytes: Range<Int>, name: Range<Int>) {
    self.kind = kind
    self.bytes = bytes
    self.name = name
  }
}

/// Which kinds of entities are asked for.
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
