import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Users: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print stored profiles as records, ordered by service and id.")

  @OptionGroup var store: StoreOptions

  @Argument(help: "Only users of this name, present or former.")
  var name: String?

  @Option(help: ArgumentHelp("Of this service only.", valueName: "service"))
  var service: String?

  @Flag(help: "Print the names they were seen under: service, id, user name, name, since when, with tabs between.")
  var names = false

  func validate() throws {
    if names && name == nil { throw ValidationError("--names needs the name of a user") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try TweetStore(try store.path, .readOnly)
    let name = name.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    var output = RecordWriter()
    if names, let name {
      try tweets.forEachName(ofUsersNamed: name, service: service) { service, id, username, name, first in
        let words = [service, id, username, name, first].map { Printable.line($0) }
        output.buffer.append(words.joined(separator: "\t") + "\n")
      }
    } else {
      try tweets.forEachUser(named: name, service: service) { (record) throws(ToolError) in
        try output.write(line: record)
        return Interruption.signal == nil
      }
    }
    try output.flush()
    return .done
  }
}
