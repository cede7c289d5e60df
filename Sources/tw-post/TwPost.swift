import ArgumentParser
import Libc
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// `tw-post`, as its program starts it.
package enum TwPost {
  package static func main() { PostCommand.main() }
}

/// Reads the command line. A ``PostRun`` makes a post, a ``ChangeRun`` changes what is there, an ``OutboxRun`` sends
/// and shows what is in the outbox.
struct PostCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-post",
    abstract: "Post, reply, quote, edit, retweet, like, bookmark, follow and delete.",
    usage: """
      tw-post [<options>] <text>
      tw-post [<options>] reply|quote|edit <tweet> <text>
      tw-post [<options>] retweet|like|bookmark|delete [<tweet> ...]
      tw-post [<options>] unretweet|unlike|unbookmark [<tweet> ...]
      tw-post [<options>] follow|unfollow [<name> ...]
      tw-post [<options>] undo [<n>]
      tw-post [<options>] flush
      tw-post outbox [show|edit|drop|retry <n> ...]
      tw-post outbox reschedule <n> ... <time>
      tw-post [<options>] length [--lines] [<text>]
      """,
    discussion: """
      EXAMPLES:
        tw-post 'Hello, world' | tw-cache add | tw-render
        date | tw-post - | tw-render

      The text '-' is read from standard input. Tweets are named by their number on this terminal, by id, by address or by a record; without one they are \
      read from standard input, one per line. After '--' everything is text. '--to x,bluesky' posts at several services.
      """,
    version: Version.number)

  @Argument(
    help: ArgumentHelp("The text, or what to do and with what.", valueName: "text"),
    completion: .list(Verb.allCases.map(\.rawValue)))
  var words: [String] = []

  @OptionGroup var text: TextOptions

  @Option(
    help: ArgumentHelp(
      "Put it into the outbox; 'tw-post flush' sends it at this time or later: 18:30, 2h, '2026-11-27 18:30'.",
      valueName: "time"),
    transform: DueTime.parse)
  var at: Timestamp?

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Write at several services, or at accounts of them: x,mastodon:HOST,bluesky:NAME, or all; with 'delete' and 'undo' take back "
        + "the copies there alone.", valueName: "where"), completion: CrossTargetCompletion.names)
  var destinations: String?

  @Flag(
    help:
      "Print the request that would be made, on a terminal or with --to the posts with their lengths, and make none."
  )
  var dryRun = false

  @Flag(help: "Do not ask before many tweets are changed.")
  var yes = false

  @Flag(help: "Wait for rate limits and for a service that does not answer, however long it takes.")
  var wait = false

  @Flag(help: "Put it into the outbox; 'tw-post flush' sends it.")
  var later = false

  @Flag(help: "With 'length': measure each line of standard input, a string in JSON, and print a line for each.")
  var lines = false

  @Option(
    help: ArgumentHelp(
      "With --at or --later: do not send it after this time.", valueName: "time"),
    transform: DueTime.parse)
  var notAfter: Timestamp?

  @Flag(help: "Do what a list on standard input names also where it was done before.")
  var again = false

  @OptionGroup var service: AccessOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if destinations != nil, service.identity.account != nil {
      throw ValidationError("--to and --account exclude each other: --to SERVICE:NAME names an account")
    }
    if let end = notAfter {
      if at == nil || text.server, !later { throw ValidationError("--not-after needs --at or --later") }
      if let at, end <= at { throw ValidationError("--not-after is before --at") }
    }
    if text.server, at == nil { throw ValidationError("--server needs --at") }
    if text.server, later || text.thread { throw ValidationError("--server excludes --later and --thread") }
    let verb = words.first.flatMap(Verb.init)
    if verb != .edit, text.descriptions.count > text.media.count {
      throw ValidationError("each --alt needs a --media before it")
    }
    // An answer can do without the warning of what it answers, and an edit can remove one.
    if text.warning?.isEmpty == true, verb != .reply, verb != .edit { throw ValidationError("--warning is empty") }
    if text.noMentions, verb != .reply { throw ValidationError("--no-mentions is for 'reply'") }
    if lines, words != [Verb.length.rawValue] { throw ValidationError("--lines goes with 'length' and no text") }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let (verb, rest) = try command()
    if let verb, !verb.isOfText, let option = text.given {
      throw .usage("\(option) is for texts, not for '\(verb.rawValue)'")
    }
    try refuseUnused(verb, rest)
    if again, verb?.change == nil { throw .usage("--again is for words such as 'like', with a list") }
    let settings = try Settings.load()
    let accounts = CrossTargets(settings: settings, options: service)
    if verb == .outbox { return try OutboxRun.run(rest, needsNoQuestion: yes, at: wanted(accounts), accounts) }
    let way = WritingWay(
      waits: wait, isLater: later || at != nil && !text.server, dueAt: text.server ? nil : at, isDryRun: dryRun,
      needsNoQuestion: yes, keepsMetadata: text.keepMetadata, needsNoCard: text.cardOptional,
      notAfter: notAfter, repeats: again)
    if verb == .flush {
      guard rest.isEmpty else { throw .usage("'flush' takes no operand") }
      var flush = FlushRun(way, accounts)
      return try flush.run()
    }
    if verb == .length { return try length(rest, way, accounts) }
    return try write(verb, rest, way, accounts)
  }

  /// The accounts that `--to` names; `nil` without it.
  private func wanted(_ accounts: CrossTargets) throws(ToolError) -> [CrossTarget]? {
    try destinations.map { (text) throws(ToolError) in try accounts.named(text) }
  }

  private func length(_ words: [String], _ way: WritingWay, _ accounts: CrossTargets) throws(ToolError) -> ExitStatus {
    let run = LengthRun(way: way, accounts: accounts, isLong: text.long)
    if lines { return try run.measureLines(at: wanted(accounts)) }
    let given: String
    switch try source(words) {
    case .word(let word): given = PostText.trimmed(word)
    case .none: given = ""
    case .input: given = try PostText.readInput()
    case .editor: throw .usage("'length' opens no editor")
    }
    return try run.run(given, at: wanted(accounts))
  }

  private func write(
    _ verb: Verb?, _ words: [String], _ way: WritingWay, _ accounts: CrossTargets
  ) throws(ToolError) -> ExitStatus {
    let settings = accounts.settings
    try text.requireDescriptions(settings)
    let wanted = try wanted(accounts)
    if verb == .undo { return try UndoRun(accounts: accounts, wanted: wanted, way: way).run(words) }
    let last = try last(verb, words, wanted, accounts)
    let words = last.map { [$0.operand] + words.dropFirst() } ?? words
    let named = try NumberedOperands(
      verb?.tweets(words) ?? [], asNames: verb?.change?.isOfAccount ?? false, settings)
    if verb == .delete, let meant = try NamedCopies(wanted).ofDeletion(named, accounts) {
      named.announce("delete", as: nil)
      return try GroupRemoval(meant, at: nil, accounts, way, verb: "delete", isRisky: !named.labels.isEmpty).run()
    }
    if let wanted { return try post(verb, words, named, at: wanted, isGroup: true, way, settings) }
    let access =
      if let last { last.target.access } else {
        try accounts.access(
          service.identity.account, of: named.service, preferring: try named.actingAccount())
      }
    if let change = verb?.change {
      named.announce(change.rawValue, as: access.account)
      return try ChangeRun(
        change, access, way, settings, labels: named.labels,
        others: service.identity.account == nil ? accounts : nil
      ).run(named.operands)
    }
    return try post(verb, words, named, at: [CrossTarget(access)], isGroup: false, way, settings)
  }

  private func post(
    _ verb: Verb?, _ words: [String], _ named: NumberedOperands, at targets: [CrossTarget], isGroup: Bool,
    _ way: WritingWay, _ settings: Settings
  ) throws(ToolError) -> ExitStatus {
    var run = PostRun(
      targets: targets, isGroup: isGroup, way: way, settings: settings, isLong: text.long, isThread: text.thread,
      isNumbered: text.isNumbered)
    guard let verb else { return try run.run(text.draft(at: at, self.words), source(words)) }
    named.announce(verb.rawValue, as: isGroup ? nil : targets[0].access.account)
    var draft = try text.draft(isEdit: verb == .edit, at: at, self.words)
    guard let tweet = named.operands.first else {
      throw .usage("'\(verb.rawValue)' needs a tweet and a text")
    }
    if isGroup {
      run.link = try NamedCopies(targets).link(verb, tweet, named.service)
    } else {
      let id = try NamedPosts(targets[0].access, waits: wait).id(tweet)
      switch verb {
      case .reply: draft.replyTo = id
      case .edit: draft.editOf = id
      default: draft.quoteOf = id
      }
    }
    return try run.run(draft, source(Array(words.dropFirst()), of: draft))
  }

  /// The post that `last` means in place of a tweet, the one that `undo` would take back, and its account.
  ///
  /// - Returns: `nil` if another one is named.
  private func last(
    _ verb: Verb?, _ words: [String], _ wanted: [CrossTarget]?, _ accounts: CrossTargets
  ) throws(ToolError) -> (operand: String, target: CrossTarget)? {
    guard let verb, verb.isOfText, words.first == "last" else { return nil }
    let outbox = try Outbox()
    guard let last = try LastPost(of: wanted, accounts, outbox) else {
      throw .noInput("there is no last post: the outbox has none of the last 90 days")
    }
    guard let id = last.post.result else {
      throw .tryLater(
        "the last post, write \(last.post.id), is not made yet, or its service has not said which it is")
    }
    let target = try last.target()
    let text = Printable.line(try outbox.textNow(of: last.post), limit: 60)
    Diagnostics.note("\(verb.rawValue) at \(target.name): '\(text)'")
    return ("\(last.post.owner.service):\(id)", target)
  }

  // MARK: Words

  /// What the first word asks for, and the words after it. After `--` all words are text.
  private func command() throws(ToolError) -> (Verb?, [String]) {
    guard words.isEmpty || wordsOfText < words.count, let first = words.first else { return (nil, words) }
    if let verb = Verb(rawValue: first) { return (verb, Array(words.dropFirst())) }
    // A word by itself is rather a command that there is not than a post. In an editor it is seen before it is posted,
    // and with an option for texts it is one.
    guard words.count == 1, Self.isBareWord(first), text.given == nil else { return (nil, words) }
    let near = Spelling.nearest(to: first.lowercased(), in: Verb.allCases.map(\.rawValue))
    let hint = near.map { "; did you mean '\($0)'?" } ?? "; --help lists them."
    throw .usage("'\(first)' is not a command\(hint) To post the word: tw-post -- '\(first)'")
  }

  /// How many words stand after `--`.
  private var wordsOfText: Int {
    let arguments = ProgramWords.texts
    return arguments.firstIndex(of: "--").map { arguments.count - 1 - $0 } ?? 0
  }

  /// Whether a text could be the name of a command: letters of ASCII, digits and hyphens.
  private static func isBareWord(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let others = Array("0123456789-_".utf8)
    return (1...20).contains(text.utf8.count) && text != "-"
      && text.utf8.allSatisfy { letters ~= $0 | 0x20 || others.contains($0) }
  }

  /// - Parameter draft: what the text is for; `nil` if it is only measured.
  private func source(_ words: [String], of draft: PostDraft? = nil) throws(ToolError) -> PostText.Source {
    guard words.count < 2 else {
      throw .usage("the text must be one word to the shell: quote it (tw-post 'two words')")
    }
    guard let word = words.first else {
      if text.edit { return .editor("") }
      // Pictures need no text.
      if !text.media.isEmpty { return .none }
      if let draft, draft.editOf != nil, text.given != nil || !text.descriptions.isEmpty {
        return .none
      }
      throw .usage("no text; 'tw-post -' reads it from standard input, --edit opens an editor")
    }
    let isInput = word == "-" && wordsOfText == 0
    if text.edit { return .editor(isInput ? try PostText.readInput() : word) }
    return isInput ? .input : .word(word)
  }

  /// Refuses options that a word does not use: `--dry-run outbox drop` must not drop.
  private func refuseUnused(_ verb: Verb?, _ rest: [String]) throws(ToolError) {
    guard let verb else { return }
    let isEdited = verb == .outbox && rest.first == "edit"
    let (makes, isCopied, asks) =
      switch verb {
      case .reply, .quote, .delete: (true, true, true)
      case .edit, .retweet, .unretweet, .like, .unlike, .bookmark, .unbookmark, .follow, .unfollow: (true, false, true)
      case .undo, .length: (false, true, true)
      case .flush: (false, false, true)
      case .outbox: (false, isEdited, false)
      }
    let unused = [
      ("--at", at != nil && !makes), ("--not-after", notAfter != nil && !makes), ("--later", later && !makes),
      ("--dry-run", dryRun && !makes && verb != .undo),
      ("--to", destinations != nil && !isCopied), ("--wait", wait && !asks),
      ("--account", service.identity.account != nil && !asks),
      ("--cacert", service.caFile != nil && !asks && !isEdited),
    ]
    if let option = unused.first(where: \.1)?.0 {
      throw .usage(
        "\(option) is not for '\(([verb.rawValue] + rest.prefix(verb == .outbox ? 1 : 0)).joined(separator: " "))'")
    }
  }
}
