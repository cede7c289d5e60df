import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Show: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print a tweet with its thread: what it answers and what answers it, as far as stored.")

  @OptionGroup var store: StoreOptions

  @Argument(help: "The tweet: an id, a URL or service:id.")
  var tweet: String

  @Option(help: ArgumentHelp("Of this service only.", valueName: "service"))
  var service: String?

  @Flag(help: "Print all stored versions of the tweet, the first one first, in place of its thread.")
  var versions = false

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try TweetStore(try store.path, .readOnly)
    var output = RecordWriter()
    if versions {
      try tweets.forEach(versionOf: tweet, service: service) { (record) throws(ToolError) in
        try output.write(line: record)
      }
    } else {
      try tweets.forEach(inThreadOf: tweet, service: service) { (record) throws(ToolError) in
        try output.write(line: record)
      }
    }
    try output.flush()
    return .done
  }
}
