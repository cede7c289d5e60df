import ArgumentParser
import Libc
import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-stream`, as its program starts it.
package enum TwStream {
  package static func main() { StreamCommand.main() }
}

/// Reads the options, has ``SourceFeeds`` make the feeds of the sources, and a ``StreamSession`` run them.
struct StreamCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-stream",
    abstract: "Print the raw messages of tweet sources, one per line.",
    usage: """
      tw-stream [<options>] <source> ...
      tw-stream [<options>] --replay <file>
      tw-stream [<options>] --check-plugin <source>
      """,
    discussion: """
      EXAMPLES:
        tw-stream '#swift' | tw-parse | tw-render
        tw-stream --once 'search:swift lang:en' | tw-parse | tw-cache add

      A source is '#tag' or 'tag', 'search:QUERY', 'user:NAME' or '@NAME', 'home', 'mentions', 'bookmarks', 'likes', \
      'followers', 'following', 'sample', 'list:ID', 'conversation:ID', 'ids:FILE', or 'PLUGIN:REST' for the program \
      tw-source-PLUGIN. Hashtags and the sample are live streams; the other sources are polled. In a shell the '#' must be \
      quoted.

      X needs an account: run 'tw-auth login', or save a token in a file and run 'tw config set token-file FILE'. \
      'tw-local --demo -- tw-stream ...' needs none, and neither do many servers of Mastodon: \
      'TW_SERVICE=mastodon:mastodon.social tw-stream ...', see tw-mastodon(7).
      """,
    version: Version.number)

  @Argument(
    help: ArgumentHelp("Where messages come from; '-' reads sources from standard input.", valueName: "source"),
    completion: .list([
      "home", "mentions", "notifications", "bookmarks", "likes", "followers", "following", "list:", "conversation:",
      "search:", "ids:", "sample", "mastodon:", "bluesky:",
    ]))
  var sources: [String] = []

  @OptionGroup var polling: PollOptions

  @Option(
    name: [.customShort("n", allowingJoined: true), .customLong("limit"), .customLong("count")],
    help: ArgumentHelp("End after this many posts.", valueName: "n"))
  var count: Int?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("End after this time.", valueName: "duration"),
    transform: DurationOption.parse)
  var duration: Int?

  @OptionGroup var checkpoints: CheckpointOptions

  @OptionGroup var live: LiveOptions

  @OptionGroup var replaying: ReplayOptions

  @OptionGroup var watching: MetricsOptions

  @Flag(help: "Check that a source's plugin does what tw-source(7) says, and print each fault.")
  var checkPlugin = false

  @Flag(help: "Do not print 'notice' and 'refresh' records.")
  var noRecords = false

  @OptionGroup var service: AccessOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--limit must be 1 or more") }
    if checkPlugin, let option = runOptions.first(where: { $0.isGiven })?.name {
      throw ValidationError("\(option) does not go with --check-plugin, which makes runs of its own")
    }
    if replaying.replay != nil, let option = serviceOptions.first(where: { $0.isGiven })?.name {
      throw ValidationError("\(option) is for services, and --replay reads a file")
    }
  }

  /// The options that mean nothing when a capture is played back.
  private var serviceOptions: [(name: String, isGiven: Bool)] {
    [
      ("--once", polling.once), ("--every", polling.every != nil), ("--since-id", polling.sinceId != nil),
      ("--until-id", polling.untilId != nil), ("--since", polling.since != nil), ("--until", polling.until != nil),
      ("--pages", polling.pages != nil), ("--all", polling.all), ("--archive", polling.archive),
      ("--budget", polling.budget != nil), ("--pace", polling.pace != nil), ("--state", checkpoints.state != nil),
      ("--resume", checkpoints.resume != nil), ("--keep-rules", live.keepRules),
      ("--fill-gaps", live.fillGaps == true), ("--fallback", live.fallback != nil),
    ]
  }

  /// The options that ``PluginCheck`` sets itself, or that mean nothing to it.
  private var runOptions: [(name: String, isGiven: Bool)] {
    [
      ("--once", polling.once), ("--every", polling.every != nil), ("--limit", count != nil),
      ("--state", checkpoints.state != nil), ("--resume", checkpoints.resume != nil),
      ("--replay", replaying.replay != nil), ("--metrics", watching.metrics != nil),
    ]
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    if let replay = try replaying.feed(sources) { return try run([RunningFeed(replay)], nil, access: nil) }
    let settings = try Settings.load()
    let account = service.identity.account
    let usual = ServiceAccess.serviceName(account: account, settings) ?? Services.usual.name
    let access = Result { [service] () throws(ToolError) in
      try ServiceAccess.fromEnvironment(
        ServiceAPIs.all, caFile: service.caFile, account: account, example: "tw-stream '#swift'", mayBeAnonymous: true,
        endpoint: settings.variable("TW_ENDPOINT_", of: usual), settings)
    }
    let feeds = SourceFeeds(access, self, settings)
    if checkPlugin { return try check(feeds) }
    if sources == ["-"] || sources.contains(where: { (try? feeds.source($0))?.readsInput == true }) {
      Diagnostics.noteKeyboard()
    }
    if sources == ["-"] {
      let input = SourceInput(waitsForEnd: polling.once, feeds)
      return try run([], nil, input: input, access: try? access.get())
    }
    let wanted = try parsedSources(feeds)
    guard polling.once else { return try run(feeds.feeds(of: wanted), wanted, feeds, access: try? access.get()) }
    let queue = SourceQueue(wanted) { (source) throws(ToolError) in try feeds.feeds(of: [source]) }
    return try run([], wanted, feeds, queue: queue, access: try? access.get())
  }

  private func run(
    _ feeds: [RunningFeed], _ sources: [Source]?, _ makers: SourceFeeds? = nil, input: SourceInput? = nil,
    queue: SourceQueue? = nil,
    access: ServiceAccess?
  ) throws(ToolError) -> ExitStatus {
    let output = OutputQueue(bound: live.buffer ?? 0)
    let isWatched = isatty(2) == 1
    let terminal = isWatched && !Diagnostics.isQuiet ? ttyname(2).map { String(cString: $0) } : nil
    var writer = FeedWriter(
      output, for: access, records: !noRecords, limit: count, reportsAll: isWatched,
      isCounted: watching.metrics != nil, terminal: terminal
    ) { Diagnostics.note($0) }
    for source in sources ?? [] { writer.setService(of: source) }
    // Of a service that is not reached, its own feed says so.
    let first = sources?.first.flatMap { source -> (Source, access: ServiceAccess?)? in
      let access = (try? makers?.access(of: source)) ?? nil
      if case .service = source, access == nil { return nil }
      return (source, access)
    }
    var session = try StreamSession(
      feeds, first: first, input: input, queue: queue, milliseconds: duration,
      metrics: try watching.file(), writer: writer)
    return try session.run()
  }

  /// Checks the plugin of the only source.
  private func check(_ feeds: SourceFeeds) throws(ToolError) -> ExitStatus {
    guard sources.count == 1, let source = try? feeds.source(sources[0]), case .plugin(let name, let rest) = source
    else {
      throw .usage("--check-plugin needs one source of a plugin, as in 'tw-stream --check-plugin NAME:REST'")
    }
    var output = RecordWriter()
    var check = try PluginCheck(
      try feeds.plugin(source, name, rest), milliseconds: duration ?? Self.checkedRound
    ) { (finding) throws(ToolError) in
      let line =
        switch finding {
        case .fine(let text): "ok: \(text)"
        case .fault(let text): "fault: \(text)"
        case .note(let text): "note: \(text)"
        }
      output.buffer.append(Printable.line(line) + "\n")
      try output.flush()
    }
    return try check.run()
  }

  /// Milliseconds of a poll round that is checked: some pages of a slow service.
  private static let checkedRound = 60_000

  private func parsedSources(_ feeds: SourceFeeds) throws(ToolError) -> [Source] {
    var wanted: [Source] = []
    for text in sources {
      if text == "-" { throw .usage("'-' reads sources from standard input, and goes with no other") }
      let source = try feeds.source(Question.source(text, near: feeds.service.nearSource(text)))
      if !wanted.contains(source) { wanted.append(source) }
    }
    if wanted.isEmpty { throw .usage("no source; in a shell the '#' of a hashtag must be quoted: tw-stream '#swift'") }
    return wanted
  }
}
