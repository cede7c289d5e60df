import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct UsersCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "users",
    abstract: "Print stored profiles as records, ordered by service and id.",
    usage: "tw-cache users [<options>] [<name>]",
    discussion: """
      EXAMPLES:
        tw-cache users > users.ndjson
        tw-cache users --names jack
      """)

  @Argument(help: "Only users who have or had this user name.", completion: NameCompletion.users)
  var name: String?

  @Option(
    help: ArgumentHelp("Users of this service only.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @Flag(help: "Print every name that the users were seen under, and since when.")
  var names = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    let name = name.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    var output = RecordWriter()
    var isFound = false
    let damaged: DamagedRows
    if names {
      damaged = try tweets.forEachName(ofUsersNamed: name, service: service) {
        (service, id, username, name, first) throws(ToolError) in
        isFound = true
        let words = [service, id, username, name, first].map { Printable.line($0) }
        output.buffer.append(words.joined(separator: "\t") + "\n")
        if output.buffer.count > 1 << 16 { try output.flush() }
      }
    } else {
      damaged = try tweets.forEachUser(named: name, service: service) { (record) throws(ToolError) in
        isFound = true
        try output.write(line: record)
        return Interruption.signal == nil
      }
    }
    try output.flush()
    try damaged.check(of: tweets.path)
    if let name, !isFound { throw .noInput("no user '\(name)' in '\(tweets.path)'") }
    if !isFound { try StoreOptions.noteIfEmpty(tweets) }
    return .done
  }
}
