import TweetCore

/// Who may see a tweet, as its service says.
package enum TweetAudience: Equatable {
  /// Whoever knows where it is; some services leave it out of public timelines (Mastodon's `unlisted`).
  case everybody
  /// The author's followers: Mastodon's `private`.
  case followers
  /// The readers whom the author allows: X's protected accounts.
  case allowed
  /// Others whom the author chose: Mastodon's `direct`, lists of Pleroma. A word that is not known is one of these,
  /// since what is shown to too many cannot be taken back.
  case chosen

  /// The kit's own words for it; `nil` where there is nothing to say.
  package var phrase: Phrase? {
    switch self {
    case .everybody: nil
    case .followers: .followersOnly
    case .allowed: .protected
    case .chosen: .isPrivate
    }
  }
}

extension TweetFields {
  /// Who may see the tweet itself; for a retweet, ``isPrivate`` also looks at what it retweets.
  package var audience: TweetAudience {
    if let visibility = extra?["visibility"]?.nonEmpty {
      // The Misskey family says `home` for what Mastodon calls `unlisted`.
      let open: [StaticString] = ["public", "unlisted", "home"]
      if open.contains(where: { visibility.equals($0) }) { return .everybody }
      return visibility.equals("private") || visibility.equals("followers") ? .followers : .chosen
    }
    guard author.isProtected else { return .everybody }
    // On Mastodon such an account only approves its followers; each post says who may see it.
    return service?.rawString.starts(with: "mastodon:".utf8) == true ? .everybody : .allowed
  }

  /// Whether not everybody may see the tweet, or what it retweets.
  package var isPrivate: Bool { audience != .everybody || retweeted.map { $0.audience != .everybody } ?? false }
}
