import ArgumentParser
import TweetCLI
import TweetCore
import TweetDisplay

/// The front command: `tw NAME …` runs `tw-NAME …`; everything else is an option or subcommand of ``TwFront``.
package enum Tw {
  package static func main() {
    let words = Array(ProgramWords.texts.dropFirst())
    guard let name = words.first, !name.hasPrefix("-"), !TwFront.ownCommands.contains(name) else {
      return TwFront.main()
    }
    do throws(ToolError) {
      if name == "help" { try Dispatch().help(Array(words.dropFirst())) } else { try Dispatch().run(name) }
    } catch {
      Diagnostics.report(error)
      exitProcess(error.status)
    }
  }
}

/// `tw` without a name lists what `tw NAME` can run; `tw config` keeps the settings, `tw budget` shows what was spent,
/// `tw doctor` what does not work.
struct TwFront: MessagingCommand {
  /// The commands that are not programs of their own.
  static let ownCommands = ["config", "budget", "doctor", "open"]

  static let configuration = CommandConfiguration(
    commandName: "tw",
    abstract:
      "List and run tools, plugins and words, open tweets, keep settings, show what was spent and what is wrong.",
    usage: """
      tw [--help] [--version]
      tw NAME [ARGUMENT ...]
      tw help [NAME [COMMAND]]
      tw open TWEET [LINK]
      tw config get|set|unset|list|alias
      tw budget [--by PERIOD]
      tw doctor [--offline] [--json]
      """,
    discussion: """
      EXAMPLES:
        tw
        tw help cache

      'tw NAME' runs the program 'tw-NAME' beside this one or in PATH, also one of your own. Without a NAME it lists them \
      all. A word such as 'home' runs a pipe of them, which 'tw home --show' prints. 'man 7 tw' is a tour of the kit.
      """,
    version: Version.number,
    subcommands: [OpenCommand.self, Config.self, BudgetCommand.self, DoctorCommand.self])

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let programs = Programs()
    let names = programs.names
    let kit = KitTool.all.filter { names.contains($0.name) }
    let plugins = names.filter { name in !KitTool.all.contains { $0.name == name } }
    let words = try Word.names().filter { !names.contains($0) }
    let width = (kit.map(\.name) + words + plugins).map(Self.columns).max() ?? 0
    var rows = kit.map { ($0.name, $0.abstract) }
    for name in words { rows.append((name, try Word(name)?.purpose() ?? "")) }
    rows += plugins.map { ($0, programs.path(of: $0) ?? "") }
    let lines = rows.map { name, text in
      let gap = String(repeating: " ", count: width - Self.columns(name) + 2)
      return "\(Printable.line(name))\(gap)\(Printable.line(text))\n"
    }
    try RecordWriter.print(lines.joined())
    return .done
  }

  /// The width of a name on a terminal.
  private static func columns(_ name: String) -> Int {
    Array(Printable.line(name).utf8).withBytes(DisplayWidth.of)
  }
}

/// A tool of the kit, as `tw` lists it.
struct KitTool {
  /// Without `tw-`.
  let name: String
  /// As in the tool's own `--help`.
  let abstract: String
  /// The program file that it is a link to; `nil` for a file of its own (docs/decisions/binaries.md).
  let file: String?

  /// In the order in which records pass through them.
  static let all = [
    KitTool(name: "stream", abstract: "Print the raw messages of tweet sources, one per line.", file: nil),
    KitTool(name: "parse", abstract: "Turn tweets of any known shape into records, one per line.", file: "tw"),
    KitTool(name: "cache", abstract: "Store tweets in an SQLite database and search them.", file: "tw"),
    KitTool(name: "avatar", abstract: "Fetch and keep the profile pictures of tweets' authors.", file: "tw-stream"),
    KitTool(name: "linkcheck", abstract: "Find out where links lead and whether they work.", file: "tw-stream"),
    KitTool(name: "render", abstract: "Show tweets as text for people, or write them as documents.", file: "tw"),
    KitTool(
      name: "browse",
      abstract: "Read stored tweets on the whole terminal, and reply, like and more from there.", file: "tw"),
    KitTool(
      name: "post", abstract: "Post, reply, quote, edit, retweet, like, bookmark, follow and delete.", file: "tw-stream"
    ),
    KitTool(
      name: "auth", abstract: "Sign in to services, and keep the accounts that the tools use.", file: "tw-stream"),
    KitTool(
      name: "local",
      abstract: "Run a small service that answers as X, Mastodon and Bluesky do, and a command that uses it.",
      file: nil),
  ]
}
