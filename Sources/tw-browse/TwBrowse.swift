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

      Each SOURCE is a feed, and is refreshed while the tool runs. Without one, the feeds of the setting 'browse.feeds' are \
      shown; without these, or with options that choose tweets, all that is stored. '?' lists the keys.
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

  @Option(help: ArgumentHelp("Show the thread of this tweet: an id, a URL or service:id.", valueName: "tweet"))
  var thread: String?

  @Option(help: ArgumentHelp("Tweets that a saved query finds.", valueName: "name"), completion: NameCompletion.queries)
  var query: String?

  @Flag(help: "Print one tweet at a time and ask what to do, for screen readers and any terminal.")
  var plain = false
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
    for source in sources where !Self.isNotifications(source) { _ = try FilterOptions.feed(source) }
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
    look.pictures?.isOnline = !offline
    let browsing = try BrowseSettings(settings)
    let sources = folder == nil && showsFeeds ? browsing.feeds : self.sources
    let accounts = ChosenAccounts(option: identity.account, settings, known: AccountCompletion.accounts)
    let tools = try Tools(
      database: path, media: media, accounts: accounts, state: Paths.stateDirectory, programs: Programs())
    let refresh =
      offline || folder != nil
      ? nil : RefreshedSources(sources: Self.refreshable(sources), every: every ?? 60_000, isLive: live)
    let terminal = plain ? nil : try TerminalScreen("/dev/tty")
    let model = try BrowseModel(
      lists: try lists(sources, path), tools: tools, keys: browsing.keys, refresh: refresh,
      collector: folder == nil ? nil : tools.add)
    if let terminal {
      try Browser(model, settings: browsing, reader: try StoreReader(path), terminal: terminal, look: look).run()
    } else {
      let input = folder == nil ? 0 : open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
      try PlainReader(model, look: look, input: input, output: 1).run()
    }
    return .done
  }

  /// Whether the command line chooses nothing, so that the feeds of the configuration are shown.
  private var showsFeeds: Bool {
    sources.isEmpty && thread == nil && query == nil && filters.isEmpty
  }

  private static func pictureOption(_ text: String) throws -> PictureOption {
    guard let option = PictureOption(rawValue: text) else {
      let names = PictureOption.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("'\(text)' is not a way to show pictures: \(names)")
    }
    return option
  }

  /// The feeds, in the order of the command line.
  private func lists(_ sources: [String], _ path: String) throws(ToolError) -> [TweetList] {
    if let thread { return [TweetList(id: 0, title: "thread", source: .thread(thread))] }
    let base = try choice(path)
    if sources.isEmpty { return [TweetList(id: 0, title: query ?? "all", source: .query(base))] }
    var lists: [TweetList] = []
    for (number, source) in sources.enumerated() {
      if Self.isNotifications(source) {
        let service = source.split(separator: ":").dropLast().joined(separator: ":")
        let told = NotificationChoice(service: service.isEmpty ? nil : service, hidden: try hiding.hidden)
        lists.append(TweetList(id: number, title: source, source: .notifications(told)))
        continue
      }
      var query = base
      do { query.want([try FilterOptions.feed(source)]) } catch { throw .usage("'\(source)' is not a source") }
      lists.append(TweetList(id: number, title: source, source: .query(query)))
    }
    return lists
  }

  /// Whether a source brings notifications: `notifications` of all services, or `SERVICE:notifications`.
  private static func isNotifications(_ source: String) -> Bool {
    source == "notifications" || source.hasSuffix(":notifications")
  }

  /// The sources that a service can be asked for. One may have no notifications, and those of others are shown
  /// nevertheless.
  private static func refreshable(_ sources: [String]) -> [String] {
    sources.filter { source in !isNotifications(source) || (try? FilterOptions.feed(source)) != nil }
  }

  /// What the options choose. The store is opened here only where something is looked up in it; one that is not there
  /// yet has no saved queries and no checked links.
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
