import ArgumentParser
import TweetCLI
import TweetCore
import TweetSources
import TweetStore

struct CronCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "cron",
    abstract: "Print the line for cron that refreshes the registered sources.",
    discussion: """
      EXAMPLES:
        tw-cache cron
        tw-cache cron --db tweets.db

      The line names this program and the settings of the environment, since cron starts programs without them. It runs as \
      often as the sources need it.
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  var isQuiet: Bool { messages.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    let sources = try registeredSources()
    if sources.isEmpty { Diagnostics.note("no source is registered: 'tw-cache source add' does that") }
    if sources.contains(where: { !$0.isPlugin }), try Settings.load().value(.tokenFile) == nil {
      Diagnostics.warn(
        "cron does not have TW_TOKEN: save your token in a file and run 'tw config set token-file FILE'")
    }
    var output = RecordWriter()
    output.buffer.append(try Crontab.line(for: sources, db: store.db, programs: Programs()))
    try output.endLine()
    try output.flush()
    return .done
  }

  /// None where there is no store yet.
  private func registeredSources() throws(ToolError) -> [RefreshedSource] {
    do throws(ToolError) {
      return try TweetStore(try store.path, .readOnly).sources().filter { $0.every != nil && !$0.isPaused }
    } catch .noInput {
      return []
    }
  }
}
