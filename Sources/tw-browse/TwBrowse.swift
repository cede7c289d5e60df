import ArgumentParser
import Libc
import StoreCLI
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

/// `tw-browse`, as its program starts it.
package enum TwBrowse {
  package static func main() { BrowseCommand.main() }
}

/// Shows stored tweets on the whole terminal, keeps their sources fresh, and starts the other tools for the rest.
struct BrowseCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-browse",
    abstract: "Read stored tweets on the whole terminal, and reply, like and more from there.",
    usage: "tw-browse [<options>] [<source> ...]",
    discussion: """
      EXAMPLES:
        tw-browse '#swift' home
        tw-browse --author jack --since 7d

      Each SOURCE is a feed, and is refreshed while the tool runs. Without one, all that is stored is shown, as the options \
      choose it. '?' lists the keys.
      """,
    version: Version.number)

  @Argument(
    help: ArgumentHelp("What to show and to refresh, as tw-stream takes it.", valueName: "source"),
    completion: NameCompletion.sources)
  var sources: [String] = []

  @Option(
    help: ArgumentHelp("Refresh the sources after this time (default: 60s).", valueName: "duration"),
    transform: DurationOption.parse)
  var every: Int?

  @Flag(help: "Read the sources as live streams, and do not poll them.")
  var live = false

  @Flag(help: "Do not refresh: read only what is stored.")
  var offline = false

  @Option(
    help: ArgumentHelp("Show the thread of this tweet: an id, a URL or service:id.", valueName: "tweet"))
  var thread: String?

  @Option(
    help: ArgumentHelp("Tweets that a saved query finds.", valueName: "name"), completion: NameCompletion.queries)
  var query: String?

  @Option(
    help: ArgumentHelp(
      "How pictures are shown: auto (default: as the terminal can), kitty, iterm2, sixel, symbols or none.",
      valueName: "way"),
    completion: .list(PictureOption.allCases.map(\.rawValue)), transform: Self.pictureOption)
  var pictures = PictureOption.auto

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @OptionGroup var filters: FilterOptions
  @OptionGroup var hiding: HidingOptions
  @OptionGroup var identity: AccountOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if every != nil, offline { throw ValidationError("--every and --offline exclude each other") }
    if live, offline || every != nil { throw ValidationError("--live goes with neither --offline nor --every") }
    if live, sources.isEmpty { throw ValidationError("--live needs a source") }
    if thread != nil, !sources.isEmpty { throw ValidationError("--thread and a source exclude each other") }
    for source in sources { _ = try FilterOptions.feeds(source) }
  }

  func execute() throws(ToolError) -> ExitStatus {
    // Records of standard input are collected in a store of their own, for as long as they are shown.
    let folder = isatty(0) == 1 ? nil : try TemporaryFolder("tw-browse")
    defer { folder?.remove() }
    let path = if let folder { folder.path + "/tw.db" } else { try store.path }
    let settings = try Settings.load()
    // Pictures stay with the person's own store.
    let media = folder == nil ? path : settings.tweetStore
    let look = try ScreenStyle(
      ascii: ascii, hasAvatars: try settings.hasAvatars, pictures: pictures, folder: Paths.thumbnails(beside: media))
    let tools = try Tools(database: path, media: media, account: identity.account)
    let terminal = try TerminalScreen()
    let refresh =
      offline || folder != nil ? nil : RefreshedSources(sources: sources, every: every ?? 60_000, isLive: live)
    look.pictures?.isOnline = !offline
    let browser = try Browser(
      lists: try lists(path), tools: tools, reader: try StoreReader(path), terminal: terminal, look: look,
      refresh: refresh, collector: folder == nil ? nil : tools.add)
    try browser.run()
    return .done
  }

  private static func pictureOption(_ text: String) throws -> PictureOption {
    guard let option = PictureOption(rawValue: text) else {
      let names = PictureOption.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is no way to show pictures: \(names)")
    }
    return option
  }

  /// The feeds, in the order of the command line.
  private func lists(_ path: String) throws(ToolError) -> [TweetList] {
    if let thread { return [TweetList(id: 0, title: "thread", source: .thread(thread))] }
    let base = try choice(path)
    if sources.isEmpty { return [TweetList(id: 0, title: query ?? "all", source: .query(base))] }
    var lists: [TweetList] = []
    for (number, source) in sources.enumerated() {
      var query = base
      do { query.feeds = try FilterOptions.feeds(source) } catch { throw .usage("'\(source)' is not a source") }
      lists.append(TweetList(id: number, title: source, source: .query(query)))
    }
    return lists
  }

  /// What the options choose. The store is opened here only where something is looked up in it; one that is not there yet has no
  /// saved queries and no checked links.
  private func choice(_ path: String) throws(ToolError) -> TweetQuery {
    var choice = filters.query
    if query != nil || choice.needsLinks, try TweetStore.isThere(path) {
      let tweets = try store.open()
      choice = try filters.query(in: tweets, saved: query)
      try choice.resolveLinks(in: tweets, note: Diagnostics.warn)
    }
    choice.hide(try hiding.hidden.mute.map { TweetQuery(mutedBy: $0) }, try hiding.hidden.kinds)
    return choice
  }
}
