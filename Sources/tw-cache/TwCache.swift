import ArgumentParser
import TweetCLI
import TweetCore

/// `tw-cache`, as its program starts it.
package enum TwCache {
  package static func main() { CacheCommand.main() }
}

struct CacheCommand: GroupCommand {
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

/// Operands that begin with `-`: labels that are taken away (`label -unread`), parts of a query that exclude
/// (`list tag:swift -is:retweet`). The parser would take each for a row of options of one letter, `-h` perhaps among
/// them.
enum SignedOperands {
  /// The words of a command line, with such operands after `--`.
  static func arguments(_ words: [String]) -> [String] {
    let isOperand: (String) -> Bool
    switch (words.first, words.dropFirst().first) {
    case ("label", _), ("tag", _): isOperand = isLabel
    case ("list", _), ("query", "save"): isOperand = isExclusion
    default: return words
    }
    let end = words.firstIndex(of: "--") ?? words.endIndex
    let operands = words[..<end].filter(isOperand)
    if operands.isEmpty { return words }
    return words[..<end].filter { !isOperand($0) } + ["--"] + operands + words[end...].dropFirst()
  }

  /// A sign and a letter of an option is that option.
  private static func isLabel(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && !["-", "-q", "-h"].contains(word)
  }

  /// `-name:value`. No option has such a value, since the parser takes none that begins with `-`.
  private static func isExclusion(_ word: String) -> Bool {
    guard word.hasPrefix("-"), !word.hasPrefix("--"), let colon = word.firstIndex(of: ":") else { return false }
    let name = word[..<colon].dropFirst()
    return !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }
  }
}
