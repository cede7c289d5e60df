import TweetCore
package import TweetSources

/// X.
package struct XService: ServiceKind {
  package init() {}

  package var name: String { "x" }
  package var usualBase: String? { "https://api.x.com" }
  package var prices: PriceTable? { Self.prices }
  package func postID(_ text: Substring) -> PostID? { .snowflake(text) }

  /// X's (docs.x.com, "Pricing", as of 2026-08-22). A change costs between half a cent and a cent and a half there; it is
  /// counted at the most.
  private static let prices = PriceTable([
    PriceTable.Row(
      from: "2026-04-20",
      [
        .posts: Money(millionths: 5_000), .users: Money(millionths: 10_000), .owned: Money(millionths: 1_000),
        .creates: Money(millionths: 15_000), .links: Money(millionths: 200_000), .changes: Money(millionths: 15_000),
      ])
  ])
}

/// tw-local, which speaks X's API at an address of its own.
package struct LocalService: ServiceKind {
  package init() {}

  package var name: String { "local" }
  package var usualBase: String? { nil }
  package var prices: PriceTable? { nil }
  package func postID(_ text: Substring) -> PostID? { .snowflake(text) }
}

extension PostID {
  /// A number of up to 63 bits.
  fileprivate static func snowflake(_ text: Substring) -> PostID? {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return PostID(String(text))
  }
}
