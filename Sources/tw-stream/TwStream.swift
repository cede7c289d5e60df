import ArgumentParser
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

@main
struct TwStream: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-stream",
    abstract: "Print the raw messages of tweet sources, one a line.",
    discussion: """
      A SOURCE is '#tag' or 'tag', 'search:QUERY', 'user:NAME' or '@NAME'. Hashtags are streamed live; searches and \
      users are asked for again and again. Quote the '#': a shell takes it as the start of a comment.
      """,
    version: Version.number)

  @Argument(help: ArgumentHelp("Where messages come from: '#tag', 'search:QUERY', '@NAME'.", valueName: "source"))
  var sources: [String] = []

  @Flag(help: "Make one round of requests and end; hashtags are searched for.")
  var once = false

  @Option(
    help: ArgumentHelp("Ask searches and users again after this time (default: 60s).", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Option(name: .shortAndLong, help: ArgumentHelp("End after this many posts.", valueName: "n"))
  var count: Int?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "duration"),
    transform: DurationOption.parse)
  var duration: Int?

  @Option(help: ArgumentHelp("Only posts newer than this one.", valueName: "id"))
  var sinceId: String?

  @Option(help: ArgumentHelp("Only posts older than this one; needs --once.", valueName: "id"))
  var untilId: String?

  @Option(help: ArgumentHelp("Ask for at most this many pages a round.", valueName: "n"))
  var pages: Int?

  @Flag(help: "Leave the stream rules at the service when ending.")
  var keepRules = false

  @Flag(help: "Leave out 'notice' and 'refresh' records.")
  var noRecords = false

  @Option(
    help: ArgumentHelp("Trust the certificate authorities in this file, not the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count must be 1 or more") }
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

  mutating func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = quiet
    let wanted = try parsedSources()
    let access = try ServiceAccess.fromEnvironment(caFile: cacert, environment: try Settings.load().variable)
    let writer = FeedWriter(RecordWriter(), for: access, records: !noRecords, limit: count) { Diagnostics.note($0) }
    var session = try StreamSession(
      access, sources: wanted, once: once, polling: pollOptions, keepRules: keepRules, milliseconds: duration,
      writer: writer)
    return try session.run()
  }

  private func parsedSources() throws(ToolError) -> [Source] {
    var wanted: [Source] = []
    for text in sources {
      let source = try Source(text)
      if !wanted.contains(source) { wanted.append(source) }
    }
    if wanted.isEmpty { throw .usage("no source; in a shell the '#' of a hashtag must be quoted: tw-stream '#swift'") }
    let isLive = !once && wanted.contains { if case .hashtag = $0 { true } else { false } }
    if isLive, sinceId != nil { throw .usage("--since-id needs --once for a hashtag: live posts are all new") }
    return wanted
  }

  private var pollOptions: PollFeed.Options {
    var options = PollFeed.Options()
    options.sinceID = sinceId
    options.untilID = untilId
    options.pages = pages
    options.every = once ? nil : every ?? 60_000
    return options
  }
}
