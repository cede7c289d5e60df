import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

extension TopKind: ExpressibleByArgument {}

struct TopCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Count tweets by hashtag, link, author or time.",
    usage: "tw-cache top [<options>] <kind>",
    discussion: """
      EXAMPLES:
        tw-cache top hashtags
        tw-cache top --limit 31 days

      Each line has the number of tweets, a tab, and what was counted; the largest number comes first, of times the \
      latest one. After an author whose name others have elsewhere comes a tab and the service.
      """)

  @Argument(
    help: ArgumentHelp(
      "What to count by: hashtags, links, authors, languages, services, hours, days or months.", valueName: "kind"))
  var kind: TopKind

  @OptionGroup var period: PeriodOptions

  @Option(
    name: [.customShort("n", allowingJoined: true), .long],
    help: ArgumentHelp("Print at most this many lines (default: 10).", valueName: "n"), transform: CountOption.parse)
  var limit = 10

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    try StoreOptions.noteIfEmpty(tweets)
    let top = try tweets.top(kind, since: period.since, until: period.until, limit: limit)
    try RecordWriter.print(rows: top.map { [String($0.tweets), $0.name] + ($0.service.map { [$0] } ?? []) })
    return .done
  }
}
