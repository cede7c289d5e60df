import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct ExportCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Print all that the store holds, as it was at one moment.",
    discussion: """
      EXAMPLES:
        tw-cache export | gzip > copy.ndjson.gz
        tw-cache export | tw-cache import --db copy.db

      Tweets and users are records as they were stored; tw-db(5) describes the other lines.
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    try StoreOptions.noteIfEmpty(tweets)
    var output = RecordWriter()
    let damaged = try tweets.export { (line) throws(ToolError) in
      try output.write(line: line)
      return Interruption.signal == nil
    }
    try output.flush()
    try damaged.check(of: tweets.path)
    return .done
  }
}
