import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct ShowCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print a tweet and its thread: the tweets that it answers, and the answers to it.",
    usage: "tw-cache show [<options>] <tweet>",
    discussion: """
      EXAMPLES:
        tw-cache show 20 | tw-render
        tw-cache show --versions https://x.com/jack/status/20
      """)

  @Argument(help: "The tweet: an id, a URL, service:id or its number on this terminal.")
  var tweet: String

  @Option(
    help: ArgumentHelp("Look for the tweet in this service only.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @Flag(help: "Print all stored versions of the tweet, the first version first, and not its thread.")
  var versions = false

  @Flag(help: "Print the tweet as each server and network has it, and its retweets there, and not its thread.")
  var copies = false

  @Flag(help: "Print how often the tweet was liked, retweeted, answered and quoted, each time that this was read.")
  var counts = false

  @OptionGroup var viewer: ViewerOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if [versions, counts, copies].count(where: { $0 }) > 1 {
      throw ValidationError("say one of --versions, --counts and --copies")
    }
  }

  func execute() throws(ToolError) -> ExitStatus {
    var numbers = ShortNumbers()
    let name = try numbers.name(tweet)
    do throws(ToolError) {
      return try show(name)
    } catch .noInput(let text) where name == tweet {
      throw .noInput(text + numbers.hint(tweet))
    }
  }

  private func show(_ tweet: String) throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    var damaged = DamagedRows()
    if counts {
      damaged = try print(tweet, from: tweets)
    } else {
      try ShownRecords.show("text", copies ? ["--all-copies"] : []) { () throws(ToolError) in
        damaged = try print(tweet, from: tweets)
      }
    }
    try damaged.check(of: tweets.path)
    return .done
  }

  /// Prints what the options ask for.
  private func print(_ tweet: String, from tweets: borrowing TweetStore) throws(ToolError) -> DamagedRows {
    var output = RecordWriter()
    let damaged: DamagedRows
    let choice = viewer.choice
    if counts {
      let history = try tweets.counts(of: tweet, service: service)
      for counts in history.counts {
        let numbers = [counts.likes, counts.retweets, counts.replies, counts.quotes].map { $0.map(String.init) ?? "-" }
        let time = counts.retrievedAt ?? "-"
        output.buffer.append(([time] + numbers).joined(separator: "\t") + "\n")
      }
      damaged = history.damaged
    } else if versions {
      damaged = try tweets.forEach(versionOf: tweet, service: service) { (record) throws(ToolError) in
        try choice.append(record, to: &output.buffer)
        try output.flushIfLarge()
      }
    } else if copies {
      damaged = try tweets.forEach(copyOf: tweet, service: service) { (record) throws(ToolError) in
        try choice.append(record, to: &output.buffer)
        try output.flushIfLarge()
      }
    } else {
      damaged = try tweets.forEach(inThreadOf: tweet, service: service) { (record) throws(ToolError) in
        try choice.append(record, to: &output.buffer)
        try output.flushIfLarge()
      }
    }
    try output.flush()
    return damaged
  }
}
