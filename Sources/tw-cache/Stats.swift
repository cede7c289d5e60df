import ArgumentParser
import TweetCLI
import TweetCore
import TweetSources
import TweetStore

struct Stats: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print what the store holds.",
    discussion: """
      EXAMPLES:
        tw-cache stats
        tw-cache stats | grep reads

      Each line has a name and values, with tabs between them: the size of the store, the rows of its tables, services, \
      sources, and the posts that were read today (UTC).
      """)

  @OptionGroup var store: StoreOptions

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    let found = try TweetStore(path, .readOnly).statistics()
    var output = RecordWriter()
    func tell(_ words: String...) {
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t") + "\n")
    }
    tell("store", path)
    tell("bytes", String(found.size))
    if let oldest = found.oldest { tell("oldest", oldest) }
    if let newest = found.newest { tell("newest", newest) }
    for table in found.rows { tell("rows", table.table, String(table.count)) }
    for hidden in found.hidden { tell("hidden", hidden.reason, String(hidden.tweets)) }
    for service in found.services { tell("service", service.name, String(service.tweets)) }
    for feed in found.feeds {
      tell("feed", feed.service, feed.feed, String(feed.tweets), feed.firstSeen, feed.lastSeen)
    }
    let mediaPath = Paths.mediaStore(besides: path)
    if MediaStore.exists(mediaPath) {
      let media = try MediaStore(mediaPath).statistics()
      tell("media", mediaPath)
      tell("media-bytes", String(media.size))
      for table in media.rows { tell("media-rows", table.table, String(table.count)) }
    }
    for entry in try ReadLedger().entries() where entry.day == ReadLedger.day(of: .shown) {
      tell("reads", entry.service, entry.account, String(entry.posts))
    }
    try output.flush()
    return .done
  }
}
