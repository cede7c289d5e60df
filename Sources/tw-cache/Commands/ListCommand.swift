import ArgumentParser
import KnownServices
import Libc
import MediaStore
import TweetCLI
import TweetCore
import TweetSources
import TweetStore

struct ListCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Print stored tweets as records, the newest first.",
    usage: "tw-cache list [<options>] [<query>]",
    discussion: """
      EXAMPLES:
        tw-cache list --author jack --since 7d | tw-render
        tw-cache list 'tag:swift since:today -is:retweet' | tw-render

      A tweet must match all options that choose tweets, and the query. A query has the words of the options: author:jack \
      tag:swift links:music "words that stand together" -is:retweet.
      """)

  @Argument(help: "Words of a query.")
  var words: [String] = []

  @Option(
    help: ArgumentHelp("Tweets that a saved query finds.", valueName: "name"), completion: NameCompletion.queries)
  var query: String?

  @Option(
    name: [.customShort("n", allowingJoined: true), .long],
    help: ArgumentHelp("Print at most this many tweets.", valueName: "n"),
    transform: CountOption.parse)
  var limit: Int?

  @Option(help: ArgumentHelp("Tweets that are newer than this one: an id, a URL or service:id.", valueName: "tweet"))
  var after: String?

  @Option(help: ArgumentHelp("Tweets that are older than this one.", valueName: "tweet"))
  var before: String?

  @Flag(help: "Print the oldest tweet first.")
  var oldestFirst = false

  @Flag(help: "Print the oldest tweet first, then wait and print each tweet that any program stores.")
  var follow = false

  /// The order of a list.
  enum Order: String, ExpressibleByArgument, CaseIterable, Sendable { case time, likes }

  @Option(
    help: ArgumentHelp("Print the newest tweets first (time), or those with the most likes.", valueName: "time|likes"))
  var sort = Order.time

  @Flag(help: "Print only how many tweets there are.")
  var count = false

  @Flag(help: "List a post once for each server and network that it was read from, and for each retweet of it.")
  var allCopies = false

  @OptionGroup var viewer: ViewerOptions
  @OptionGroup var hiding: HidingOptions
  @OptionGroup var filters: FilterOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if follow && (count || sort == .likes) {
      throw ValidationError("--follow goes with neither --count nor --sort likes")
    }
    if !words.isEmpty { try QueryText.check(words.joined(separator: " ")) }
    if oldestFirst && sort == .likes { throw ValidationError("say --oldest-first or --sort likes") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    if follow, try !waitForStore() { return .done }
    let tweets = try store.open()
    if !follow { try StoreOptions.noteIfEmpty(tweets) }
    var query = try choice(from: tweets)
    try LabelOption.noteUnknown(query.allLabels, in: tweets)
    if try !tweets.hasNoTweets { try Self.noteUnknown(in: query, tweets) }
    let media = Paths.mediaStore(besides: tweets.path)
    if query.needsLinkKinds { query.addKinds(try LinkKinds.unstored(from: media, in: tweets, note: Diagnostics.warn)) }
    try query.resolveHosts(in: media, note: Diagnostics.warn)
    (query.limit, query.isOldestFirst, query.includesCopies) = (limit, oldestFirst || follow, allCopies)
    var numbers = ShortNumbers()
    query.after = try after.map { (tweet) throws(ToolError) in try numbers.name(tweet) }
    query.before = try before.map { (tweet) throws(ToolError) in try numbers.name(tweet) }
    let muted = try hiding.hidden.mute.map { TweetQuery(mutedBy: $0) }
    query.hide(muted, try hiding.hidden.kinds)
    var run = ListRun(tweets, viewer: viewer.choice)
    if count {
      try run.count(query)
    } else {
      try ShownRecords.show("line", allCopies ? ["--all-copies"] : []) { () throws(ToolError) in
        if follow {
          try run.follow(query)
        } else if sort == .likes {
          try run.listMostLiked(query)
        } else {
          try run.list(query)
        }
      }
    }
    if let muted, !follow { try run.noteMuted(muted, beside: query) }
    if !follow { HidingOptions.note(copies: run.copies) }
    if !follow, !count { run.noteIfNothing() }
    return .done
  }

  /// What the options, the words and the saved query ask for together.
  private func choice(from store: borrowing TweetStore) throws(ToolError) -> TweetQuery {
    var choice = filters.query
    if !words.isEmpty { choice.parts.append(try QueryText(words.joined(separator: " ")).query) }
    if let query {
      guard let text = try store.savedQuery(query) else { throw try store.noSavedQuery(query) }
      choice.parts.append(try QueryText(text).query)
    }
    return choice
  }

  /// Says which users, hashtags and sources are not in the store: a list with one of them is empty.
  private static func noteUnknown(in query: TweetQuery, _ store: borrowing TweetStore) throws(ToolError) {
    let unknown = try store.unknownNames(in: query)
    for name in unknown.authors { Diagnostics.note("the store has no user '\(name)'") }
    for tag in unknown.tags { Diagnostics.note("no tweet has the hashtag '\(tag)'") }
    for feed in unknown.feeds {
      let near = Spelling.question(about: feed, in: unknown.knownFeeds) ?? ""
      Diagnostics.note("no tweet has come from '\(feed)'\(near)")
    }
  }

  /// Waits until a program makes the store. Returns false if a signal comes first.
  private func waitForStore() throws(ToolError) -> Bool {
    let path = try store.path
    var isNoted = false
    while try !TweetStore.isThere(path) {
      if Interruption.signal != nil { return false }
      if !isNoted { Diagnostics.note("waiting for '\(path)': there is no such store yet") }
      isNoted = true
      if !ListRun.hasReader { throw .readerGone }
      usleep(ListRun.interval)
    }
    return true
  }
}

