import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetServices

/// Makes the feeds that bring a run's sources.
struct SourceFeeds {
  /// The service; sources of plugins do not need it.
  private var access: Result<ServiceAccess, ToolError>
  private(set) var service: any ServiceKind
  /// Its name, if it is not the run's own.
  private var other: String?
  private let options: StreamCommand
  private let settings: Settings
  private let deadline: Int?
  private let shared: Shared

  /// What the feeds of a run share, once the first of them needs it.
  private final class Shared {
    let health = ServiceHealth()
    /// `nil` if the budget is not spread.
    let shares: BudgetShares?
    var budgets: [Ledger.Bill: ReadBudget?] = [:]
    /// Those of other services, by their names.
    var accesses: [String: Result<ServiceAccess, ToolError>] = [:]
    var resumed: CheckpointList??
    /// By server and account.
    var paces: [String: RequestPace] = [:]

    init(_ shares: BudgetShares?) { self.shares = shares }
  }

  init(_ access: Result<ServiceAccess, ToolError>, _ options: StreamCommand, _ settings: Settings) {
    self.access = access
    self.options = options
    let (polling, count) = (options.polling, options.sources.count)
    shared = Shared(polling.pace.map { BudgetShares(sources: count, keep: polling.keep ?? 0, rounds: $0) })
    service = (try? access.get())?.api.service ?? Services.reading(settings.variable("TW_SERVICE"))
    self.settings = settings
    deadline = options.duration.map { MonotonicClock.milliseconds + $0 }
  }

  private var polling: PollOptions { options.polling }
  private var live: LiveOptions { options.live }

  /// Reads a SOURCE.
  func source(_ text: String) throws(ToolError) -> Source {
    var numbers = ShortNumbers()
    return try Services.source(numbers.source(text), of: service)
  }

  /// How a source's service is reached, if the source names one.
  func access(of source: Source) throws(ToolError) -> ServiceAccess? {
    guard case .service(let name, _) = source else { return nil }
    return try at(name).access.get()
  }

  /// The same for another service: without an account, if that is signed in to none.
  private func at(_ name: String) throws(ToolError) -> SourceFeeds {
    guard let service = Services.named(name) else { throw .bug("service '\(name)' is not known") }
    var feeds = self
    feeds.service = service
    let known =
      shared.accesses[name]
      ?? Result { [settings, options] () throws(ToolError) in
        try ServiceAccess.fromEnvironment(
          ServiceAPIs.all, caFile: options.service.caFile, account: nil, example: "tw-stream '#swift'",
          mayBeAnonymous: true, of: name,
          endpoint: settings.variable("TW_ENDPOINT_", of: name), settings)
      }
    shared.accesses[name] = known
    feeds.access = known
    feeds.other = name
    return feeds
  }

  /// Makes the feeds. Beside other live feeds, one that fails is tried again.
  ///
  /// - Parameter sources: at least one, none twice.
  func feeds(of sources: [Source]) throws(ToolError) -> [RunningFeed] {
    var others: [(service: String, sources: [Source])] = []
    var own: [Source] = []
    for source in sources {
      guard case .service(let name, let inner) = source else {
        own.append(source)
        continue
      }
      if let index = others.firstIndex(where: { $0.service == name }) {
        others[index].sources.append(inner)
      } else {
        others.append((name, [inner]))
      }
    }
    var feeds = try ownFeeds(of: own)
    for (name, sources) in others {
      let there = try at(name)
      _ = try there.access.get()
      feeds += try there.ownFeeds(of: sources)
    }
    guard !polling.once, feeds.count > 1 else { return feeds }
    let neighbours = RunningFeed.Neighbours()
    for index in feeds.indices { feeds[index].stand(beside: neighbours) }
    return feeds
  }

  private func running(_ feed: any Feed, _ sources: [Source], makePolls: RunningFeed.Polls? = nil) -> RunningFeed {
    guard let other else { return RunningFeed(feed, of: sources, makePolls: makePolls) }
    return RunningFeed(
      feed, of: sources.map { .service(other, $0) }, at: try? access.get(), makePolls: makePolls)
  }

