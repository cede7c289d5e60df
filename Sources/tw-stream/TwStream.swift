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

  @OptionGroup var rounds: RoundOptions

  @Option(name: .shortAndLong, help: ArgumentHelp("End after this many posts.", valueName: "n"))
  var count: Int?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "duration"),
    transform: DurationOption.parse)
  var duration: Int?

  @OptionGroup var live: LiveOptions

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
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = quiet
    let wanted = try parsedSources()
    let access = try ServiceAccess.fromEnvironment(caFile: cacert, environment: try Settings.load().variable)
    let writer = FeedWriter(RecordWriter(), for: access, records: !noRecords, limit: count) { Diagnostics.note($0) }
    var session = try StreamSession(
      feeds(of: wanted, access), firstFeed: wanted.first?.feed ?? "", milliseconds: duration, writer: writer)
    return try session.run()
  }

  /// Hashtags share one live connection, every other source has its own rounds.
  private func feeds(of sources: [Source], _ access: ServiceAccess) -> [any Feed] {
    let requests = XRequests(access)
    var hashtags: [String] = []
    var feeds: [any Feed] = []
    for source in sources {
      if case .hashtag(let tag) = source, !rounds.once {
        hashtags.append(tag)
      } else {
        feeds.append(PollFeed(requests, source: source, options: rounds.polling))
      }
    }
    if !hashtags.isEmpty {
      let stream = FilteredStream(requests, hashtags: hashtags, keepsRules: live.keepRules)
      feeds.insert(LiveFeed(stream, options: live.feed(of: access.service)), at: 0)
    }
    return feeds
  }

  private func parsedSources() throws(ToolError) -> [Source] {
    var wanted: [Source] = []
    for text in sources {
      let source = try Source(text)
      if !wanted.contains(source) { wanted.append(source) }
    }
    if wanted.isEmpty { throw .usage("no source; in a shell the '#' of a hashtag must be quoted: tw-stream '#swift'") }
    let isLive = !rounds.once && wanted.contains { if case .hashtag = $0 { true } else { false } }
    if isLive, rounds.sinceId != nil { throw .usage("--since-id needs --once for a hashtag: live posts are all new") }
    return wanted
  }
}
