import ArgumentParser
import Libc
import MediaStore
import Services
import StoreCLI
import TweetCLI
import TweetCore
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

  @Option(
    help: ArgumentHelp("Tweets that were stored since the last list of this name ended.", valueName: "name"))
  var sinceLast: String?

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
    if follow && sinceLast != nil { throw ValidationError("--follow and --since-last exclude each other") }
    if !words.isEmpty { try QueryText.check(words.joined(separator: " ")) }
    if oldestFirst && sort == .likes { throw ValidationError("say --oldest-first or --sort likes") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    if follow, try !waitForStore() { return .done }
    // What waits to be stored gets its place among the changes.
    if sinceLast != nil { _ = try store.openForChanges() }
    let tweets = try store.open()
    if !follow { try StoreOptions.noteIfEmpty(tweets) }
    var query = try filters.query(in: tweets, words: words, saved: self.query)
    try LabelOption.noteUnknown(query.allLabels, in: tweets)
    if try !tweets.hasNoTweets { try Self.noteUnknown(in: query, tweets) }
    for (name, service) in query.namedAuthors { try StoreOptions.noteSeveral(name, service: service, in: tweets) }
    try query.resolveLinks(in: tweets, note: Diagnostics.warn)
    (query.limit, query.isOldestFirst, query.includesCopies) = (limit, oldestFirst || follow, allCopies)
    var numbers = ShortNumbers()
    query.after = try after.map { (tweet) throws(ToolError) in try numbers.name(tweet) }
    query.before = try before.map { (tweet) throws(ToolError) in try numbers.name(tweet) }
    let muted = try hiding.hidden.mute.map { TweetQuery(mutedBy: $0) }
    query.hide(muted, try hiding.hidden.kinds)
    let end = try sinceLast.map { (name) throws(ToolError) in try tweets.begin(&query, afterLast: name) }
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
    if let end, let sinceLast, !count, Interruption.signal == nil {
      try store.openForChanges().save(end, of: sinceLast)
    }
    if let muted, !follow { try run.noteMuted(muted, beside: query) }
    if !follow { HidingOptions.note(copies: run.copies) }
    if !follow, !count { run.noteIfNothing() }
    return .done
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