  /// Makes the feeds: hashtags share one live connection, every other source has a feed of its own.
  ///
  /// - Parameter sources: of the service.
  private func ownFeeds(of sources: [Source]) throws(ToolError) -> [RunningFeed] {
    var hashtags: [Source] = []
    var feeds: [RunningFeed] = []
    for source in sources {
      if case .plugin(let name, let rest) = source {
        feeds.append(running(try PluginFeed(try plugin(source, name, rest)), [source]))
        continue
      }
      try polling.checkIDs(of: service)
      let liveness = service.liveness(of: source)
      if liveness == .polled || liveness == .live && polling.once {
        feeds.append(running(try feed(of: source), [source]))
      } else if source.hashtag != nil {
        hashtags.append(source)
      } else {
        try polling.checkLive(source, liveness)
        feeds += try streams([source], try access.get())
      }
    }
    if !hashtags.isEmpty {
      try polling.checkLive(hashtags[0], .live)
      let access = try access.get()
      let groups = try reading(access).joinsHashtags ? [hashtags] : hashtags.map { [$0] }
      var streams: [RunningFeed] = []
      for group in groups { streams += try self.streams(group, access) }
      feeds = streams + feeds
    }
    return feeds
  }

  /// What the source plugin of a SOURCE `name:rest` is started with.
  func plugin(_ source: Source, _ name: String, _ rest: String) throws(ToolError) -> PluginSetup {
    var setup = try PluginSetup(feed: source.feed, name: name, rest: rest) { Services.named($0) != nil }
    let account = options.service.identity.account
    let caFile = options.service.caFile ?? settings.variable("TW_CA_FILE")
    let found = try PluginAccount.find(
      ServiceVariables(settings, of: name, usual: Services.usual.name), account: account, caFile: caFile, settings)
    let user = found?.name ?? account
    setup.variables = polling.variables(for: source, count: options.count)
    if let user { setup.variables["TW_ACCOUNT"] = user }
    setup.token = { () throws(ToolError) in try found?.token() }
    setup.isOnce = polling.once
    setup.checkpoints = options.checkpoints.checkpoints(ofPlugin: name, account: user, resumed: try resumed())
    setup.budget = PluginBudget(
      try polling.wantedBudget(), isWanted: polling.budget != nil, service: name, account: user ?? "")
    return setup
  }

  private func feed(of source: Source) throws(ToolError) -> any Feed {
    let access = try access.get()
    let reading = try reading(access)
    try reading.require(source)
    let budget = try budget(access)
    let ids: IDReader
    switch source {
    case .ids(let path): ids = try IDReader(path, service: access.api.service, base: access.base)
    case .post(let id): ids = IDReader(texts: [id], service: access.api.service, base: "")
    default: return try pages(of: source, reading, access, budget, try checkpoints(access))
    }
    return LookUpFeed(
      reading.lookUps(), source, ids, service: access.api.service, isBrief: polling.once, budget: budget,
      health: polling.once ? shared.health : nil)
  }

