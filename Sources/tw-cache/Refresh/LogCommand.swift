import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct LogCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List past refreshes, the newest first.",
    usage: "tw-cache log [<options>] [<source>]",
    discussion: """
      EXAMPLES:
        tw-cache log
        tw-cache log --limit 5 '#swift'

      Each line has the time when it began, seconds, source, new tweets, tweets read, exit status, and what went wrong, with tabs \
      between them.
      """)

  @Argument(
    help: ArgumentHelp("List only the refreshes of this source.", valueName: "source"),
    completion: NameCompletion.sources)
  var source: String?

  @Option(
    name: [.customShort("n", allowingJoined: true), .long],
    help: ArgumentHelp("List at most this many refreshes (default: 50).", valueName: "n"), transform: CountOption.parse)
  var limit = 50

  @OptionGroup var identity: AccountOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open(showsIncoming: false)
    var only: RefreshedSource?
    if let source {
      only = try SourceName.found(try SourceName.name(source, account: identity.name(Settings.load())), in: tweets)
    }
    var output = RecordWriter()
    var isEmpty = true
    try tweets.forEachRun(of: only, limit: limit) { (name, run) throws(ToolError) in
      isEmpty = false
      let parts = [
        run.beganAt.rfc3339, Self.seconds(run.milliseconds), name.source, String(run.new), String(run.read),
        String(run.status.rawValue), run.message ?? "",
      ]
      output.buffer.append(parts.map { Printable.line($0) }.joined(separator: "\t") + "\n")
      if output.buffer.count > 64 << 10 { try output.flush() }
    }
    try output.flush()
    if isEmpty { Diagnostics.note("nothing was refreshed yet: 'tw-cache refresh' does that") }
    return .done
  }

  /// `0.4`, `12.0`
  private static func seconds(_ milliseconds: Int) -> String {
    "\((milliseconds + 50) / 1000).\((milliseconds + 50) / 100 % 10)"
  }
}
