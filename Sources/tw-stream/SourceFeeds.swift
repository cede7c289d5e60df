import TweetCLI
import TweetCore
import TweetServices
import TweetSources

/// Makes the feeds that bring a run's sources.
struct SourceFeeds {
  /// Plugins need none.
  private let access: Result<ServiceAccess, ToolError>
  private let rounds: RoundOptions
  private let live: LiveOptions
  private let place: PlaceOptions
  private let count: Int?
  private let deadline: Int?

  /// - Parameters:
  ///   - count: posts wanted, which plugins are told.
  ///   - duration: milliseconds from now until all ends.
  init(
    _ access: Result<ServiceAccess, ToolError>, _ rounds: RoundOptions, _ live: LiveOptions, _ place: PlaceOptions,
    count: Int?, duration: Int?
  ) {
    self.access = access
    self.rounds = rounds
    self.live = live
    self.place = place
    self.count = count
    deadline = duration.map { MonotonicClock.milliseconds + $0 }
  }

  /// Hashtags share one live connection, every other source has its own rounds.
  ///
  /// - Parameter sources: at least one, none twice.
  func feeds(of sources: [Source]) throws(ToolError) -> [any Feed] {
    var hashtags: [String] = []
    var feeds: [any Feed] = []
    for source in sources {
      if case .plugin = source {} else { try rounds.checkIDs() }
      switch source {
      case .hashtag(let tag) where !rounds.once: hashtags.append(tag)
      case .plugin(let name, let rest):
        let variables = rounds.variables(for: source, count: count)
        feeds.append(try PluginFeed(feed: source.feed, name: name, rest: rest, variables: variables))
      default: feeds.append(try feed(of: source))
      }
    }
    if !hashtags.isEmpty {
      try rounds.checkLive(.hashtag(hashtags[0]))
      feeds.insert(try stream(hashtags, try access.get()), at: 0)
    }
    return feeds
  }

  private func feed(of source: Source) throws(ToolError) -> any Feed {
    if source == .sample { try rounds.checkLive(source) }
    if rounds.archive, live.api == .v1 { throw .usage("--archive needs --api 2") }
    let access = try access.get()
    switch source {
    case .sample: return try stream(nil, access)
    case .ids(let path):
      return try LookUpFeed(
        XLookUp(XRequests(access), live.api), path: path, service: access.service, isBrief: rounds.once,
        budget: try budget(access))
    default:
      guard let feed = pages(of: source, access, try budget(access)) else {
        throw .usage("version \(live.api.rawValue) of the API has no '\(source.feed)'")
      }
      return feed
    }
  }

  /// - Parameter hashtags: `nil` for the sample.
  private func stream(_ hashtags: [String]?, _ access: ServiceAccess) throws(ToolError) -> any Feed {
    let budget = try budget(access)
    return live.feed(hashtags, access, deadline: deadline, places: place.places(access), budget: budget) { hashtags in
      hashtags.compactMap { pages(of: .hashtag($0), access, budget) }
    }
  }

  private func pages(of source: Source, _ access: ServiceAccess, _ budget: ReadBudget?) -> PollFeed? {
    let requests = XRequests(access)
    let pages: (any PagedSource)? =
      switch live.api {
      case .v2: V2Pages(requests, source, archive: rounds.archive)
      case .v1: V1Pages(requests, source)
      }
    return pages.map { PollFeed($0, options: rounds.polling, budget: budget, places: place.places(access)) }
  }

  /// Says on first use what reads cost.
  private func budget(_ access: ServiceAccess) throws(ToolError) -> ReadBudget? {
    let budget = ReadBudget(try rounds.wantedBudget(), for: access)
    if let text = try budget?.introduction() { Diagnostics.note(text) }
    return budget
  }
}