  /// The live feed; or, where the account can have none and may poll instead, feeds that poll.
  ///
  /// Checkpoints are those of the account that was chosen, also if the stream is opened as another. The application
  /// that opens it pays.
  ///
  /// - Parameter sources: hashtags, or another live source alone.
  private func streams(_ sources: [Source], _ access: ServiceAccess) throws(ToolError) -> [RunningFeed] {
    let budget = try budget(access)
    let kept = try checkpoints(access)
    let reads = try reading(access)
    let polls: RunningFeed.Polls = { (sources: [Source]) throws(ToolError) -> [any Feed] in
      var feeds: [any Feed] = []
      for source in sources { feeds.append(try pages(of: source, reads, access, budget, kept)) }
      return feeds
    }
    let makePolls = service.liveness(of: sources[0]) == .live ? polls : nil
    func poll(_ reason: String, _ makePolls: RunningFeed.Polls) throws(ToolError) -> [RunningFeed] {
      Diagnostics.note("\(reason); polling instead")
      return zip(try makePolls(sources), sources).map { running($0, [$1]) }
    }
    if let reason = reads.missingStream(of: sources[0]) {
      try reads.require(sources[0])
      guard let makePolls else { throw .notAllowed(reason) }
      return try poll(reason, makePolls)
    }
    guard let streaming = try reads.givesStreamsToApplicationsAlone ? access.forLiveStreams() : access else {
      let reason =
        "a live stream of service '\(access.service)' needs an application's token, and account "
        + "'\(access.account ?? "")' is a user's"
      guard live.fallback == .poll, let makePolls else {
        let login = "tw-auth login --service \(access.service) --method app --client-id API-KEY"
        throw .notAllowed(
          "\(reason): add one with '\(login)'" + (makePolls == nil ? "" : ", or poll with --fallback poll"))
      }
      return try poll(reason, makePolls)
    }
    if let name = streaming.account, name != access.account {
      Diagnostics.note(
        "the live stream is opened as account '\(name)': service '\(access.service)' gives it to no user")
    }
    let stream = try reading(streaming)
    try stream.require(sources[0])
    let canPoll = makePolls != nil && live.polls(stream)
    let feed = live.feed(
      of: sources, stream, deadline: deadline, checkpoints: kept, budget: try self.budget(streaming),
      hasFallback: canPoll)
    return [running(feed, sources, makePolls: canPoll ? makePolls : nil)]
  }

  private func pages(
    of source: Source, _ reading: any ReadAPI, _ access: ServiceAccess, _ budget: ReadBudget?,
    _ checkpoints: Checkpoints?
  ) throws(ToolError) -> PollFeed {
    let pages = try reading.pages(of: source)
    let asker = "\(access.base) \(access.account ?? "")"
    let pace = shared.paces[asker] ?? RequestPace()
    shared.paces[asker] = pace
    return PollFeed(
      pages, options: polling.options(for: pages), budget: budget, shares: shared.shares, checkpoints: checkpoints,
      health: polling.once ? shared.health : nil, pace: pace)
  }

  private func reading(_ access: ServiceAccess) throws(ToolError) -> any ReadAPI {
    var options = ReadOptions()
    options.version = live.api
    options.searchesArchive = polling.archive
    options.keepsRules = live.keepRules
    options.isDelimited = !live.undelimited
    // Where its live stream is, if that is said: addresses with blanks between them.
    let servers = settings.variable("TW_STREAM_", of: service.name)?.split(separator: " ").map(String.init) ?? []
    for server in servers { options.streamServers.append(try ServiceAccess.checkedBase(server)) }
    if let name = options.names.first(where: { !access.api.readOptions.contains($0) }) {
      throw .usage("service '\(access.service)' has no use for \(name)")
    }
    return access.api.reading(access, options)
  }

  /// What the file of `--resume` says.
  private func resumed() throws(ToolError) -> CheckpointList? {
    if let known = shared.resumed { return known }
    let resumed = try options.checkpoints.resumed()
    shared.resumed = resumed
    return resumed
  }

  private func checkpoints(_ access: ServiceAccess) throws(ToolError) -> Checkpoints? {
    options.checkpoints.checkpoints(access, resumed: try resumed())
  }

  /// The budget; on first use a person is told what reads cost.
  private func budget(_ access: ServiceAccess) throws(ToolError) -> ReadBudget? {
    let bill = try access.bill()
    if let known = shared.budgets[bill] { return known }
    let budget = try openBudget(access)
    shared.budgets[bill] = .some(budget)
    return budget
  }

  private func openBudget(_ access: ServiceAccess) throws(ToolError) -> ReadBudget? {
    guard let budget = try ReadBudget(polling.wantedBudget(), for: access) else { return nil }
    do throws(ToolError) {
      if let text = try budget.open() { Diagnostics.note(text) }
      return budget
    } catch {
      // Who wants no bound needs no ledger to hold it.
      guard !budget.isBounded, let text = error.message else { throw error }
      Diagnostics.warn("the posts read are not counted: \(text)")
      return nil
    }
  }
}
