import ArgumentParser
import TweetCLI
import TweetCore

/// `tw-cache`, as its program starts it.
package enum TwCache {
  package static func main() { CacheCommand.main() }
}

struct CacheCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-cache",
    abstract: "Store tweets in an SQLite database and search them.",
    discussion: """
      EXAMPLES:
        tw-stream '#swift' | tw-parse | tw-cache add | tw-render
        tw-cache list --author jack --since 7d | tw-render
      """,
    version: Version.number,
    subcommands: [
      AddCommand.self, ListCommand.self, RefreshCommand.self, SourceCommand.self, StatusCommand.self, CronCommand.self,
      LogCommand.self, ShowCommand.self, LabelCommand.self, ForgetCommand.self, QueryCommand.self,
      UsersCommand.self, TopCommand.self, StatsCommand.self, PruneCommand.self, ExportCommand.self, ImportCommand.self,
      CheckCommand.self, BackupCommand.self, RestoreCommand.self,
    ])

  var isQuiet: Bool { false }

  static func arguments(_ words: [String]) -> [String] { SignedOperands.arguments(words) }

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: add, list, show, ... (see 'tw-cache --help')")
  }
}
