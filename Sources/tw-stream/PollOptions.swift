import ArgumentParser
import Services
import TweetCLI
import TweetCore
import TweetServices

/// How sources are polled: how often, how far back, within which bounds.
struct PollOptions: ParsableArguments {
  @Flag(help: "Poll each source once, then end; a hashtag is searched for.")
  var once = false

  @Option(
    help: ArgumentHelp("Poll sources that are not live again after this time (default: 60s).", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Option(help: ArgumentHelp("Only posts newer than this one.", valueName: "id"))
  var sinceId: String?

  @Option(help: ArgumentHelp("Only posts older than this one; needs --once.", valueName: "id"))
  var untilId: String?

  @Option(
    help: ArgumentHelp("Only posts of this time or later: 2h, 7d, a date, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(
    help: ArgumentHelp("Only posts from before this time; needs --once.", valueName: "time"),
    transform: TimeOption.parse)
  var until: Timestamp?

  @Option(help: ArgumentHelp("Ask for at most this many pages per poll round.", valueName: "n"))
  var pages: Int?

  @Flag(help: "Follow the pages back to the oldest post that the service has.")
  var all = false

  @Flag(help: "Search posts of all time, not only of the last seven days; few accounts may.")
  var archive = false

  @Option(
    help: ArgumentHelp(
      "Spend at most this much: 5000/day, '$5/month', unlimited (default for x: $5/day).", valueName: "budget"),
    transform: PollOptions.budget)
  var budget: BudgetBound?

  @Option(
    help: ArgumentHelp(
      "Spread the budget over its period and the sources, with this many rounds left today; needs --once.",
      valueName: "rounds"))
  var pace: Int?

  @Option(help: ArgumentHelp("With --pace: leave this much of a day's part to other runs.", valueName: "percent"))
  var keep: Int?

  func validate() throws {
    if let pace, pace < 1 || !once { throw ValidationError("--pace must be 1 or more, and needs --once") }
    if let keep, pace == nil || !(0...100).contains(keep) {
      throw ValidationError("--keep is a number from 0 to 100, and needs --pace")
    }
    if let pages, pages < 1 { throw ValidationError("--pages must be 1 or more") }
    if pages != nil, all { throw ValidationError("--pages and --all exclude each other") }
    if sinceId?.isEmpty == true || untilId?.isEmpty == true {
      throw ValidationError("--since-id and --until-id need a post's id")
    }
    if untilId != nil, !once { throw ValidationError("--until-id needs --once") }
    if until != nil, !once { throw ValidationError("--until needs --once") }
    if every != nil, once { throw ValidationError("--every and --once exclude each other") }
    if let since, let until, since >= until { throw ValidationError("--since is not before --until") }
  }

  /// Refuses ids that the service cannot have. Those of a plugin's service are not checked.
  func checkIDs(of service: any ServiceKind) throws(ToolError) {
    for (option, id) in [("--since-id", sinceId), ("--until-id", untilId)] {
      guard let id, service.postID(id[...]) == nil else { continue }
      throw .usage("\(option): '\(id)' is not a post's id")
    }
  }

  /// What may be spent: the option, the environment, the config file.
  func wantedBudget() throws(ToolError) -> BudgetBound? {
    if let budget { return budget }
    return try Settings.load().budget
  }

  /// Refuses options that a live source cannot follow: its posts are all new.
  func checkLive(_ source: Source, _ liveness: Liveness) throws(ToolError) {
    let options: [(String, Bool)] = [
      ("--since-id", sinceId != nil), ("--since", since != nil), ("--pages", pages != nil), ("--all", all),
      ("--archive", archive),
    ]
    let isOnlyLive = liveness == .onlyLive
    if isOnlyLive, once { throw .usage("'\(source.feed)' is a live stream, which --once cannot ask for") }
    for (option, isGiven) in options where isGiven {
      let way = isOnlyLive ? "does not go with '\(source.feed)'" : "needs --once for \(source.liveName)"
      throw .usage("\(option) \(way): live posts are all new")
    }
  }

  func options(for source: any PagedSource) -> PollFeed.Options {
    var options = PollFeed.Options()
    options.range.sinceID = sinceId.map(source.postID)
    options.range.untilID = untilId.map(source.postID)
    options.range.since = since
    options.range.until = until
    options.pages = pages
    options.all = all
    options.every = once ? nil : every ?? 60_000
    return options
  }

  static func budget(_ text: String) throws -> BudgetBound {
    guard let budget = BudgetBound(text) else {
      throw ValidationError("'\(text)' is not a budget (\(BudgetBound.examples))")
    }
    return budget
  }
}

extension Source {
  /// What a live source is, for messages.
  fileprivate var liveName: String { hashtag == nil ? "'\(feed)'" : "a hashtag" }
}

extension PollOptions {
  /// The options as variables of a plugin's environment (tw-source(7)); those not given are removed from it, also from
  /// the environment of a plugin that starts another tw-stream.
  ///
  /// - Parameter count: how many posts are wanted at most.
  func variables(for source: Source, count: Int?) -> [String: String?] {
    [
      "TW_FEED": source.feed,
      "TW_ONCE": once ? "1" : nil,
      "TW_EVERY": every.map(seconds),
      "TW_SINCE_ID": sinceId,
      "TW_UNTIL_ID": untilId,
      "TW_SINCE": since?.rfc3339,
      "TW_UNTIL": until?.rfc3339,
      "TW_ALL": all ? "1" : nil,
      "TW_PAGES": pages.map(String.init),
      "TW_COUNT": count.map(String.init),
    ]
  }
}
