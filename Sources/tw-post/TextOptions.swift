import ArgumentParser
import Libc
import TweetCLI
import TweetCore
import TweetServices

/// The options for a text and for what belongs to the post.
struct TextOptions: ParsableArguments {
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

  @Flag(name: .shortAndLong, help: "Cover the pictures until a reader opens them, at a service that knows that.")
  var sensitive = false

  @Option(
    name: .customLong("quote-settings"),
    help: ArgumentHelp(
      "Who may quote the post, at a service that knows that: everybody, your followers or nobody.", valueName: "who"))
  var quoters: PostDraft.Quoters?

  @Option(
    help: ArgumentHelp(
      "Show the title, the text and the picture of a page below the post, at a service that does not do so itself: its "
        + "address, or 'first' for the first link of the text.", valueName: "url"))
  var card: String?

  @Flag(help: "Post without the card if its page cannot be read.")
  var cardOptional = false

  @Flag(help: "Do not begin an answer with the names of those whom it answers, at a service where it does.")
  var noMentions = false

  @Flag(help: "Let several answers of the poll be chosen, at a service that knows that.")
  var pollMultiple = false

  @Flag(help: "Show the numbers of the poll only at its end, at a service that knows that.")
  var pollHideTotals = false

  @Flag(help: "With --at: have the service publish the post itself at that time, where it can.")
  var server = false

  func validate() throws {
    if isNumbered, !thread { throw ValidationError("--number needs --thread") }
    if choices.isEmpty, pollMultiple || pollHideTotals {
      throw ValidationError("--poll-multiple and --poll-hide-totals need --poll")
    }
    if pollTime != nil, choices.isEmpty { throw ValidationError("--poll-for needs --poll") }
    for language in languages where language.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) == nil {
      throw ValidationError("--language: '\(language)' is not a language tag, such as en or pt-BR")
    }
    if keepMetadata, media.isEmpty { throw ValidationError("--keep-metadata needs --media") }
    if !media.isEmpty, !choices.isEmpty { throw ValidationError("--media and --poll exclude each other") }
    if thread, !choices.isEmpty { throw ValidationError("--thread and --poll exclude each other") }
    if cardOptional, card == nil { throw ValidationError("--card-optional needs --card") }
  }

  /// Those that a verb without a text does not have, by their names.
  private var all: [(name: String, isGiven: Bool)] {
    [
      ("--edit", edit), ("--thread", thread), ("--number", isNumbered), ("--long", long), ("--poll", !choices.isEmpty),
      ("--media", !media.isEmpty), ("--reply-settings", repliers != nil), ("--visibility", visibility != nil),
      ("--warning", warning != nil), ("--language", !languages.isEmpty), ("--sensitive", sensitive),
      ("--quote-settings", quoters != nil), ("--card", card != nil), ("--no-mentions", noMentions),
      ("--poll-multiple", pollMultiple), ("--poll-hide-totals", pollHideTotals), ("--server", server),
    ]
  }

  /// The first of them that is given.
  var given: String? { all.first(where: \.isGiven)?.name }

  // MARK: The post

  /// The post without its text.
  ///
  /// - Parameters:
  ///   - isEdit: whether it is to be in the place of a post that is there.
  ///   - time: when the service is to publish it, with `--server`.
  ///   - words: the words of the command.
  func draft(isEdit: Bool = false, at time: Timestamp?, _ words: [String]) throws(ToolError) -> PostDraft {
    var draft = PostDraft(text: "")
    (draft.repliers, draft.visibility, draft.warning, draft.languages) = (repliers, visibility, warning, languages)
    (draft.isSensitive, draft.quoters, draft.namesNobody) = (sensitive, quoters, noMentions)
    if let card { draft.card = PostDraft.Card(address: card) }
    if isEdit {
      let others = [
        thread, long, !choices.isEmpty, !media.isEmpty, repliers != nil, visibility != nil, card != nil, server,
      ]
      if others.contains(true) {
        throw .usage(
          "'edit' changes the text, and what --warning, --sensitive, --language, --quote-settings and --alt say")
      }
      draft.altTexts = descriptions
      return draft
    }
    if server { draft.scheduledAt = time }
    if !choices.isEmpty {
      var poll = PostDraft.Poll(options: choices, minutes: ((pollTime ?? 86_400_000) + 59_999) / 60_000)
      (poll.isMultiple, poll.hidesTotals) = (pollMultiple, pollHideTotals)
      draft.poll = poll
    }
    draft.media = try givenMedia(words)
    return draft
  }

  /// The files of `--media`. They are opened, so that a mistake is noticed now and not when the outbox is sent.
  private func givenMedia(_ words: [String]) throws(ToolError) -> [PostDraft.Media] {
    var files: [PostDraft.Media] = []
    for (index, word) in media.enumerated() {
      let (post, path) = place(of: word)
      if path == PipedMedia.input, words.contains(path) || files.contains(where: { $0.path == path }) {
        throw .usage("standard input can be read once: as the text, or as one --media")
      }
      let copy = try PipedMedia.copy(path)
      let file = try MediaFile(copy ?? path, named: "'\(path)'")
      if !keepMetadata { _ = try MediaContent.withoutMetadata(file) }
      guard let full = copy == nil ? Paths.real(path) : path else {
        throw .noInput("cannot find '\(path)': \(describe(errno: errno))")
      }
      var given = PostDraft.Media(
        path: full, altText: descriptions.indices.contains(index) ? descriptions[index] : nil)
      (given.post, given.source) = (post, copy)
      files.append(given)
    }
    return files
  }

  /// Which post of a thread shows a file: `2:a.png` unless there is a file of that name. A text never says it, since it
  /// may be a stranger's.
  private func place(of word: String) -> (post: Int, path: String) {
    guard thread, let colon = word.firstIndex(of: ":"), let post = Int(word[..<colon]), access(word, F_OK) != 0 else {
      return (1, word)
    }
    return (post, String(word[word.index(after: colon)...]))
  }

  /// Refuses pictures without descriptions for a person who wants to be reminded.
  func requireDescriptions(_ settings: Settings) throws(ToolError) {
    guard try settings.requiresAlt else { return }
    let described = descriptions.prefix(media.count).count { !$0.allSatisfy(\.isWhitespace) }
    if described < media.count {
      throw .badData("each --media needs an --alt: \(settings.origin(of: .requireAlt)) asks for descriptions")
    }
  }
}

extension PostDraft.Repliers: ExpressibleByArgument {}
extension PostDraft.Visibility: ExpressibleByArgument {}
extension PostDraft.Quoters: ExpressibleByArgument {}
