import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct List: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print stored tweets as records, newest first.",
    discussion: "All options that choose tweets must hold at once.")

  @OptionGroup var store: StoreOptions
  @OptionGroup var filters: FilterOptions

  @Option(help: ArgumentHelp("Print at most so many.", valueName: "n"), transform: CountOption.parse)
  var limit: Int?

  @Option(help: ArgumentHelp("Newer than this tweet: an id, a URL or service:id.", valueName: "tweet"))
  var after: String?

  @Option(help: ArgumentHelp("Older than this tweet.", valueName: "tweet"))
  var before: String?

  @Flag(help: "Begin with the oldest.")
  var oldestFirst = false

  @Flag(help: "Begin with the oldest of those that --limit leaves, and go on with what any program stores.")
  var follow = false

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    if filters.links != nil { try takeLinkKinds(path) }
    var query = filters.query
    (query.limit, query.after, query.before, query.isOldestFirst) = (limit, after, before, oldestFirst || follow)
    var run = ListRun(try TweetStore(path, .readOnly))
    if follow { try run.follow(query) } else { try run.list(query) }
    return .done
  }

  /// What tw-linkcheck found since the last time. Where the store cannot be written it stays as it is.
  private func takeLinkKinds(_ path: String) throws(ToolError) {
    do throws(ToolError) {
      try LinkKinds.take(from: Paths.mediaStore(besides: path), to: path)
    } catch .cannotCreate {
      Diagnostics.note("'\(path)' cannot be written: links that were checked lately are not known in it")
    }
  }
}

/// Which tweets, by what is in them.
struct FilterOptions: ParsableArguments {
  enum Content: String, ExpressibleByArgument, CaseIterable, Sendable { case media, links }

  @Option(
    help: ArgumentHelp("Posted at this time or later: 2h, 7d, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(help: ArgumentHelp("Posted before this time.", valueName: "time"), transform: TimeOption.parse)
  var until: Timestamp?

  @Option(help: ArgumentHelp("By this user, under the present or a former name.", valueName: "name"))
  var author: String?

  @Option(help: ArgumentHelp("With this hashtag.", valueName: "tag"))
  var tag: String?

  @Option(
    help: ArgumentHelp(
      "With all these words in the text; those in double quotes stand together; #tag and @name.", valueName: "words"))
  var search: String?

  @Option(help: ArgumentHelp("That this query in FTS5's own language finds.", valueName: "query"))
  var match: String?

  @Option(help: ArgumentHelp("In this language, by its code.", valueName: "code"))
  var lang: String?

  @Option(help: ArgumentHelp("With media, or with links.", valueName: "media|links"))
  var has: [Content] = []

  @Option(
    help: ArgumentHelp("With a link to this kind of thing, as tw-linkcheck found: music, video, ...", valueName: "kind")
  )
  var links: String?

  @Option(help: ArgumentHelp("Of this service only.", valueName: "service"))
  var service: String?

  @Option(help: ArgumentHelp("Brought by this source, as tw-stream takes it.", valueName: "source"))
  var feed: String?

  @Flag(help: "Those too that were edited since, are withheld everywhere, or were deleted and kept.")
  var all = false

  var query: TweetQuery {
    var query = TweetQuery()
    (query.since, query.until, query.service, query.feed, query.lang) = (since, until, service, feed, lang)
    query.author = author.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    query.tag = tag.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    (query.search, query.match, query.linkKind) = (search, match, links)
    query.hasMedia = has.contains(.media)
    query.hasLinks = has.contains(.links)
    query.includesHidden = all
    return query
  }
}
