import ArgumentParser
import Libc
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// `tw-cache source …`: registers sources. `refresh` without operands polls those of them that are due.
struct SourceCommand: GroupCommand {
  static let configuration = CommandConfiguration(
    commandName: "source", abstract: "Register the sources for 'refresh'.",
    discussion: """
      EXAMPLES:
        tw-cache source add '#swift' --every 15m
        tw-cache source list
      """,
    subcommands: [SourceAdd.self, SourceList.self, SourceRemove.self, SourcePause.self, SourceResume.self])
}

/// A source of the service and account in use.
struct SourceName: ParsableArguments {
  @Argument(
    help: ArgumentHelp("A source, as tw-stream takes it.", valueName: "source"), completion: NameCompletion.sources)
  var source: String

  @Option(
    help: ArgumentHelp(
      "The service of the source (default: that of your settings, or of your accounts).", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @OptionGroup var identity: AccountOptions

  /// - Parameter isNew: says of which service a new source is, where that is not plain.
  func name(isNew: Bool = false) throws(ToolError) -> RefreshedSource.Name {
    try Self.name(source, service: service, account: identity.name(Settings.load()), isNew: isNew)
  }

  /// - Parameters:
  ///   - service: `nil` for that of the settings, or of the accounts.
  ///   - account: `nil` for the service's default one.
  static func name(
    _ source: String, service: String? = nil, account: String?, isNew: Bool = false
  ) throws(ToolError) -> RefreshedSource.Name {
    let unnamed = service == nil ? try UnnamedService(account: account, Settings.load()) : nil
    let service = service ?? unnamed?.name ?? Services.usual.name
    let grammar = Services.reading(service)
    var numbers = ShortNumbers()
    let meant = try Question.source(try numbers.source(source), near: grammar.nearSource(source))
    let parsed = try Services.source(meant, of: grammar)
    // An account is one of the service in use.
    if case .service(let other, let own) = parsed {
      return RefreshedSource.Name(service: other, account: "", source: own.feed)
    }
    if isNew, !parsed.isOfPlugin, let note = unnamed?.note { Diagnostics.note("'\(parsed.feed)' \(note)") }
    return RefreshedSource.Name(service: service, account: account ?? "", source: parsed.feed)
  }

  /// The source in the store.
  /// - Throws: `ToolError.noInput` if there is none of that name.
  func found(in store: borrowing TweetStore) throws(ToolError) -> RefreshedSource {
    let name = try name()
    // Who names no service means the only source of that name.
    if service == nil, identity.account == nil {
      let named = try store.sources().filter { $0.name.source == name.source && $0.name.account == name.account }
      if named.count == 1 { return named[0] }
    }
    return try Self.found(name, in: store)
  }

  static func found(
    _ name: RefreshedSource.Name, in store: borrowing TweetStore
  ) throws(ToolError) -> RefreshedSource {
    if let known = try store.source(name) { return known }
    let elsewhere = try store.sources().filter { $0.name.source == name.source }.map(\.name)
    let other = elsewhere.first { $0.service != name.service }.map { "; '--service \($0.service)' names another one" }
    throw .noInput("no source '\(name.source)' of service '\(name.service)' in '\(store.path)'\(other ?? "")")
  }
}

struct SourceAdd: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Register a source, or change how often it is refreshed.",
    usage: "tw-cache source add [<options>] <source>",
    discussion: """
      EXAMPLES:
        tw-cache source add '#swift' --every 15m
        tw-cache source add @jack --every 6h
      """)

  @OptionGroup var source: SourceName

  @Option(
    help: ArgumentHelp("How often to refresh the source (default: 15m).", valueName: "duration"),
    transform: DurationOption.parse)
  var every = 900_000

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if every < 1000 { throw ValidationError("--every: a second is the least") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let name = try source.name(isNew: true)
    if let plugin = name.plugin, Programs().path(of: "source-\(plugin)") == nil {
      throw .usage(
        "source '\(name.source)' needs the program 'tw-source-\(plugin)', which is neither beside this one nor on PATH")
    }
    try TweetStore(try store.path, .readWrite).register(name, every: every / 1000)
    return .done
  }
}

struct SourceRemove: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a source and its log; its tweets stay.",
    usage: "tw-cache source remove [<options>] <source>",
    discussion: """
      EXAMPLES:
        tw-cache source remove --yes '#swift'
        tw-cache source remove --yes @jack

      Asks first. What was posted until the source is added again is then missing: 'source pause' keeps its place.
      """)

  @OptionGroup var source: SourceName
  @OptionGroup var destroying: DestroyingOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.openForChanges()
    let found = try source.found(in: tweets)
    let what = "source '\(found.name.source)' of service '\(found.name.service)', its checkpoint and its log"
    if try destroying.allows("remove \(what)") { try tweets.remove(found) }
    return .done
  }
}

