import ArgumentParser
import Services
import TweetCLI
import TweetCore
import TweetServices

extension ServiceAPIVersion: ExpressibleByArgument {}

/// What replaces a live stream that the account does not have.
enum Fallback: String, CaseIterable, ExpressibleByArgument {
  case poll
}

/// How a live connection is held.
struct LiveOptions: ParsableArguments {
  @Flag(help: "Do not remove the stream rules from the service at the end.")
  var keepRules = false

  @Option(
    help: ArgumentHelp("Hold up to this many bytes in memory for a slow reader, such as 64M.", valueName: "size"),
    transform: ByteSize.parse)
  var buffer: Int?

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Fetch the posts that were made while the connection was lost; servers of Mastodon are asked by default.")
  var fillGaps: Bool?

  @Option(
    help: ArgumentHelp(
      "Wait this long after a reconnect before searching (default: 30s, for local 0s).", valueName: "duration"),
    transform: DurationOption.parseOrZero)
  var searchLag: Int?

  @Option(help: ArgumentHelp("If the account has no live stream, poll by searching instead.", valueName: "how"))
  var fallback: Fallback?

  @Option(help: ArgumentHelp("The version of the X API that the service speaks.", valueName: "version"))
  var api = ServiceAPIVersion.v2

  @Flag(help: "With --api 1.1, ask for messages without their lengths.")
  var undelimited = false

  func validate() throws {
    if undelimited, api != .v1 { throw ValidationError("--undelimited needs --api 1.1") }
    if searchLag != nil, fillGaps == false { throw ValidationError("--search-lag is for --fill-gaps") }
  }

  /// Whether an account without a live stream polls.
  func polls(_ reading: any ReadAPI) -> Bool { fallback == .poll || reading.pollsWithoutStream }

  /// The live feed of some sources.
  ///
  /// - Parameters:
  ///   - sources: those of one stream.
  ///   - reading: how the account reads.
  ///   - deadline: when all ends, by `MonotonicClock`.
  ///   - checkpoints: where checkpoints come from and go to.
  ///   - budget: what bounds the posts read.
  ///   - hasFallback: whether feeds that poll may take its place.
  func feed(
    of sources: [Source], _ reading: any ReadAPI, deadline: Int?, checkpoints: Checkpoints?, budget: ReadBudget?,
    hasFallback: Bool
  ) -> any Feed {
    var options = LiveFeed.Options()
    options.fillsGaps = fillGaps ?? reading.fillsGaps
    options.buffer = buffer ?? options.buffer
    options.searchLag = searchLag ?? reading.searchLag
    options.deadline = deadline
    options.checkpoints = checkpoints
    options.budget = budget
    options.hasFallback = hasFallback
    return switch reading.stream(sources) {
    case .connected(let stream): LiveFeed(stream, options: options)
    case .replayed(let stream): ReplayedFeed(stream, options: options)
    }
  }
}
