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
      UsersCommand.self, NotificationsCommand.self, TopCommand.self, StatsCommand.self, PruneCommand.self,
      ExportCommand.self, ImportCommand.self, CheckCommand.self, BackupCommand.self, RestoreCommand.self,
    ])

  var isQuiet: Bool { false }

  static let commandsElsewhere = [
    "search": "tw-cache list --search WORDS", "find": "tw-cache list --search WORDS",
    "grep": "tw-cache list --search WORDS",
    "ls": "tw-cache list", "read": "tw-cache list --label unread", "unread": "tw-cache list --label unread",
    "thread": "tw-cache show TWEET", "get": "tw-cache show TWEET", "cat": "tw-cache show TWEET",
    "mentions": "tw-cache notifications --kind mention,reply",
    "delete": "tw-cache forget TWEET", "rm": "tw-cache forget TWEET", "remove": "tw-cache forget TWEET",
    "clean": "tw-cache prune",
    "fetch": "tw-cache refresh", "sync": "tw-cache refresh", "update": "tw-cache refresh", "pull": "tw-cache refresh",
    "store": "tw-cache add", "insert": "tw-cache add", "save": "tw-cache add", "load": "tw-cache import",
    "dump": "tw-cache export", "count": "tw-cache list --count", "info": "tw-cache stats",
    "repair": "tw-cache check --repair", "follow": "tw-cache source add SOURCE",
    "subscribe": "tw-cache source add SOURCE", "mark": "tw-cache label +LABEL TWEET",
  ]

  static func arguments(_ words: [String]) -> [String] { SignedOperands.arguments(words) }

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: add, list, show, ... (see 'tw-cache --help')")
  }
}
