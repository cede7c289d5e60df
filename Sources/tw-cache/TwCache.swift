import ArgumentParser
import TweetCLI
import TweetCore

@main
struct TwCache: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-cache",
    abstract: "Keep tweets in a store of your own.",
    version: Version.number,
    subcommands: [Add.self, List.self, Stats.self])

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: add, list or stats (see 'tw-cache --help')")
  }
}

/// Which store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).", valueName: "file"),
    completion: .file())
  var db: String?

  var path: String {
    get throws(ToolError) {
      if let db { return db }
      return try Settings.load().tweetStore
    }
  }
}
