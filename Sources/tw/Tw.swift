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
  /// The commands that are no programs of their own.
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
    var writer = RecordWriter()
    for tool in kit { try Self.write(tool.name, tool.abstract, width, &writer) }
    for name in words { try Self.write(name, Word(name)?.purpose() ?? "", width, &writer) }
    for name in plugins { try Self.write(name, programs.path(of: name) ?? "", width, &writer) }
    try writer.flush()
    return .done
  }

  private static func write(
    _ name: String, _ text: String, _ width: Int, _ writer: inout RecordWriter
  ) throws(ToolError) {
    let gap = String(repeating: " ", count: width - columns(name) + 2)
    writer.buffer.append("\(Printable.line(name))\(gap)\(Printable.line(text))")
    try writer.endLine()
  }

  /// The width of a name on a terminal.
  private static func columns(_ name: String) -> Int {
    Array(Printable.line(name).utf8).withBytes(DisplayWidth.of)
  }
}