struct SourcePause: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "pause", abstract: "Stop refreshing a source when it is due.",
    usage: "tw-cache source pause [<options>] <source>",
    discussion: """
      EXAMPLES:
        tw-cache source pause '#swift'
        tw-cache source pause @jack
      """)

  @OptionGroup var source: SourceName
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.openForChanges()
    try tweets.setPaused(source.found(in: tweets), true)
    return .done
  }
}

struct SourceResume: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume", abstract: "Refresh a paused source again when it is due.",
    usage: "tw-cache source resume [<options>] <source>",
    discussion: """
      EXAMPLES:
        tw-cache source resume '#swift'
        tw-cache source resume @jack
      """)

  @OptionGroup var source: SourceName
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.openForChanges()
    try tweets.setPaused(source.found(in: tweets), false)
    return .done
  }
}

struct SourceList: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the sources.",
    discussion: """
      EXAMPLES:
        tw-cache source list
        tw-cache source list | grep failing

      Each line has service, account, source, interval, state (ok, due, failing, paused, by name), the times of the last \
      refresh, of the next, and since when it fails, the last error, and of a person the id and a new name, with tabs \
      between them. On a terminal the columns are \
      aligned.
      """)

  @Option(
    help: ArgumentHelp("Only the sources of this service.", valueName: "service"), completion: NameCompletion.services)
  var service: String?

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let store = try store.open(showsIncoming: false)
    let sources = try SourceHealth.all(in: store).filter { service == nil || $0.source.name.service == service }
    var rows = sources.map { health in
      let source = health.source
      return [
        source.name.service, source.name.account, source.name.source, source.every.map(Self.interval) ?? "",
        health.state.rawValue, source.refreshedAt?.rfc3339 ?? "", health.next?.rfc3339 ?? "",
        ClockTrust.believed(source.failingSince)?.rfc3339 ?? "", health.error ?? "",
        source.checkpointList.person.map(Self.text) ?? "",
      ]
    }
    if rows.isEmpty { Diagnostics.note("no source is registered: 'tw-cache source add SOURCE' does that") }
    rows = rows.map { $0.map { $0.isEmpty ? "-" : Printable.line($0) } }
    try RecordWriter.print(
      isatty(1) == 1 ? AlignedTable.words(rows) : rows.map { $0.joined(separator: "\t") + "\n" }.joined())
    return .done
  }

  /// `12 @jack`
  private static func text(_ person: Checkpoint.Person) -> String {
    person.id + (person.username.map { " @\($0)" } ?? "")
  }

  private static let units: [(name: String, seconds: Int)] = [("d", 86_400), ("h", 3600), ("m", 60)]

  /// `90s`, `15m`, `2h`, `7d`: in the form of the option.
  private static func interval(_ seconds: Int) -> String {
    guard let unit = units.first(where: { seconds % $0.seconds == 0 }) else { return "\(seconds)s" }
    return "\(seconds / unit.seconds)\(unit.name)"
  }
}

/// The service of a source that names none: that of the settings; else that of the accounts, if all of them are of one;
/// else the usual one. Accounts are asked from `tw-auth`, which alone reads their file.
struct UnnamedService {
  let name: String
  /// What a person should know of the choice, after the source; `nil` if it was plain.
  let note: String?

  /// - Parameter account: of this name alone; `nil` for all.
  init(account: String?, _ settings: Settings) throws(ToolError) {
    let usual = Services.usual.name
    if let set = settings.value(.service) {
      (name, note) = (set, nil)
      return
    }
    let isGiven =
      Paths.environment("TW_TOKEN") != nil || settings.value(.tokenFile) != nil || settings.value(.endpoint) != nil
    let services = isGiven ? [] : try Self.services(account: account)
    if let only = services.first, services.count == 1 {
      name = only
      note = only == usual ? nil : "is read from service '\(only)', the only one with an account"
    } else if services.isEmpty {
      (name, note) = (usual, nil)
    } else {
      name = usual
      let others = services.filter { $0 != usual }.map { "'\($0)'" }.joined(separator: " and ")
      note = "is read from service '\(usual)'; there are accounts of \(others) too: --service names one"
    }
  }

  /// The services of the accounts, each once; none if `tw-auth` cannot tell.
  private static func services(account: String?) throws(ToolError) -> [String] {
    guard let auth = Programs().path(of: "auth"), let answer = try ProgramAnswer.of([auth, "list", "--quiet"]),
      answer.ending == .exited(0)
    else { return [] }
    var found: [String] = []
    for cells in answer.rows where cells.count > 1 && (account == nil || cells[1] == account) {
      if !found.contains(cells[0]) { found.append(cells[0]) }
    }
    return found
  }
}
