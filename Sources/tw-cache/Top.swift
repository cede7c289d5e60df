import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

extension TopKind: ExpressibleByArgument {}

struct Top: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell which hashtags, links or authors most tweets have.",
    discussion: "A number of tweets, a tab and what they have on each line, the most first.")

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("What to count.", valueName: "hashtags|links|authors"))
  var kind: TopKind

  @Option(
    help: ArgumentHelp("In tweets posted at this time or later: 7d, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(help: ArgumentHelp("In tweets posted before this time.", valueName: "time"), transform: TimeOption.parse)
  var until: Timestamp?

  @Option(help: ArgumentHelp("Print at most so many.", valueName: "n"), transform: CountOption.parse)
  var limit = 10

  func execute() throws(ToolError) -> ExitStatus {
    var output = RecordWriter()
    for entry in try TweetStore(try store.path, .readOnly).top(kind, since: since, until: until, limit: limit) {
      output.buffer.append("\(entry.tweets)\t\(Printable.line(entry.name))\n")
    }
    try output.flush()
    return .done
  }
}
