import ArgumentParser
import TweetCLI
import TweetCore
import TweetDisplay

/// `tw-render`, as its program starts it.
package enum TwRender {
  package static func main() { RenderCommand.main() }
}

/// Reads records and has ``RecordPrinter`` show them in a format.
struct RenderCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-render",
    abstract: "Show tweets as text for people, or write them as documents.",
    usage: "tw-render [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-cache list --limit 20 | tw-render
        tw-render --format line tweets.ndjson | grep -i swift

      A tweet that comes again is not shown again, but what has changed about it is.
      """,
    version: Version.number)

  @Option(
    name: [.customShort("f", allowingJoined: true), .long],
    help: "A timeline, one line per tweet, all about a tweet, only the ids, or a document.")
  var format = FormatChoice.text

  @Option(
    help: ArgumentHelp(
      "Wrap text at this many columns (default: the terminal's, $COLUMNS or 80, at most \(Screen.widestByDefault)).",
      valueName: "columns"))
  var width: Int?

  @Option(
    help: ArgumentHelp(
      "When to use colours (default: auto, on a terminal, unless $NO_COLOR is set).", valueName: "when"))
  var color: ColorChoice?

  @Flag(help: "Add only ASCII characters to the text of tweets.")
  var ascii = false

  @Option(
    help: ArgumentHelp(
      "How times are shown (default: clock on a terminal, else iso; with '--format line' iso).", valueName: "form"))
  var time: TimeForm?

  @Option(
    help: ArgumentHelp("The language of times, counts and words, such as de or pt-BR.", valueName: "name"),
    completion: LanguageCompletion.codes)
  var locale: LocaleChoice?

  @Option(
    help: ArgumentHelp(
      "When addresses are links of the terminal, and short (default: auto, with colours, but not in tmux).",
      valueName: "when"))
  var hyperlink: ColorChoice?

  @Option(
    help: ArgumentHelp(
      "How the pictures of authors are shown (default: auto, as the terminal can; elsewhere there are none).",
      valueName: "way"))
  var pictures: PictureOption?

  @Flag(help: "Also show the photos of tweets, as far as tw-avatar has fetched them.")
  var photos = false

  @Flag(help: "Show neither the pictures of authors nor their initials.")
  var noAvatars = false

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: "Show numbers by which the tools on this terminal know the tweets for a day: tw-post like 3.")
  var numbers: Bool?

  @Option(
    help: ArgumentHelp(
      "Add the name of each tweet to this file, service:id on a line, when it has been shown.", valueName: "file"),
    completion: .file())
  var shown: String?

  @Flag(help: "Show the ids of tweets: before each line and a tab, below each tweet of a timeline.")
  var ids = false

  @Option(
    help: ArgumentHelp(
      "In a timeline, fold texts that have more rows; in csv and tsv, a row for each of links, hashtags or media.",
      valueName: "rows"))
  var rows: RowsChoice?

  @Option(
    help: ArgumentHelp(
      "Show what stands behind a content warning, only the warning, or neither (default: show; in a page and a feed, fold).",
      valueName: "how"))
  var warnings: WarningChoice?

  @Option(
    help: ArgumentHelp(
      "Documents also have posts that are private, or that you only liked or bookmarked.", valueName: "posts"))
  var include: [IncludedPosts] = []

  @Flag(help: "Show a post each time that another server or network has it too, not only once.")
  var allCopies = false

  @Option(help: ArgumentHelp("In detail, the tweet that was asked for: the others are its thread.", valueName: "tweet"))
  var tweet: String?

  @Option(
    help: ArgumentHelp(
      "Highlight this word in the text of tweets, where there are colours; may be given several times.",
      valueName: "word"))
  var highlight: [String] = []

  @Flag(
    inversion: .prefixedNo, exclusivity: .chooseLast,
    help: ArgumentHelp(
      "Also show new counts of tweets that were shown before, or not even new link verdicts and texts."))
  var updates: Bool?

  @Option(
    help: ArgumentHelp(
      "The columns of csv and tsv, such as 'author.username,text' (default: those of twarc-csv).", valueName: "names"),
    completion: CompletionOffers.completion(ofListsOf: TableColumn.knownNames))
  var fields: String?

  @Flag(help: "In csv and tsv, do not put a ' before texts that a spreadsheet would take for formulas.")
  var noGuard = false

  @Flag(help: "In csv and tsv, write ids as formulas, so that a spreadsheet does not round them.")
  var idsAsText = false

  @Flag(help: "In csv and tsv, write a byte order mark first, by which Excel knows UTF-8.")
  var bom = false

  @Option(help: "The title of html, site, mail, atom, json-feed and markdown (default: Tweets).")
  var title: String?

  @Option(
    help: ArgumentHelp("Who gets the mail: me, me@example.org; may be given several times.", valueName: "address"))
  var to: [MailAddress] = []

  @Option(help: ArgumentHelp("Who sends the mail (default: left to the program that sends it).", valueName: "address"))
  var from: MailAddress?

  @Flag(help: "Of no tweets write no mail, and end with status 1.")
  var unlessEmpty = false

  @OptionGroup var hiding: HidingOptions
  @OptionGroup var confirmation: DestroyingOptions
  @OptionGroup var input: InputOptions

  func validate() throws {
    if let width, !(1...10_000).contains(width) {
      throw ValidationError("--width must be from 1 to 10000")
    }
    for option in scopedOptions where option.isGiven && !option.formats.contains(format) {
      throw ValidationError("\(option.name) is for --format \(option.formatNames)")
    }
    if format == .site, input.files.isEmpty {
      throw ValidationError("--format site needs a directory: tw-render --format site DIRECTORY [FILE ...]")
    }
    do throws(ToolError) { _ = try columns } catch { throw ValidationError(error.message ?? "") }
  }

  var isQuiet: Bool { input.quiet }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let language = locale.map { ReaderLocale($0.name) }
    if let language, language.isSubstitute {
      Diagnostics.note("the language of --locale is not known here, so times and counts are English")
    }
    let (hasAvatars, folder) = try shownPictures()
    let screen = Screen(
      width: width, color: color ?? .auto, hyperlink: hyperlink ?? .auto, ascii: ascii, highlighted: highlight,
      locale: language, times: time, pictures: folder.map { (pictures ?? .auto, $0) },
      avatars: hasAvatars, photos: photos)
    let filter = PostFilter(
      hidden: try hiding.hidden,
      includesPrivate: FormatChoice.terminal.contains(format) || include.contains(.private),
      includesMarked: FormatChoice.terminal.contains(format) || include.contains(.marked),
      hidesWarnings: warnings == .hide, hidesCopies: !allCopies && FormatChoice.read.contains(format))
    let pictureFolder = folder.map { PictureFolder($0) }
    let feedPhotos = photos ? pictureFolder : nil
    let (shown, folded) = (warnings ?? .show, warnings ?? .fold)
    // Quotes are not left out of the tweets that quote them.
    let foldsWarnings = shown != .show
    let given = FormatChoice.terminal.contains(format) ? try shownNumbers(on: screen) : nil
    let status: ExitStatus =
      switch format {
      case .text:
        try show(
          in: TextFormat(screen, showsIDs: ids, mostRows: rows?.most, foldsWarnings: foldsWarnings), on: screen, filter,
          given)
      case .line:
        try show(
          in: LineFormat(screen, showsIDs: ids, hasNumbers: given != nil, foldsWarnings: foldsWarnings), on: screen,
          filter, given)
      case .detail:
        try show(
          in: DetailFormat(screen, asked: try asked, foldsWarnings: foldsWarnings), on: screen, filter, given)
      case .ids: try show(in: IDFormat(), on: screen, filter)
      case .csv: try write(try table(.comma), filter)
      case .tsv: try write(try table(.tab), filter)
      case .twarc: try write(TwarcFormat(), filter)
      case .html:
        try write(
          PageFormat(
            title: heading, language ?? .environment, hasAvatars: hasAvatars, photos: photos, folder: pictureFolder,
            warnings: folded), filter)
      case .atom:
        try write(AtomFormat(title: heading, now: .shown, photos: feedPhotos, warnings: folded), filter)
      case .jsonFeed:
        try write(JSONFeedFormat(title: heading, now: .shown, photos: feedPhotos, warnings: folded), filter)
      case .markdown: try write(MarkdownFormat(title: heading, language ?? .environment, warnings: shown), filter)
      case .mbox: try write(MailFormat(now: .shown, warnings: shown), filter)
      case .m3u: try write(PlaylistFormat(), filter)
      case .site:
        try writeSite(
          SiteLook(
            title: heading, locale: language ?? .environment, hasAvatars: hasAvatars, hasPhotos: photos,
            folder: pictureFolder, originals: folder == nil ? { _ in nil } : try OriginalPictures.reader(),
            warnings: folded), filter)
      case .mail:
        try DigestRun(
          look: DigestLook(
            title: heading, locale: language ?? .environment, hasAvatars: hasAvatars, hasPhotos: photos,
            folder: pictureFolder, warnings: shown),
          filter: filter, from: from, to: to, needsTweets: unlessEmpty
        ).execute(input)
      }
    filter.report()
    return status
  }

  /// The first operand is the site's directory, the others are files to read.
  private func writeSite(_ look: SiteLook, _ filter: PostFilter) throws(ToolError) -> ExitStatus {
    var input = input
    return try SiteRun(input.files.removeFirst(), look, filter, confirmation).execute(input)
  }

  private func table(_ separator: TableFormat.Separator) throws(ToolError) -> TableFormat {
    TableFormat(try columns, of: rows?.each, separator, isGuarded: !noGuard, hasTextIDs: idsAsText, hasMark: bom)
  }

  /// Whether pictures of authors or their initials are shown, and the folder of all pictures; `nil` if none are shown.
  private func shownPictures() throws(ToolError) -> (hasAvatars: Bool, folder: String?) {
    guard FormatChoice.withPhotos.contains(format) else { return (false, nil) }
    let settings = try Settings.load()
    let hasAvatars = noAvatars ? false : try settings.hasAvatars
    let hasPictures = pictures != PictureOption.none && (hasAvatars || photos)
    return (hasAvatars, hasPictures ? Paths.thumbnails(beside: settings.tweetStore) : nil)
  }

  private var heading: String { title ?? "Tweets" }

  private var columns: [TableColumn] {
    get throws(ToolError) {
      try fields.map { (text) throws(ToolError) in try TableColumn.list(text, of: rows?.each) }
        ?? rows?.each?.usual ?? TableColumn.usual
    }
  }

  private func write<Format: DocumentFormat & ~Copyable>(
    _ format: consuming Format, _ filter: PostFilter
  ) throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    let printer = Shared(try DocumentPrinter(format, filter))
    try printer.value.begin(&writer)
    let status = try input.forEachRecord(
      writer: &writer, tick: { printer.value.tick(&$0) },
      { (record, writer) throws(ToolError) in try printer.value.print(record, to: &writer) })
    try printer.value.finish(&writer)
    try writer.flush()
    return status
  }

  /// The changes of shown tweets that are shown. Counts change all the time.
  private var watched: TweetChange {
    switch updates {
    case nil: [.links, .text]
    case true?: [.links, .text, .counts]
    case false?: []
    }
  }

  private func show<Format: RecordFormat & ~Copyable>(
    in format: consuming Format, on screen: Screen, _ filter: PostFilter, _ numbers: TweetNumbers? = nil
  ) throws(ToolError) -> ExitStatus {
    var writer = RecordWriter(isStyled: true)
    let written = if let shown { try WrittenTweets(shown) } else { nil as WrittenTweets? }
    let printer = Shared(
      RecordPrinter(format, on: screen, filter, watching: watched, numbers: numbers, written: written))
    let status = try input.forEachRecord(
      writer: &writer, tick: { printer.value.tick(&$0) },
      { (record, writer) throws(ToolError) in try printer.value.print(record, to: &writer) })
    try printer.value.finish(&writer)
    return status
  }
}

/// A printer that closures use, one at a time.
final class Shared<Printer: ~Copyable> {
  var value: Printer

  init(_ value: consuming Printer) { self.value = value }
}

extension Record {
  /// What is wrong with an object that cannot be shown; `nil` for nothing.
  var fault: String? {
    type?.isString == true ? root.textFault : "no \"tw\": not a record (tw-parse makes records)"
  }
}

/// Numbers of tweets, as this run gives and reads them.
extension RenderCommand {
  /// What gives tweets numbers: where they are asked for, and by the setting if standard output is a terminal.
  func shownNumbers(on screen: Screen) throws(ToolError) -> TweetNumbers? {
    if numbers == nil, !screen.isTerminal { return nil }
    let isWanted = if let numbers { numbers } else { try Settings.load().hasNumbers }
    guard isWanted else { return nil }
    let made = TweetNumbers()
    if made == nil { Diagnostics.note("there is no terminal here, so tweets get no numbers") }
    return made
  }

  /// The tweet that was asked for, which may be named by its number.
  var asked: AskedTweet? {
    get throws(ToolError) {
      guard let tweet else { return nil }
      var numbers = ShortNumbers()
      guard let target = try numbers.target(tweet) else { return AskedTweet(tweet) }
      return AskedTweet(target.service == "x" ? target.id : "\(target.service):\(target.id)")
    }
  }
}