/// The option that chooses whose likes records show.
struct ViewerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Print as viewer what this account did with each tweet.", valueName: "name"),
    completion: AccountCompletion.names)
  var account: String?

  var choice: ViewerChoice? { account.map { ViewerChoice(account: $0) } }
}

extension LinkKind: ExpressibleByArgument {}
extension TweetKind: ExpressibleByArgument {}

/// The options that choose tweets by when they were posted.
struct PeriodOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Tweets posted at this time or later: 2h, 7d, a date, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(help: ArgumentHelp("Tweets posted before this time.", valueName: "time"), transform: TimeOption.parse)
  var until: Timestamp?
}

/// The options that choose tweets by what is in them.
struct FilterOptions: ParsableArguments {
  enum Content: String, ExpressibleByArgument, CaseIterable, Sendable {
    case media, photo, video, links

    func require(in query: inout TweetQuery) {
      switch self {
      case .media: query.hasMedia = true
      case .photo: query.mediaKinds.insert(.photo)
      case .video: query.mediaKinds.insert(.video)
      case .links: query.hasLinks = true
      }
    }
  }

  @OptionGroup var period: PeriodOptions

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Tweets by this user, or by any of several; a former user name works too.", valueName: "name"),
    completion: NameCompletion.users)
  var author: [String] = []

  @Option(
    parsing: .singleValue, help: ArgumentHelp("Tweets with this hashtag, or with all of several.", valueName: "tag"),
    completion: NameCompletion.tags)
  var tag: [String] = []

  // A query may begin with a hyphen.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Tweets with all these words, \"words that stand together\", #tag and @name, without -word, and with a or b: a OR b.",
      valueName: "words"), transform: FilterOptions.search)
  var search: TweetQuery?

  @Option(help: ArgumentHelp("Tweets that a query in the language of SQLite's FTS5 finds.", valueName: "query"))
  var match: String?

  @Option(
    help: ArgumentHelp("Tweets in this language, by its code.", valueName: "code"),
    completion: LanguageCompletion.codes)
  var lang: String?

  @Option(
    help: ArgumentHelp(
      "Tweets with photos or videos (media), with photos, with videos, or with links.",
      valueName: "media|photo|video|links"))
  var has: [Content] = []

  @Option(
    help: ArgumentHelp("Tweets with a link to this kind of thing.", valueName: "kind"))
  var links: LinkKind?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Tweets with a link to this host or one below it, or to any of several.", valueName: "host"),
    transform: FilterOptions.host)
  var host: [LinkedHost] = []

  @Option(
    name: .customLong("is"), parsing: .singleValue,
    help: ArgumentHelp(
      "Replies, retweets, quotes, tweets that are none of these (original), or those that you liked or bookmarked.",
      valueName: "kind"))
  var kinds: [TweetKind] = []

  @Option(help: ArgumentHelp("Tweets with at least this many likes.", valueName: "n"), transform: CountOption.parse)
  var minLikes: Int?

  @Option(
    help: ArgumentHelp("Tweets with at most this many likes.", valueName: "n"), transform: CountOption.parseFromZero)
  var maxLikes: Int?

  @Option(help: ArgumentHelp("Tweets with at least this many retweets.", valueName: "n"), transform: CountOption.parse)
  var minRetweets: Int?

  @Option(
    name: [.long, .customLong("mark")], parsing: .singleValue,
    help: ArgumentHelp("Tweets with this label, or with all of several.", valueName: "label"),
    completion: NameCompletion.labels, transform: LabelOption.parse)
  var label: [TweetLabel] = []

  @Option(
    parsing: .singleValue, help: ArgumentHelp("Tweets without this label.", valueName: "label"),
    completion: NameCompletion.labels, transform: LabelOption.parse)
  var withoutLabel: [TweetLabel] = []

  @Option(
    help: ArgumentHelp("Tweets of this service.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @Option(
    help: ArgumentHelp("Tweets that this source brought, such as '#swift' or @jack.", valueName: "source"),
    completion: NameCompletion.feeds, transform: FilterOptions.feeds)
  var feed: [String]?

  @Flag(help: "Also tweets that were edited later, are withheld everywhere, or were deleted and kept.")
  var all = false

  var query: TweetQuery {
    var query = TweetQuery()
    (query.since, query.until) = (period.since, period.until)
    (query.service, query.lang) = (service, lang)
    query.feeds = feed ?? []
    query.authors = author.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    query.tags = tag.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    (query.match, query.linkKind) = (match, links?.rawValue)
    if let search { query.parts.append(search) }
    for content in has { content.require(in: &query) }
    query.includesHidden = all
    (query.kinds, query.minLikes, query.maxLikes, query.minRetweets) = (kinds, minLikes, maxLikes, minRetweets)
    query.labels = label
    query.excluded = withoutLabel.map { label in
      var other = TweetQuery()
      other.labels = [label]
      return other
    }
    query.hosts = host
    return query
  }

  static func search(_ text: String) throws -> TweetQuery {
    if text.hasPrefix("--") { throw ValidationError("words are missing: '\(text)' is an option") }
    do throws(ToolError) {
      return try QueryText(text, hasFields: false).query
    } catch {
      throw ValidationError(error.message ?? "")
    }
  }

  static func host(_ text: String) throws -> LinkedHost {
    guard let host = LinkedHost(text) else { throw ValidationError("'\(text)' is not a host, such as example.com") }
    return host
  }

  /// The SOURCE in its normal form, and as it stands: records of other programs may name their feeds in other ways.
  static func feeds(_ text: String) throws -> [String] {
    do throws(ToolError) {
      return [try Services.source(text, of: Services.reading(Settings.load().value(.service))).own.feed, text]
    } catch {
      throw ValidationError(error.message ?? "'\(text)' is not a source")
    }
  }
}
