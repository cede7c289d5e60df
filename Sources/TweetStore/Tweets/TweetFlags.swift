import SQLite
import TweetCore

/// Columns of a tweet that have indexes. They are written only if they change.
struct TweetFlags: Equatable {
  /// The bytes in the record.
  var lang: String?
  /// The column `media`.
  var media: Int?
  /// The column `viewer`.
  var viewer: Int?
  var hasLinks: Bool
  /// See ``CanonicalAddress``.
  var address: String?
  /// Whether it is withheld in all countries.
  var isWithheld: Bool
}

/// A kind of media that a tweet may have.
package enum MediaKind: Int, CaseIterable, Sendable {
  case photo = 1
  /// A video, or an animated GIF, which is one too.
  case video = 2
  /// Another one, or one of which the record has only the name.
  case other = 4

  /// The column `media` of a tweet: the sum of its kinds; `nil` for none.
  static func column(_ attachments: JSONValue?) -> Int? {
    guard let attachments else { return nil }
    var sum = 0
    if let list = attachments["media"] {
      for media in list.elements { sum |= kind(of: media["type"]).rawValue }
    }
    if sum == 0, attachments["media_keys"]?.isEmpty == false { return other.rawValue }
    return sum == 0 ? nil : sum
  }

  private static func kind(of type: JSONValue?) -> MediaKind {
    guard let type else { return .other }
    if type.equals("photo") { return .photo }
    return type.equals("video") || type.equals("animated_gif") ? .video : .other
  }

  /// The values of the column with all of these kinds.
  static func values(with kinds: Set<MediaKind>) -> [SQLValue] {
    sums(of: allCases.map(\.rawValue), with: kinds.reduce(0) { $0 | $1.rawValue })
  }
}

/// What signed-in accounts did with a tweet.
enum ViewerMark: Int, CaseIterable {
  case liked = 1
  case bookmarked = 2

  private var key: StaticString { self == .liked ? "liked" : "bookmarked" }

  /// The column `viewer` of a tweet: the sum of what one account or several did; `nil` for nothing.
  static func column(_ viewer: JSONValue?, _ others: JSONValue?) -> Int? {
    var sum = 0
    for mark in allCases {
      let isSet = viewer?[mark.key]?.bool == true || others?.elements.contains { $0[mark.key]?.bool == true } == true
      if isSet { sum |= mark.rawValue }
    }
    return sum == 0 ? nil : sum
  }

  /// The values of the column with this mark.
  var values: [SQLValue] { sums(of: Self.allCases.map(\.rawValue), with: rawValue) }
}

/// The sums of some of these powers of two, above 0, that have all of `wanted` in them.
private func sums(of bits: [Int], with wanted: Int) -> [SQLValue] {
  (1...bits.reduce(0, +)).filter { $0 & wanted == wanted }.map { .integer($0) }
}
