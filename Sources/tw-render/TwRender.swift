import ArgumentParser
import TweetCLI
import TweetCore

/// When to use colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// What to write.
enum FormatChoice: String, CaseIterable, ExpressibleByArgument {
  case text, line, ids
}

/// Reads records and has ``RecordPrinter`` show them in a format.
@main
struct TwRender: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-render",
    abstract: "Show tweets as text for people.",
    usage: "tw-render [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-cache list --limit 20 | tw-render
        tw-render --format line tweets.ndjson | grep -i swift

      A tweet that comes again as an update is not shown again.
      """,
    version: Version.number)

  @Option(name: .shortAndLong, help: "A timeline, one line per tweet, or only the ids.")
  var format = FormatChoice.text

  @Option(
    help: ArgumentHelp(
      "Wrap text at this many columns (default: the terminal's, $COLUMNS or 80, at most \(Screen.widestByDefault)).",
      valueName: "columns"))
  var width: Int?

  @Option(
    help: ArgumentHelp("When to use colours; 'auto': on a terminal, unless $NO_COLOR is set.", valueName: "when"))
  var color = ColorChoice.auto

  @Flag(help: "Add only ASCII characters to the text of tweets.")
  var ascii = false

  @Flag(help: "Also show new link verdicts and counts of tweets that were shown before.")
  var updates = false

  @OptionGroup var input: InputOptions

  func validate() throws {
    if let width, !(1...10_000).contains(width) {
      throw ValidationError("--width must be from 1 to 10000")
    }
  }

  var isQuiet: Bool { input.quiet }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let screen = Screen(width: width, color: color, ascii: ascii)
    return switch format {
    case .text: try show(in: TextFormat(screen), on: screen)
    case .line: try show(in: LineFormat(screen), on: screen)
    case .ids: try show(in: IDFormat(), on: screen)
    }
  }

  private func show<Format: RecordFormat & ~Copyable>(
    in format: consuming Format, on screen: Screen
  ) throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    let printer = SharedPrinter(RecordPrinter(format, on: screen, showsChanges: updates))
    let status = try input.forEachRecord(
      writer: &writer, tick: { printer.value.tick(&$0.buffer) },
      { (record, writer) throws(ToolError) in try printer.value.print(record, to: &writer) })
    printer.value.finish(&writer.buffer)
    try writer.flush()
    return status
  }
}

/// A printer that two closures use, one at a time.
private final class SharedPrinter<Format: RecordFormat & ~Copyable> {
  var value: RecordPrinter<Format>

  init(_ value: consuming RecordPrinter<Format>) { self.value = value }
}
