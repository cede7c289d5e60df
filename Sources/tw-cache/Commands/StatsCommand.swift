import ArgumentParser
import MediaStore
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct StatsCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Print what the store holds.",
    discussion: """
      EXAMPLES:
        tw-cache stats
        tw-cache stats | grep reads

      Each line has a name and values, with tabs between them: its size, tweets, services, sources, and \
      the posts that were read today (UTC).
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    let tweets = try store.open()
    try StoreOptions.noteIfEmpty(tweets)
    let found = try tweets.statistics(now: .shown)
    var rows: [[String]] = []
    func print(_ words: String...) { rows.append(words) }
    print("store", path)
    print("bytes", String(found.size))
    print("tweets", String(found.tweets))
    print("users", String(found.users))
    for posted in found.posted { print("posted", "\(posted.days)d", String(posted.tweets)) }
    if let oldest = found.oldest { print("oldest", oldest) }
    if let newest = found.newest { print("newest", newest) }
    for service in found.services { print("service", service.name, String(service.tweets)) }
    for feed in found.feeds {
      print("feed", feed.service, feed.feed, String(feed.tweets), feed.firstSeen, feed.lastSeen)
    }
    for label in try tweets.labelCounts() where label.tweets > 0 { print("label", label.label, String(label.tweets)) }
    for hidden in found.hidden { print("hidden", hidden.reason, String(hidden.tweets)) }
    let mediaPath = Paths.mediaStore(besides: path)
    if MediaStore.exists(mediaPath) {
      let media = try MediaStore(mediaPath, note: Diagnostics.warn).size()
      print("media", mediaPath)
      print("media-bytes", String(media))
    }
    let today = Ledger.day(of: .shown)
    let reads = Result { () throws(ToolError) in try Ledger().entries(since: today) }
    for entry in (try? reads.get()) ?? [] where entry.day == today {
      let bill = entry.bill
      print("reads", bill.service, bill.account.isEmpty ? bill.app : bill.account, String(entry.all.postsRead))
    }
    try RecordWriter.print(rows: rows)
    _ = try reads.get()
    return .done
  }
}
