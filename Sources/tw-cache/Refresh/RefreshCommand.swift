import ArgumentParser
import Libc
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct RefreshCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Fetch new posts from sources and store them.",
    usage: "tw-cache refresh [<options>] [<source> ...]",
    discussion: """
      EXAMPLES:
        tw-cache refresh '#swift' home
        tw-cache refresh --every 60s '#swift' | tw-render

      Sources that are named are refreshed at once; without a source, all registered sources that are due. When all goes \
      well, it prints nothing. A failure that may pass gives one line on standard error and status 75.

      X needs an account: run 'tw-auth login', or save a token in a file and run 'tw config set token-file FILE'.
      """)

  @Argument(
    help: ArgumentHelp(
      "What to refresh, as tw-stream takes it (default: all sources that are due).", valueName: "source"),
    completion: NameCompletion.sources)
  var sources: [String] = []

  @Flag(help: "Print the new tweets as records.")
  var print = false

  @Option(
    help: ArgumentHelp("Keep running, poll again after this time, and print the new tweets.", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Option(
    help: ArgumentHelp(
      "First print this many stored tweets (default: 20 with --every, else 0).", valueName: "n"),
    transform: RefreshCommand.count)
  var backlog: Int?

  @Flag(help: "Fetch the page of posts before the oldest stored tweet, not what is new.")
  var older = false

  @Option(help: ArgumentHelp("Spend at most this much: 5000/day, '$5/month', unlimited.", valueName: "budget"))
  var budget: String?

  @Option(
    help: ArgumentHelp(
      "Report a failure that may pass only when it has lasted this long.", valueName: "duration"),
    transform: DurationOption.parse)
  var complainAfter: Int?

  @Flag(
    inversion: .prefixedNo,
    help: "Fetch the profile pictures of new tweets' authors, or do not (default: the setting 'avatars', else do).")
  var fetchAvatars: Bool?

  @Flag(help: "Report the result of each poll round on standard error.")
  var summary = false

  @Flag(help: "As --summary, and also show the messages of tw-stream and tw-parse.")
  var verbose = false

  @OptionGroup var hiding: HidingOptions
  @OptionGroup var identity: AccountOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if let budget, BudgetBound(budget) == nil {
      throw ValidationError("--budget: '\(budget)' is not a budget (\(BudgetBound.examples))")
    }
    if older, every != nil { throw ValidationError("--older and --every exclude each other") }
  }

  /// Notes about stored records are shown only on request.
  var isQuiet: Bool { messages.quiet || !verbose }

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    let hasAvatars = try Settings.load().hasAvatars
    let names = try sources.map { text throws(ToolError) in
      try SourceName.name(text, account: identity.name(Settings.load()))
    }
    let showsSummary = (summary || verbose) && !messages.quiet
    // Under cron it is no news.
    let tellsIdleness = showsSummary || isatty(2) == 1 && !messages.quiet
    let round = RefreshRound.Settings(
      store: path, isOlder: older, budget: budget, account: identity.account, isVerbose: verbose,
      newLabels: try Settings.load().newLabels, hidden: try hiding.hidden)
    var run = try RefreshSession(
      round, names: names, account: identity.account, prints: print || every != nil,
      fetchesAvatars: fetchAvatars ?? hasAvatars,
      complainAfter: complainAfter, showsSummary: showsSummary, tellsIdleness: tellsIdleness,
      isRepeated: every != nil)
    // Under cron this is not a failure: a source may be registered later.
    if tellsIdleness, try run.isIdle {
      Diagnostics.warn("no source is named, and none is registered: 'tw-cache source add' does that")
    }
    try run.printBacklog(backlog ?? (every == nil ? 0 : 20))
    guard let every else {
      let status = try run.refresh()
      LinkKinds.copyIfPossible(to: path)
      return status
    }
    return try run.refreshRepeatedly(every: every)
  }

  private static func count(_ text: String) throws -> Int { try number(text, in: 0...10_000) }
}
