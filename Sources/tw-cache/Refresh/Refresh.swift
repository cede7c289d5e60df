import ArgumentParser
import Libc
import TweetCLI
import TweetCore
import TweetSources
import TweetStore

struct Refresh: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetch what is new from sources into the store.",
    discussion: """
      Sources named are refreshed at once; none means all that 'source add' registered and that are due. Made for \
      cron: it prints nothing when all goes well, and one line on standard error, status 75, for what will pass.
      """)

  @Argument(
    help: ArgumentHelp("What to refresh, as tw-stream takes it (default: all that are due).", valueName: "source"))
  var sources: [String] = []

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the new tweets.")
  var print = false

  @Option(
    help: ArgumentHelp("Keep on, a round every so often, and print the new tweets.", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Option(
    help: ArgumentHelp(
      "Print so many stored tweets first (default: 20 with --every, else none).", valueName: "n"),
    transform: Refresh.count)
  var backlog: Int?

  @Flag(help: "Fetch the page before the oldest tweet stored, not what is new.")
  var older = false

  @Option(help: ArgumentHelp("Read at most so many posts a day: 5000/day, unlimited.", valueName: "n/day"))
  var budget: String?

  @Option(
    help: ArgumentHelp(
      "Say nothing of failures that will pass until they have lasted so long.", valueName: "duration"),
    transform: DurationOption.parse)
  var complainAfter: Int?

  @Flag(inversion: .prefixedNo, help: "Fetch the profile pictures of the authors of new tweets (default).")
  var fetchAvatars = true

  @Flag(help: "Tell how each round went, on standard error.")
  var summary = false

  @Flag(help: "Show what tw-stream and tw-parse say, and how each round went.")
  var verbose = false

  func validate() throws {
    if let budget, PostBudget(budget) == nil {
      throw ValidationError("--budget: '\(budget)' is no budget (5000/day, unlimited)")
    }
    if older, every != nil { throw ValidationError("--older and --every exclude each other") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    // The notes of storing are for whoever watches.
    Diagnostics.isQuiet = !verbose
    let settings = try Settings.load()
    let path = try store.path
    let names = try sources.map { text throws(ToolError) in
      RefreshedSource.Name(
        service: settings.value(.service) ?? "x", account: Paths.environment("TW_ACCOUNT") ?? "",
        source: try Source(text).feed)
    }
    let round = RefreshRound.Settings(store: path, isOlder: older, budget: budget, isVerbose: verbose)
    var run = try RefreshSession(
      round, names: names, prints: print || every != nil, fetchesAvatars: fetchAvatars, complainAfter: complainAfter,
      tells: summary || verbose)
    // Cron has nobody to tell: somebody may register one later.
    if isatty(2) == 1, try run.isIdle {
      Diagnostics.warn("no source is named, and none is registered: 'tw-cache source add' does that")
    }
    try run.printBacklog(backlog ?? (every == nil ? 0 : 20))
    guard let every else { return try run.refresh() }
    return try run.keepOn(every: every)
  }

  private static func count(_ text: String) throws -> Int {
    guard let number = Int(text), (0...10_000).contains(number) else {
      throw ValidationError("'\(text)' is no number from 0 to 10000")
    }
    return number
  }
}
