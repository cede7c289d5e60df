package import TweetCore

/// Why a tweet does not show the one that it quotes, as a service says it: Mastodon by the state of a quote, Bluesky by
/// what stands in its place.
package enum QuoteState: Sendable {
  case gone
  /// Its author has allowed the quote, and does not any more.
  case withdrawn
  case blocked, muted
  /// Its author has not yet said whether it may be quoted, or that it may not.
  case pending, refused
  /// The reader may not see it, or the service says something that is not known here.
  case hidden

  /// - Parameter name: the value of `extra.quote.state`.
  /// - Returns: `nil` for a quote that is shown.
  package init?(_ name: JSONValue) {
    guard name.isString, !name.rawString.isEmpty, !name.equals("accepted") else { return nil }
    let known = Self.names.first { name.equals($0.name) }
    self = known?.state ?? .hidden
  }

  private static let names: [(name: StaticString, state: QuoteState)] = [
    ("not_found", .gone), ("deleted", .gone), ("detached", .withdrawn), ("revoked", .withdrawn),
    ("blocked", .blocked), ("blocked_account", .blocked), ("blocked_domain", .blocked), ("muted_account", .muted),
    ("pending", .pending), ("rejected", .refused),
  ]

  package var phrase: Phrase {
    switch self {
    case .gone: .quoteGone
    case .withdrawn: .quoteWithdrawn
    case .blocked: .quoteBlocked
    case .muted: .quoteMuted
    case .pending: .quotePending
    case .refused: .quoteRefused
    case .hidden: .quoteHidden
    }
  }
}
