package import TweetCore

/// What X and tw-local, which speaks X's API at an address of its own, have in common.
package protocol XKind: ServiceKind {
  /// The hosts of its pages for people, beside that of its API.
  var sites: Set<String> { get }
}

/// X.
package struct XService: XKind {
  package init() {}

  package var name: String { "x" }
  package var usualBase: String? { "https://api.x.com" }
  package var prices: PriceTable? { Self.prices }
  package var sites: Set<String> { XSources.sites }
  package func page(ofPost id: String) -> String? { postID(id[...]).map { "https://x.com/i/status/\($0)" } }

  /// X's (docs.x.com, "Pricing", as of 2026-08-22). A change costs between half a cent and a cent and a half there; it
  /// is counted at the most.
  private static let prices = PriceTable([
    PriceTable.Row(
      from: "2026-04-20",
      [
        .posts: Money(millionths: 5_000), .users: Money(millionths: 10_000), .owned: Money(millionths: 1_000),
        .creates: Money(millionths: 15_000), .links: Money(millionths: 200_000), .changes: Money(millionths: 15_000),
      ])
  ])
}

/// tw-local.
package struct LocalService: XKind {
  package init() {}

  package var name: String { "local" }
  package var usualBase: String? { nil }
  package var addressAdvice: String { "which 'tw-local' prints as TW_ENDPOINT; 'tw-local -- COMMAND' sets it" }
  package var prices: PriceTable? { nil }
  package var sites: Set<String> { [] }
}

extension XKind {
  package var sourceForms: String { XSources.forms }
  package func source(_ text: String) throws(ToolError) -> Source? {
    let start = "conversation:"
    // The conversation of a tweet that is named as everywhere; other names are refused below.
    if text.hasPrefix(start), let id = post(named: String(text.dropFirst(start.utf8.count))) {
      return .named("conversation", id)
    }
    return try XSources.source(text)
  }
  package func nearSource(_ text: String) -> String? { XSources.near(text) }
  /// Hashtags and the names of users and lists have no case.
  package func folded(_ feed: String) -> String {
    feed.hasPrefix("#") || feed.hasPrefix("user:") || feed.hasPrefix("list:") ? feed.lowercased() : feed
  }
  package func userName(_ text: Substring) -> String? { XSources.userName(text) }

  package func liveness(of source: Source) -> Liveness {
    switch source {
    case .hashtag: .live
    case .sample: .onlyLive
    default: .polled
    }
  }

  /// A number of up to 63 bits.
  package func postID(_ text: Substring) -> PostID? {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return PostID(String(text))
  }

  package func post(at address: String, base: String?) -> PostID? {
    guard let page = PostPage(address), sites.contains(page.host) || base.map(page.isAt) == true else { return nil }
    return postID(page.id[...])
  }

  package func time(ofPost number: Int) -> Timestamp? { Snowflake.time(of: number) }
}
