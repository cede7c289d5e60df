import TweetCore

/// The id of a post, as its service writes it, and where the post stands among the others if ids of the service tell
/// that.
package enum PostID: Hashable, Sendable, CustomStringConvertible {
  /// A number: later posts have larger ones.
  case number(Int)
  /// Another id. Of two orders the longer one is of the later post, of two as long the larger one; `nil` if ids do not
  /// tell which post is older.
  case text(String, order: String?)

  /// Reads an id. One of digits alone has its place among others, however long it is; any other text has none.
  package init(_ text: String) {
    let isNumber = !text.isEmpty && text.utf8.allSatisfy(\.isASCIIDigit)
    if isNumber, let number = Int(text), text == "0" || !text.hasPrefix("0") {
      self = .number(number)
    } else {
      self = .text(text, order: isNumber ? text : nil)
    }
  }

  /// The id as the service writes it.
  package var description: String {
    switch self {
    case .number(let number): String(number)
    case .text(let text, _): text
    }
  }

  /// 64 bits that are the same for the same id in each run, and differ between ids: the number itself, or a hash.
  package var key: UInt64 {
    switch self {
    case .number(let number): UInt64(bitPattern: Int64(number))
    case .text(let text, _): fingerprint(text.utf8)
    }
  }

  /// The same for an id of something else, such as an account.
  package static func key(of id: String) -> UInt64 { UInt64(id) ?? fingerprint(id.utf8) }

  /// Whether the post is older than another. Of two posts without an order neither is.
  package func isOlder(than other: PostID) -> Bool {
    if case .number(let number) = self, case .number(let second) = other { return number < second }
    guard let order, let second = other.order else { return false }
    return order.utf8.count == second.utf8.count
      ? order.utf8.lexicographicallyPrecedes(second.utf8) : order.utf8.count < second.utf8.count
  }

  private var order: String? {
    switch self {
    case .number(let number): String(number)
    case .text(_, let order): order
    }
  }

  /// Whether another post is this one or newer.
  package func isReached(by other: PostID) -> Bool { self == other || isOlder(than: other) }

  /// The newer of two posts; without an order the second.
  package static func newer(_ one: PostID, _ other: PostID) -> PostID { other.isOlder(than: one) ? one : other }

  /// The newer of two ids, or the only one.
  package static func newer(_ one: PostID?, _ other: PostID?) -> PostID? {
    guard let one, let other else { return one ?? other }
    return newer(one, other)
  }

  /// The older of two ids, or the only one; without an order the second.
  package static func older(_ one: PostID?, _ other: PostID?) -> PostID? {
    guard let one, let other else { return one ?? other }
    return one.isOlder(than: other) ? one : other
  }
}

extension RecentKeys {
  /// Remembers a post.
  ///
  /// - Returns: `false` if it is remembered from before.
  package mutating func insert(_ id: PostID) -> Bool { insert(Int(bitPattern: UInt(id.key))) }

  /// Whether a post is remembered.
  package func contains(_ id: PostID) -> Bool { contains(Int(bitPattern: UInt(id.key))) }
}
