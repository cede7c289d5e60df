import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Stats: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Tell what the store holds.",
    discussion: """
      A name, a tab and a value on each line; a service and its tweets; a source, its tweets and when it last brought \
      one.
      """)

  @OptionGroup var store: StoreOptions

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    let found = try TweetStore(path, .readOnly).statistics()
    var output = RecordWriter()
    let lines: [(String, String?)] = [
      ("store", path), ("bytes", String(found.size)), ("tweets", String(found.tweets)),
      ("users", String(found.users)), ("deleted", String(found.tombstones)),
      ("oldest", found.oldest), ("newest", found.newest),
    ]
    for (name, value) in lines {
      if let value { output.buffer.append("\(name)\t\(Printable.line(value))\n") }
    }
    for service in found.services {
      output.buffer.append("service\t\(Printable.line(service.name))\t\(service.tweets)\n")
    }
    for feed in found.feeds {
      output.buffer.append(
        "feed\t\(Printable.line(feed.service))\t\(Printable.line(feed.feed))\t\(feed.tweets)\t\(feed.lastSeen)\n")
    }
    try output.flush()
    return .done
  }
}
