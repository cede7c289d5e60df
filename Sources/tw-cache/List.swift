import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct List: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print stored tweets as records, newest first.",
    discussion: "All options that choose tweets must hold at once.")

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("Print at most so many.", valueName: "n"), transform: List.count)
  var limit: Int?

  @Option(
    help: ArgumentHelp("Posted at this time or later: 2h, 7d, or RFC 3339.", valueName: "time"), transform: List.time)
  var since: Timestamp?

  @Option(help: ArgumentHelp("Posted before this time.", valueName: "time"), transform: List.time)
  var until: Timestamp?

  @Option(help: ArgumentHelp("By this user, under the present or a former name.", valueName: "name"))
  var author: String?

  @Option(help: ArgumentHelp("With this hashtag.", valueName: "tag"))
  var tag: String?

  @Option(
    help: ArgumentHelp(
      "With all these words in the text; those in double quotes stand together.", valueName: "words"))
  var search: String?

  @Option(help: ArgumentHelp("Of this service only.", valueName: "service"))
  var service: String?

  @Option(help: ArgumentHelp("Brought by this source, as tw-stream takes it.", valueName: "source"))
  var feed: String?

  @Option(help: ArgumentHelp("Newer than this tweet: an id, a URL or service:id.", valueName: "tweet"))
  var after: String?

  @Option(help: ArgumentHelp("Older than this tweet.", valueName: "tweet"))
  var before: String?

  @Flag(help: "Begin with the oldest.")
  var oldestFirst = false

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try TweetStore(try store.path, .readOnly)
    var output = RecordWriter()
    try tweets.forEach(query) { (record) throws(ToolError) in
      try output.write(line: record)
      return Interruption.signal == nil
    }
    try output.flush()
    return .done
  }

  private var query: TweetQuery {
    var query = TweetQuery()
    query.limit = limit
    query.since = since
    query.until = until
    query.author = author.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    query.tag = tag.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    query.search = search
    query.service = service
    query.feed = feed
    query.after = after
    query.before = before
    query.isOldestFirst = oldestFirst
    return query
  }

  static func count(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw ValidationError("'\(text)' is no number above 0") }
    return number
  }

  /// A moment: so long ago, or a date and time, or a date (its beginning in UTC).
  static func time(_ text: String) throws -> Timestamp {
    if let moment = Timestamp(parsing: text) ?? Timestamp(parsing: text + "T00:00:00Z"), text.contains("-") {
      return moment
    }
    guard let ago = try? DurationOption.parse(text) else {
      throw ValidationError("'\(text)' is no time (2h, 7d, 2021-11-03, 2021-11-03T21:30:00Z)")
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds - Int64(ago))
  }
}
