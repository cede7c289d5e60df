import ArgumentParser
import TweetCLI
import TweetServices

/// How a live connection is held.
struct LiveOptions: ParsableArguments {
  @Flag(help: "Leave the stream rules at the service when ending.")
  var keepRules = false

  @Option(
    help: ArgumentHelp("Run ahead of a slow reader, holding so much in memory.", valueName: "size"),
    transform: ByteSize.parse)
  var buffer: Int?

  @Flag(help: "Search for what was posted while the connection was lost.")
  var fillGaps = false

  @Option(
    help: ArgumentHelp(
      "Search so long after a reconnect (default: 30s, for local 0s).", valueName: "duration"),
    transform: Self.lag)
  var searchLag: Int?

  /// A search that is as quick as the stream needs no lag.
  private static func lag(_ text: String) throws -> Int {
    text == "0s" || text == "0" ? 0 : try DurationOption.parse(text)
  }

  /// - Parameter service: as `ServiceAccess` names it.
  func feed(of service: String) -> LiveFeed.Options {
    var options = LiveFeed.Options()
    options.fillsGaps = fillGaps
    options.buffer = buffer ?? options.buffer
    options.searchLag = searchLag ?? (service == "local" ? 0 : 30_000)
    return options
  }
}
