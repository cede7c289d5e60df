import TweetCore
import TwitterText

/// A search query or stream rule: a subset of X's operators, with X's precedence (AND binds tighter than OR).
indirect enum PostQuery: Sendable {
  case all([PostQuery])
  case any([PostQuery])
  case not(PostQuery)
  case term(Term)

  /// One condition on a post.
  enum Term: Sendable {
    /// Words in this order; one word for a plain keyword.
    case words([String])
    /// Text that has no spaces between words (CJK, emoji), found anywhere.
    case substring(String)
    case hashtag(String)
    case mention(String)
    case cashtag(String)
    case from(String)
    case to(String)
    case retweetsOf(String)
    case link(String)
    case conversation(Int)
    case inReplyTo(Int)
    case retweetsOfPost(Int)
    case quotesOfPost(Int)
    case list(Int)
    case minLikes(Int)
    case minReplies(Int)
    case minReposts(Int)
    case postedSince(Timestamp)
    case postedBefore(Timestamp)
    case language(String)
    case isRetweet, isReply, isQuote, isVerified, isNullcast
    case hasHashtags, hasCashtags, hasLinks, hasMentions, hasMedia, hasImages, hasVideo, hasGeo

    /// Whether X accepts it without another condition. The others only reduce what such a condition finds.
    var standsAlone: Bool {
      switch self {
      case .language, .isRetweet, .isReply, .isQuote, .isVerified, .isNullcast, .hasHashtags, .hasCashtags, .hasLinks,
        .hasMentions, .hasMedia, .hasImages, .hasVideo, .hasGeo, .minLikes, .minReplies, .minReposts:
        false
      default: true
      }
    }
  }

  /// Whether it has a condition that stands alone and is not negated.
  var hasPositiveTerm: Bool {
    switch self {
    case .all(let parts), .any(let parts): parts.contains { $0.hasPositiveTerm }
    case .not: false
    case .term(let term): term.standsAlone
    }
  }

  func matches(_ post: SearchablePost) -> Bool {
    switch self {
    case .all(let parts): parts.allSatisfy { $0.matches(post) }
    case .any(let parts): parts.contains { $0.matches(post) }
    case .not(let part): !part.matches(post)
    case .term(let term): post.matches(term)
    }
  }
}

/// A post prepared for matching: its text is split once for all queries.
struct SearchablePost {
  let post: Post
  let author: LocalAccount
  /// The ids of the lists its author is on.
  private let lists: Set<Int>
  /// The name of the user it answers, in lower case.
  let replyTo: String?
  /// The name of the user it retweets, in lower case.
  let retweetOf: String?
  private let text: String
  private let words: [String]
  private let entities: [TextPart]
  private let hasMedia: Bool
  private let hasVideo: Bool

  /// - Parameters:
  ///   - lists: the ids of the lists its author is on.
  ///   - original: the post it retweets: a retweet is found by the text of the original.
  ///   - retweetOf: the name of the user it retweets.
  ///   - replyTo: the name of the user it answers.
  ///   - hasVideo: whether it, or the post it retweets, has a video.
  ///   - hasWords: whether keywords can find it.
  init(
    _ post: Post, author: LocalAccount, lists: Set<Int> = [], original: Post?, retweetOf: String?, replyTo: String?,
    hasVideo: Bool, hasWords: Bool
  ) {
    self.post = post
    self.author = author
    self.lists = lists
    self.replyTo = replyTo?.lowercased()
    self.retweetOf = retweetOf?.lowercased()
    let source = original ?? post
    text = hasWords ? source.text.lowercased() : ""
    words = Words.split(text)
    entities = TextPart.find(in: source.text)
    hasMedia = source.hasMedia
    self.hasVideo = hasVideo
  }

  func matches(_ term: PostQuery.Term) -> Bool {
    switch term {
    case .words(let wanted): Words.contains(wanted, in: words)
    case .substring(let wanted): text.contains(wanted)
    case .hashtag(let tag): has(.hashtag, tag)
    case .mention(let name): has(.mention, name)
    case .cashtag(let tag): has(.cashtag, tag)
    case .from(let name): author.username.lowercased() == name || String(author.id) == name
    case .to(let name): replyTo == name
    case .retweetsOf(let name): retweetOf == name
    case .link(let part): entities.contains { $0.kind == .url && $0.value.lowercased().contains(part) }
    case .conversation(let id): post.conversationID == id
    case .inReplyTo(let id): post.replyTo == id
    case .retweetsOfPost(let id): post.retweetOf == id
    case .quotesOfPost(let id): post.quoteOf == id
    case .list(let id): lists.contains(id)
    case .postedSince(let time): post.createdAt >= time
    case .postedBefore(let time): post.createdAt < time
    case .minLikes(let count): post.counts.likes >= count
    case .minReplies(let count): post.counts.replies >= count
    case .minReposts(let count): post.counts.retweets >= count
    case .language(let code): post.language == code
    case .isRetweet: post.retweetOf != nil
    case .isReply: post.replyTo != nil
    case .isQuote: post.quoteOf != nil
    case .isVerified: author.isVerified
    case .isNullcast, .hasGeo: false
    case .hasHashtags: has(.hashtag)
    case .hasCashtags: has(.cashtag)
    case .hasMentions: has(.mention)
    case .hasLinks: has(.url) || post.quoteOf != nil
    case .hasMedia: hasMedia
    case .hasImages: hasMedia && !hasVideo
    case .hasVideo: hasVideo
    }
  }

  private func has(_ kind: TextEntity.Kind, _ value: String? = nil) -> Bool {
    entities.contains { $0.kind == kind && (value == nil || $0.value.lowercased() == value) }
  }
}
