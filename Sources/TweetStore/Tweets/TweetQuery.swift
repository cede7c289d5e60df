import SQLite
import Services
package import TweetCore

/// Conditions on stored tweets. A tweet must meet all that are set.
package struct TweetQuery: Sendable {
  /// Posted at this time or later.
  package var since: Timestamp?
  /// Posted before this time.
  package var until: Timestamp?
  /// User names without "@", in any case, present or former. A tweet must be by any of these users.
  package var authors: [String] = []
  /// As authors: a tweet must be a retweet of one of these users.
  var retweetedAuthors: [String] = []
  /// Hashtags without "#", in any case. A tweet must have all of them.
  package var tags: [String] = []
  /// Words that the text must all have; words in double quotes must follow each other. `#tag` and `@name` are searched
  /// for in the hashtags and the mentions.
  package var search: String?
  /// Where these words are looked for; `nil` for everywhere.
  package var searchPlace: SearchPlace?
  /// A query in FTS5's own language.
  package var match: String?
  package var service: String?
  /// Sources in their normal form. A tweet must have come from any of them. Hashtags and user names match in any case.
  package var feeds: [String] = []
  /// A language's code, in the service's form.
  package var lang: String?
  package var hasMedia = false
  /// A tweet must have all of these kinds of media.
  package var mediaKinds: Set<MediaKind> = []
  package var hasLinks = false
  /// A kind of thing that tw-linkcheck found behind one of its links.
  package var linkKind: String?
  /// Links whose kinds the store does not have yet; see ``LinkKinds``.
  var checkedLinks: [CheckedLink] = []
  /// Only tweets newer than this one: an id, a URL or `service:id`.
  package var after: String?
  /// Only tweets older than this one.
  package var before: String?
  /// Only tweets with this key or a larger one.
  package var firstKey: Int?
  /// Only tweets with a smaller key.
  package var endKey: Int?
  /// SQL for whether it was stored after another list; see ``ListEnd``.
  var storedSQL: String?
  /// Liked at least this often, as far as is known.
  package var minLikes: Int?
  /// Liked at most this often, as far as is known.
  package var maxLikes: Int?
  /// Retweeted at least this often.
  package var minRetweets: Int?
  /// A tweet must be of any of these kinds that say what it refers to, if there are any, and of all others.
  package var kinds: [TweetKind] = []
  /// A tweet must have all of these labels.
  package var labels: [TweetLabel] = []
  /// A tweet must have a link to any of these hosts.
  package var hosts: [LinkedHost] = []
  /// A tweet must match all of these queries too. Of them, only what chooses tweets by what is in them counts, and
  /// times.
  package var parts: [TweetQuery] = []
  /// A tweet must match none of these queries.
  package var excluded: [TweetQuery] = []
  /// Of each of these lists a tweet must match at least one query.
  package var alternatives: [[TweetQuery]] = []
  /// Whether it finds what a list mutes.
  package internal(set) var isMuted = false
  package var limit: Int?
  package var isOldestFirst = false
  /// Also tweets with a later edit, tweets withheld everywhere, and deleted tweets that are kept.
  package var includesHidden = false

  /// Also further copies of a post that it finds; see ``ShownCopies``.
  package var includesCopies = false
  /// Whether the retweet that stands for several names all who made one; `nil` for where it does.
  private var isNaming: Bool?
  var namesRetweeters: Bool { isNaming ?? !includesCopies }

  /// Each stored tweet, for whoever asks by its key: what is shown was decided before.
  package static var everything: TweetQuery {
    var query = TweetQuery()
    (query.includesHidden, query.includesCopies, query.isNaming) = (true, true, true)
    return query
  }

  package init() {}
}

/// What a tweet refers to, and what signed-in accounts did with it. One that answers a tweet and quotes another is of
/// two kinds.
package enum TweetKind: String, CaseIterable, Sendable {
  case reply, retweet, quote
  /// None of those.
  case original
  /// By an account of the store, as far as a service or tw-post said so.
  case liked, bookmarked

  /// A condition on `tweets t`; `nil` where there is a column for it.
  var condition: String? {
    let type: String
    switch self {
    case .reply: type = "= 'replied_to'"
    case .retweet: type = "= 'retweeted'"
    case .quote: type = "= 'quoted'"
    case .original: type = "IN ('replied_to', 'retweeted', 'quoted')"
    case .liked, .bookmarked: return nil
    }
    let exists = "EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = t.key AND r.type \(type))"
    return self == .original ? "NOT " + exists : exists
  }

  /// The values of the column `viewer` that such tweets have.
  var viewerValues: [SQLValue]? {
    switch self {
    case .liked: ViewerMark.liked.values
    case .bookmarked: ViewerMark.bookmarked.values
    default: nil
    }
  }
}

extension TweetQuery {
  /// The same query of words in tweets' own texts alone; `nil` if none of its words are looked for everywhere.
  package var inOwnTexts: TweetQuery? {
    var (narrowed, isOther) = (self, false)
    narrowed.narrowToTexts(&isOther)
    return isOther ? narrowed : nil
  }

  private mutating func narrowToTexts(_ isOther: inout Bool) {
    if searchPlace == nil, let search, SearchText.Query(search, in: nil).match != nil {
      (searchPlace, isOther) = (.text, true)
    }
    for index in parts.indices { parts[index].narrowToTexts(&isOther) }
    for list in alternatives.indices {
      for index in alternatives[list].indices { alternatives[list][index].narrowToTexts(&isOther) }
    }
  }

  /// It, and all queries in it that tweets may match.
  var wanted: [TweetQuery] { [self] + (parts + alternatives.flatMap(\.self)).flatMap(\.wanted) }

  /// Calls `body` with it and each query in it.
  mutating func forEach<Failure: Error>(
    _ body: (inout TweetQuery) throws(Failure) -> Void
  ) throws(Failure) {
    try body(&self)
    for index in parts.indices { try parts[index].forEach(body) }
    for index in excluded.indices { try excluded[index].forEach(body) }
    for list in alternatives.indices {
      for index in alternatives[list].indices { try alternatives[list][index].forEach(body) }
    }
  }

  /// It, and all queries in it.
  var all: [TweetQuery] { [self] + (parts + excluded + alternatives.flatMap(\.self)).flatMap(\.all) }

  /// What no index is for: it is looked at for each tweet that the filters find.
  var conditions: [QueryCondition] {
    var conditions: [QueryCondition] = []
    if let storedSQL { conditions.append(.sql(storedSQL, nil)) }
    if let minLikes { conditions.append(.sql("t.like_count >= %", .integer(minLikes))) }
    if let maxLikes { conditions.append(.sql("t.like_count <= %", .integer(maxLikes))) }
    if let minRetweets { conditions.append(.sql("t.retweet_count >= %", .integer(minRetweets))) }
    let references = kinds.compactMap(\.condition)
    if !references.isEmpty { conditions.append(.sql("(" + references.joined(separator: " OR ") + ")", nil)) }
    return conditions
  }
}
