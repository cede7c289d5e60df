import ArgumentParser
import TweetCLI
import TweetCore

/// When to use colours.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never
}

/// What to write.
enum Format: String, CaseIterable, ExpressibleByArgument {
  case text, line, ids
}

/// Reads records and has ``Show`` print them.
@main
struct TwRender: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-render",
    abstract: "Show tweets to people.",
    discussion: """
      Reads tweet records (see tweet(5)) and writes them as a timeline, or one a line. A tweet that comes again as an \
      update is not shown again.
      """,
    version: Version.number)

  @OptionGroup var input: InputOptions

  @Option(name: .shortAndLong, help: "text (a timeline), line (one line a tweet) or ids.")
  var format = Format.text

  @Option(
    help: ArgumentHelp(
      "Wrap text to so many columns (default: the terminal's, $COLUMNS or 80, at most \(Screen.widestByDefault)).",
      valueName: "columns"))
  var width: Int?

  @Option(help: "Use colours: auto (on a terminal, unless $NO_COLOR is set), always or never.")
  var color = ColorChoice.auto

  @Flag(help: "Use no signs but ASCII of our own; the tweets' text stays as it is.")
  var ascii = false

  @Flag(help: "Tell of new link verdicts and counts of tweets shown before.")
  var updates = false

  func validate() throws {
    if let width, !(1...10_000).contains(width) {
      throw ValidationError("--width must be from 1 to 10000")
    }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let screen = Screen(width: width, color: color, ascii: ascii)
    var writer = RecordWriter()
    // Two closures need it, one at a time.
    let shown = Shown(Show(screen, format: format, tellsUpdates: updates))
    let status = try input.forEachRecord(
      writer: &writer, tick: { shown.show.tick(&$0.buffer) },
      { (record, writer) throws(ToolError) in try shown.show.handle(record, &writer) })
    shown.show.finish(&writer.buffer)
    try writer.flush()
    return status
  }
}

/// What is on the screen, where more than one closure changes it.
private final class Shown {
  var show: Show

  init(_ show: consuming Show) { self.show = show }
}
