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

  @Flag(
    name: .shortAndLong,
    help: "Write the text in $VISUAL or $EDITOR; a text that is empty or left unchanged is not posted.")
  var edit = false

  @Flag(
    help:
      "Split a text at lines of '---' and, if it is long, at paragraphs and sentences into posts that answer each other."
  )
  var thread = false

  @Flag(name: .customLong("number"), help: "End the posts of a thread with 1/3, 2/3, 3/3.")
  var isNumbered = false

  @Flag(help: "Allow long posts of up to 25000 characters, which not every account may post.")
  var long = false

  @Option(
    name: .customLong("poll"),
    help: ArgumentHelp("Add a choice of a poll; give it two to four times.", valueName: "choice"))
  var choices: [String] = []

  @Option(
    name: .customLong("poll-for"),
    help: ArgumentHelp("How long the poll is open, 5m to 7d (default: 1d).", valueName: "duration"),
    transform: DurationOption.parse)
  var pollTime: Int?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Show a picture or video with the post, or with post N of a thread (N:FILE); give it up to four times.",
      valueName: "file"),
    completion: .file())
  var media: [String] = []

  @Option(
    name: [.customLong("alt"), .customShort("d")],
    help: ArgumentHelp("What is in the picture; in the order of --media.", valueName: "description"))
  var descriptions: [String] = []

  @Flag(help: "Post pictures and videos with what their files say besides, such as where they were made.")
  var keepMetadata = false

  @Option(
    name: .customLong("reply-settings"),
    help: ArgumentHelp(
      "Who may answer besides those whom the post mentions: the accounts that you follow, your followers, nobody else "
        + "(mentioned), your subscribers or verified accounts; or nobody at all (default: everybody).", valueName: "who"
    ))
  var repliers: PostDraft.Repliers?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Who sees the post, at a service that knows that: everybody, also in public timelines (public), everybody "
        + "(unlisted), your followers (private) or those whom it mentions (direct).", valueName: "who"))
  var visibility: PostDraft.Visibility?

  @Option(
    name: [.long, .customShort("p")],
    help: ArgumentHelp("What a reader sees before the post, at a service that knows that.", valueName: "text"))
  var warning: String?

  @Option(
    name: [.customLong("language"), .customShort("l")],
    help: ArgumentHelp("The language of the text, at a service that knows that: en, pt-BR.", valueName: "tag"),
    completion: LanguageCompletion.codes)
  var languages: [String] = []

  @OptionGroup var parts: PartOptions

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

  @OptionGroup var waiting: OutboxOptions
  @OptionGroup var service: AccessOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if destinations != nil, service.identity.account != nil {
      throw ValidationError("--to and --account exclude each other: --to SERVICE:NAME names an account")
    }
    if let end = waiting.notAfter {
      if at == nil || parts.server, !later { throw ValidationError("--not-after needs --at or --later") }
      if let at, end <= at { throw ValidationError("--not-after is before --at") }
    }
    if parts.server, at == nil { throw ValidationError("--server needs --at") }
    if parts.server, later || thread { throw ValidationError("--server excludes --later and --thread") }
    if isNumbered, !thread { throw ValidationError("--number needs --thread") }
    if choices.isEmpty, parts.pollMultiple || parts.pollHideTotals {
      throw ValidationError("--poll-multiple and --poll-hide-totals need --poll")
    }
    if pollTime != nil, choices.isEmpty { throw ValidationError("--poll-for needs --poll") }
    if words.first != Verb.edit.rawValue, descriptions.count > media.count {
      throw ValidationError("each --alt needs a --media before it")
    }
    // An answer can do without the warning of what it answers, and an edit can remove one.
    if warning?.isEmpty == true, ![Verb.reply, .edit].contains(where: { $0.rawValue == words.first }) {
      throw ValidationError("--warning is empty")
    }
    for language in languages where language.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) == nil {
      throw ValidationError("--language: '\(language)' is not a language tag, such as en or pt-BR")
    }
    if parts.noMentions, words.first != Verb.reply.rawValue { throw ValidationError("--no-mentions is for 'reply'") }
    if lines, words != [Verb.length.rawValue] { throw ValidationError("--lines goes with 'length' and no text") }
    if keepMetadata, media.isEmpty { throw ValidationError("--keep-metadata needs --media") }
    if !media.isEmpty, !choices.isEmpty { throw ValidationError("--media and --poll exclude each other") }
    if thread, !choices.isEmpty { throw ValidationError("--thread and --poll exclude each other") }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let (verb, rest) = try command()
    if let verb, ![.reply, .quote, .edit, .length].contains(verb),
      let option = textOptions.first(where: { $0.isGiven })?.name
    {
      throw .usage("\(option) is for texts, not for '\(verb.rawValue)'")
    }
    try refuseUnused(verb, rest)
    if waiting.again {
      guard case .change? = verb else { throw .usage("--again is for words such as 'like', with a list") }
    }
    if verb == .outbox {
      let settings = try Settings.load()
      return try OutboxRun.run(
        rest, needsNoQuestion: yes, at: wanted(settings), CrossTargets(settings, caFile: service.caFile))
    }
    let settings = try Settings.load()
    let way = WritingWay(
      waits: wait, isLater: later || at != nil && !parts.server, dueAt: parts.server ? nil : at, isDryRun: dryRun,
      needsNoQuestion: yes, keepsMetadata: keepMetadata, needsNoCard: parts.cardOptional, notAfter: waiting.notAfter,
      repeats: waiting.again)
    if verb == .flush {
      guard rest.isEmpty else { throw .usage("'flush' takes no operand") }
      var flush = FlushRun(way, settings, service)
      return try flush.run()
    }
    if verb == .length { return try length(rest, way, settings) }
    return try write(verb, rest, way, settings)
  }

  private func write(
    _ verb: Verb?, _ words: [String], _ way: WritingWay, _ settings: Settings
  ) throws(ToolError) -> ExitStatus {
    try requireDescriptions(settings)
    let last = try last(verb, words, settings)
    let words = last.map { [$0.operand] + words.dropFirst() } ?? words
    let named = try NumberedOperands(verb?.tweets(words) ?? [], asNames: verb?.isOfAccounts ?? false, settings)
    if let status = try crosspost(verb, words, named, way, settings) { return status }
    let access =
      if let last { last.target.access } else {
        try ServiceAccess.fromEnvironment(
          ServiceAPIs.all, caFile: service.caFile, account: service.identity.account, example: "tw-post 'Hello, world'",
          of: named.service, preferring: try named.actingAccount(), settings)
      }
    if let verb { named.announce(verb.rawValue, as: access.account) }
    switch verb {
    case .flush, .outbox, .length, .undo: return .done
    case .change(let change)?:
      let others = service.identity.account == nil ? CrossTargets(settings, caFile: service.caFile) : nil
      return try ChangeRun(change, access, way, settings, labels: named.labels, others: others).run(named.operands)
    case nil, .reply?, .quote?, .edit?:
      var draft = try draft(isEdit: verb == .edit)
      if let verb {
        guard let tweet = named.operands.first, words.count > 0 else {
          throw .usage("'\(verb.rawValue)' needs a tweet and a text")
        }
        let id = try NamedPosts(access, waits: wait).id(tweet)
        switch verb {
        case .reply: draft.replyTo = id
        case .edit: draft.editOf = id
        default: draft.quoteOf = id
        }
      }
      let text = try source(verb == nil ? words : Array(words.dropFirst()), of: draft)
      return try PostRun(access, way, settings, isLong: long, isThread: thread, isNumbered: isNumbered).run(draft, text)
    }
  }

  private func length(_ words: [String], _ way: WritingWay, _ settings: Settings) throws(ToolError) -> ExitStatus {
    let run = LengthRun(way: way, settings: settings, options: service, isLong: long)
    if lines { return try run.measureLines(at: wanted(settings)) }
    let text: String
    switch try source(words) {
    case .word(let word): text = PostText.trimmed(word)
    case .none: text = ""
    case .input: text = try PostText.readInput()
    case .editor: throw .usage("'length' opens no editor")
    }
    if let targets = try wanted(settings) { return try run.run(text, at: targets) }
    return try run.run(text)
  }

  /// The options that are for texts, by their names.
  var textOptions: [(name: String, isGiven: Bool)] {
    [
      ("--edit", edit), ("--thread", thread), ("--number", isNumbered), ("--long", long), ("--poll", !choices.isEmpty),
      ("--media", !media.isEmpty), ("--reply-settings", repliers != nil), ("--visibility", visibility != nil),
      ("--warning", warning != nil), ("--language", !languages.isEmpty),
    ] + parts.given
  }

  /// The post without its text.
  func draft(isEdit: Bool = false) throws(ToolError) -> PostDraft {
    var draft = PostDraft(text: "")
    (draft.repliers, draft.visibility, draft.warning, draft.languages) = (repliers, visibility, warning, languages)
    parts.apply(to: &draft)
    if isEdit {
      let others = [
        thread, long, !choices.isEmpty, !media.isEmpty, repliers != nil, visibility != nil, parts.card != nil,
        parts.server,
      ]
      if others.contains(true) {
        throw .usage(
          "'edit' changes the text, and what --warning, --sensitive, --language, --quote-settings and --alt say")
      }
      draft.altTexts = descriptions
      return draft
    }
    if parts.server { draft.scheduledAt = at }
    if !choices.isEmpty {
      var poll = PostDraft.Poll(options: choices, minutes: ((pollTime ?? 86_400_000) + 59_999) / 60_000)
      (poll.isMultiple, poll.hidesTotals) = (parts.pollMultiple, parts.pollHideTotals)
      draft.poll = poll
    }
    draft.media = try givenMedia()
    return draft
  }
}
