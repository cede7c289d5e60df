import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct LabelCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "label",
    abstract: "Give labels to stored tweets and take them away, or print them.",
    usage: "tw-cache label [<options>] [+<label> | -<label> ...] [<tweet> ...]",
    discussion: """
      EXAMPLES:
        tw-cache list --search recipe | tw-cache label +cooking -unread
        tw-cache label +later x:20

      Without a tweet, standard input names them: records, or ids, one per line. Without a label, the labels of the tweets \
      are printed. 'tw-cache tag' is the same command.
      """, aliases: ["tag"])

  @Argument(
    help: ArgumentHelp("Labels to give (+later) and to take away (-unread), and tweets.", valueName: "word"),
    completion: NameCompletion.labels)
  var words: [String] = []

  @Flag(help: "Print the records of standard input when their labels are on disk.")
  var print = false

  @Option(
    help: ArgumentHelp("The service of tweets that are named by their id alone.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    _ = try Self.labels(words, sign: "+")
    let removed = Set(try Self.labels(words, sign: "-"))
    if let both = try Self.labels(words, sign: "+").first(where: removed.contains) {
      throw ValidationError("'\(both.text)' is both given and taken away")
    }
    if print, !tweets.isEmpty { throw ValidationError("--print is for records of standard input, not for names") }
  }

  private var tweets: [String] { words.filter { !$0.hasPrefix("+") && !$0.hasPrefix("-") } }

  private static func labels(_ words: [String], sign: String) throws -> [TweetLabel] {
    try words.filter { $0.hasPrefix(sign) }.map { word in
      guard let label = TweetLabel(String(word.dropFirst())) else {
        throw ValidationError("'\(word)': \(TweetLabel.rule)")
      }
      return label
    }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let added: [TweetLabel]
    let removed: [TweetLabel]
    do { (added, removed) = (try Self.labels(words, sign: "+"), try Self.labels(words, sign: "-")) } catch {
      throw .usage("\(error)")
    }
    if added.isEmpty, removed.isEmpty { return try printLabels() }
    var changes = try LabelChanges(try store.openForChanges(), adding: added, removing: removed)
    if tweets.isEmpty {
      var run = try LabelRun(changes, service: service, isPrinting: print)
      try run.read()
      return run.finish()
    }
    let names = try named()
    try changes.begin()
    do throws(ToolError) {
      for tweet in names { try changes.apply(to: tweet, service: service) }
    } catch {
      changes.rollback()
      throw error
    }
    try changes.commit()
    return .done
  }

  /// The names of the tweets, those of numbers among them.
  private func named() throws(ToolError) -> [String] {
    var numbers = ShortNumbers()
    return try numbers.names(tweets)
  }

  /// Prints the labels of the tweets that are named.
  private func printLabels() throws(ToolError) -> ExitStatus {
    if tweets.isEmpty { throw .usage("say which labels to give or to take away, such as +later or -unread") }
    let store = try store.open()
    let rows = try named().map { (name) throws(ToolError) in
      let tweet = try store.labels(of: name, service: service)
      return [tweet.service, tweet.id, tweet.labels.joined(separator: ",")]
    }
    try RecordWriter.print(rows: rows)
    return .done
  }
}
