import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct NotificationsCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Print stored notifications as records, the newest first.",
    usage: "tw-cache notifications [<options>]",
    discussion: """
      EXAMPLES:
        tw-cache notifications -n 20 | tw-render
        tw-cache notifications --kind follow,follow_request --since 7d

      They say who liked, retweeted, answered or followed. 'tw-cache refresh notifications' stores some.
      """)

  @Option(
    help: ArgumentHelp(
      "Notifications of these kinds only: \(NotificationKind.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "kinds"),
    completion: CompletionOffers.completion(ofListsOf: NotificationKind.allCases.map(\.rawValue)),
    transform: NotificationsCommand.kinds)
  var kind: [NotificationKind]?

  @Option(
    help: ArgumentHelp("Notifications of this service only.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @Option(
    help: ArgumentHelp("Notifications that this account was sent.", valueName: "name"),
    completion: AccountCompletion.names)
  var account: String?

  @Option(
    help: ArgumentHelp("Of what was done at this time or later: 2h, 7d, a date, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(help: ArgumentHelp("Of what was done before this time.", valueName: "time"), transform: TimeOption.parse)
  var until: Timestamp?

  @Option(
    name: [.customShort("n", allowingJoined: true), .long],
    help: ArgumentHelp("Print at most this many notifications.", valueName: "n"), transform: CountOption.parse)
  var limit: Int?

  @Flag(help: "Print the oldest notification first.")
  var oldestFirst = false

  @Flag(help: "Also print what the setting 'mute' hides.")
  var noMute = false

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open()
    var query = NotificationQuery()
    (query.service, query.account, query.since, query.until) = (service, account, since, until)
    query.kinds = (kind ?? []).map(\.rawValue)
    query.isOldestFirst = oldestFirst
    let hidden = HiddenTweets(mute: noMute ? nil : try Settings.load().mute, kinds: [])
    var output = RecordWriter()
    var (printed, muted) = (0, 0)
    let limit = limit ?? .max
    var damaged = DamagedRows()
    try ShownRecords.show("line") { () throws(ToolError) in
      damaged = try tweets.forEachNotification(query) { (record) throws(ToolError) in
        if try Self.isMuted(record, hidden, &muted) { return true }
        try output.write(line: record)
        printed += 1
        return printed < limit && Interruption.signal == nil
      }
      try output.flush()
    }
    try damaged.check(of: tweets.path)
    HidingOptions.note(muted: muted)
    if printed == 0, muted == 0 { Diagnostics.note("no stored notification matches") }
    return .done
  }

  private static func isMuted(
    _ record: [UInt8], _ hidden: HiddenTweets, _ muted: inout Int
  ) throws(ToolError) -> Bool {
    if hidden.isEmpty { return false }
    do throws(JSONFault) {
      let document = try JSONDocument(record)
      return document.read { hidden.hides($0, &muted) }
    } catch {
      throw .bug("a stored notification is no JSON: \(error.reason)")
    }
  }

  private static func kinds(_ text: String) throws -> [NotificationKind] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      if let kind = NotificationKind(rawValue: String(word)) { return kind }
      let all = NotificationKind.allCases.map(\.rawValue)
      let near = Spelling.question(about: String(word), in: all) ?? ""
      throw ValidationError("'\(word)' is not one of \(all.joined(separator: ", "))\(near)")
    }
  }
}
