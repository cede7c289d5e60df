import ArgumentParser
import Libc
import StoreCLI
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

  @Flag(help: "Print who has accounts on two networks whose profiles link to each other, and by which links.")
  var alsoOn = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if names && alsoOn { throw ValidationError("say --names or --also-on") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    let name = name.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    if alsoOn { return try printJoined(name, tweets) }
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

  private static func document(_ record: [UInt8]) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) { return try JSONDocument(record) } catch {
      throw .bug("a stored profile is no JSON: \(error.reason)")
    }
  }

  /// Prints the accounts that links join: records, on a terminal a line for each pair.
  private func printJoined(_ name: String?, _ tweets: borrowing TweetStore) throws(ToolError) -> ExitStatus {
    var accounts = JoinedAccounts()
    let damaged = try tweets.forEachUser(named: nil, service: nil) { (record) throws(ToolError) in
      try Self.document(record).read { accounts.add($0) }
      return Interruption.signal == nil
    }
    var wanted: Set<[String]> = []
    if let name {
      // Its damaged rows are among those above.
      _ = try tweets.forEachUser(named: name, service: nil) { (record) throws(ToolError) in
        let user = try Self.document(record)
        wanted.insert([user["service"]?.string ?? "", user["id"]?.string ?? ""])
        return true
      }
      if wanted.isEmpty { throw .noInput("no user '\(name)' in '\(tweets.path)'") }
    }
    func isMeant(_ account: JoinedAccounts.Account) -> Bool {
      (service == nil || account.service == service) && (name == nil || wanted.contains([account.service, account.id]))
    }
    var output = RecordWriter()
    var isFound = false
    for var pair in accounts.pairs {
      if !isMeant(pair.one) {
        if !isMeant(pair.other) { continue }
        pair = pair.reversed
      }
      isFound = true
      if isatty(1) == 1 { output.buffer.append(pair.line) } else { pair.append(to: &output.buffer) }
      if output.buffer.count > 1 << 16 { try output.flush() }
    }
    try output.flush()
    try damaged.check(of: tweets.path)
    if !isFound { Diagnostics.note("no links in profiles join accounts of two networks") }
    return .done
  }
}
