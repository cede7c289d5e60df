import ArgumentParser
import TweetCLI
import TweetServices

/// How sources that are asked for over REST are asked: how often, how far back, within which bounds.
struct RoundOptions: ParsableArguments {
  @Flag(help: "Make one round of requests and end; hashtags are searched for.")
  var once = false

  @Option(
    help: ArgumentHelp("Ask searches and users again after this time (default: 60s).", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Option(help: ArgumentHelp("Only posts newer than this one.", valueName: "id"))
  var sinceId: String?

  @Option(help: ArgumentHelp("Only posts older than this one; needs --once.", valueName: "id"))
  var untilId: String?

  @Option(help: ArgumentHelp("Ask for at most this many pages a round.", valueName: "n"))
  var pages: Int?

  func validate() throws {
    if let pages, pages < 1 { throw ValidationError("--pages must be 1 or more") }
    for (option, id) in [("--since-id", sinceId), ("--until-id", untilId)] {
      guard let id else { continue }
      if id.isEmpty || !id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
        throw ValidationError("\(option): '\(id)' is not a post's id")
      }
    }
    if untilId != nil, !once { throw ValidationError("--until-id needs --once") }
    if every != nil, once { throw ValidationError("--every and --once exclude each other") }
  }

  var polling: PollFeed.Options {
    var options = PollFeed.Options()
    options.sinceID = sinceId
    options.untilID = untilId
    options.pages = pages
    options.every = once ? nil : every ?? 60_000
    return options
  }
}
