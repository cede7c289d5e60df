import MediaStore
import TweetCLI
import TweetCore
import TweetNet

/// Which links are checked, and what is written of them, as the options say.
struct LinkChoice {
  /// Whether pages are read for their titles.
  var wantsTitles = false
  /// Whether records get the `chain` member.
  var showsChain = false
  /// Where the Internet Archive is asked for copies; `nil` if it is not.
  var archive: WebAddress?
  /// Whether it is asked for those of dead links.
  var findsCopies = false
  /// Whether it is asked to make one of each page that works and has none.
  var makesCopies = false
  /// Whose links are checked.
  var selection = LinkSelection()
  /// Which records are printed.
  var filter = LinkFilter()
}

/// Looks up links: takes what the store knows, checks the others, and stores the results.
struct LinkLookups: LiveLookups, ~Copyable {
  private let choice: LinkChoice
  private let retries: Int
  private let request: RequestOptions
  private let cache: LinkCache?
  /// `nil` if nothing is saved.
  private let pages: PageArchive?
  private let records: LinkRecord
  private var checks: LookupLoop<LinkSearch>
  private var archive = ArchiveQueue()
  /// When the links that are asked about were posted first, if the archive may be asked for copies.
  private var postedAt: [String: Timestamp] = [:]
  private var answers: [(key: String, answer: LinkAnswer)] = []
  private var progress: LookupProgress?
  /// The verdicts and kinds of this run's links.
  private(set) var counts = LinkCounts()
  /// What happened at each host, if that is counted.
  var hosts: [String: HostCounts] { checks.counts }
  /// Whether a link got no verdict.
  private(set) var isIncomplete = false
  /// Their answers to HEAD are not those to GET, so they are asked by GET alone.
  private var hostsWithoutHead: Set<String> = []
  private var hasWarnedOfLimit = false
  private var hasWarnedOfArchive = false
  private var hasWarnedOfPages = false

  /// - Parameters:
  ///   - cache: `nil` for none.
  ///   - pages: where pages are saved; `nil` for nowhere.
  ///   - progress: `nil` if none is shown.
  init(
    _ settings: LookupSettings, _ request: RequestOptions, _ choice: LinkChoice, cache: LinkCache?, pages: PageArchive?,
    progress: consuming LookupProgress?
  ) throws(ToolError) {
    self.choice = choice
    retries = settings.retries
    self.request = request
    self.cache = cache
    self.pages = pages
    self.progress = progress
    records = LinkRecord(showsChain: choice.showsChain, showsText: pages != nil)
    checks = try LookupLoop(settings)
  }

  mutating func keys(of record: JSONValue) throws(ToolError) -> [String] {
    let (links, isComplete) = LinkRecord.links(in: record)
    if !isComplete {
      isIncomplete = true
      if !hasWarnedOfLimit {
        Diagnostics.warn("a record has more than \(LinkRecord.maxLinks) links: the others are not checked")
      }
      hasWarnedOfLimit = true
    }
    var keys: [String] = []
    for link in links where choice.selection.contains(link.url) {
      let key = LinkRecord.key(of: link.url)
      // Its verdict stays: there is none that is newer.
      if request.offline, link.object["verdict"] != nil, try find(key) == nil { continue }
      if choice.findsCopies, let time = link.postedAt?.string.flatMap(Timestamp.init(parsing:)) {
        postedAt[key] = min(postedAt[key] ?? time, time)
      }
      keys.append(key)
    }
    return keys
  }

  func record(of line: ByteView) -> [UInt8]? {
    PlainAddress.address(ofLine: line).map(LinkRecord.record(of:))
  }

  func append(
    _ record: JSONValue, _ answers: LiveAnswers<LinkAnswer>, to buffer: inout ByteBuffer
  ) throws(ToolError) {
    records.append(record, answers, to: &buffer)
  }

  func shouldPrint(_ answers: LiveAnswers<LinkAnswer>) -> Bool {
    choice.filter.isEmpty || choice.filter.matches(answers.all)
  }

  mutating func storedAnswer(_ key: String) throws(ToolError) -> LinkAnswer? {
    let answer = try find(key)
    if let answer {
      count(answer)
      if !postedAt.isEmpty { postedAt[key] = nil }
    }
    return answer
  }

  /// Without a network an answer without a title, or without a copy, is better than none.
  private func find(_ key: String) throws(ToolError) -> LinkAnswer? {
    try cache?.answer(
      key, withTitle: choice.wantsTitles && !request.offline, withChain: choice.showsChain,
      withCopy: choice.findsCopies && !request.offline, withOwnCopy: choice.makesCopies && !request.offline,
      isSaved: pages != nil && pages?.refusal == nil)
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      let check = LinkCheck(
        key, wantsTitle: choice.wantsTitles, retries: retries, accepted: request.accept, isOffline: request.offline,
        usesGet: request.get || isHeadWrong(key), maxRedirects: request.maxRedirects,
        saving: pages?.refusal == nil ? pages?.choice : nil)
      checks.start(key, .check(check))
    }
    progress?.add(keys.count)
  }

  /// Whether the host of a link has said otherwise by HEAD than by GET.
  private func isHeadWrong(_ url: String) -> Bool {
    !hostsWithoutHead.isEmpty && WebAddress(url).map { hostsWithoutHead.contains($0.host) } == true
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    try cache?.pauseReading()
    startSearch()
    let untilSearch = archive.nextRequest.map { max(0, $0 - MonotonicClock.milliseconds) }
    let timeout = [timeoutMilliseconds, cache?.millisecondsUntilCommit, untilSearch].compactMap { $0 }.min()
    let readable = try checks.wait(reading: reading, timeoutMilliseconds: timeout)
    if let cache, cache.millisecondsUntilCommit == 0 { try cache.commit() }
    progress?.draw()
    return readable
  }

  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: LinkAnswer)] {
    for finished in checks.drainFinished() {
      switch (finished.lookup, finished.outcome) {
      case (.check(let check), .checked(let result)): try finish(check, result, of: finished)
      case (_, .searched(let outcome)): try finish(outcome)
      case (.copy, .checked): break
      }
    }
    defer { answers.removeAll() }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] { checks.withdraw(where: condition) }

  /// Stores what is not stored yet.
  mutating func close() throws(ToolError) {
    progress = nil
    try cache?.commit()
  }

  private mutating func finish(
    _ check: LinkCheck, _ checked: LinkResult, of finished: LookupLoop<LinkSearch>.Finished
  ) throws(ToolError) {
    var result = checked
    if check.isHeadWrong, let host = result.address?.host { hostsWithoutHead.insert(host) }
    let end = check.url
    if check.mayFollowStored(after: result), let stored = try cache?.target(of: end), let target = WebAddress(stored) {
      check.follow(stored: target, after: result)
      checks.start(finished.key, .check(check), millisecondsLeft: finished.millisecondsLeft)
      return
    }
    let chain = try cache?.complete(&result, failedAt: end)
    try save(check, &result)
    let link = ArchiveQueue.Waiting(
      key: finished.key, result: result, chain: chain ?? nil, postedAt: postedAt[finished.key])
    if shouldSearch(for: result) { archive.append(link) } else { try conclude(link) }
    try concludeRefused()
  }

  /// Saves what the check was answered, if the link works.
  private mutating func save(_ check: LinkCheck, _ result: inout LinkResult) throws(ToolError) {
    guard let pages else { return }
    let exchanges = check.exchanges.map { exchange in
      var exchange = exchange
      exchange.request.setHeaders(request.headers)
      return exchange
    }
    if result.verdict.isGood, result.pageText != nil, try pages.save(exchanges, at: result.checkedAt) {
      result.savedIn = pages.directory
    } else {
      result.pageText = nil
    }
    guard let refusal = pages.refusal, !hasWarnedOfPages else { return }
    (hasWarnedOfPages, isIncomplete) = (true, true)
    Diagnostics.warn("pages are not saved any more in this run: \(refusal)")
  }

  /// Whether a copy is looked for, or made: where there is one is not asked again for a week, and that there is none
  /// not for a day.
  private func shouldSearch(for result: LinkResult) -> Bool {
    if request.offline { return false }
    guard choice.findsCopies && result.verdict == .dead else {
      return choice.makesCopies && result.verdict.isGood && ContentType.isPage(result.contentType)
        && result.archived == nil
    }
    guard let asked = result.archiveAskedAt else { return true }
    return asked.age >= (result.archived == nil ? 1 : 7) * 86_400_000
  }

  private mutating func startSearch() {
    guard let base = choice.archive, let link = archive.startNext(at: MonotonicClock.milliseconds) else { return }
    let url = LinkAddress.withoutFragment(link.result.unwoundURL)
    switch link.task {
    case .find, .findAgain:
      checks.start(link.key, .copy(ArchiveSearch(of: url, base: base, postedAt: link.postedAt)))
    case .save:
      checks.start(
        link.key, .copy(ArchiveSearch(saving: url, base: base)), millisecondsLeft: ArchiveSearch.savingTime)
    }
  }

  private mutating func finish(_ outcome: ArchiveSearch.Outcome) throws(ToolError) {
    if let link = archive.finish(outcome, at: MonotonicClock.milliseconds) { try conclude(link) }
    try concludeRefused()
  }

  /// Answers without a copy if the archive is not asked any more. That is not a failure of the links.
  private mutating func concludeRefused() throws(ToolError) {
    for link in archive.drainRefused() { try conclude(link) }
    if let refusal = archive.refusal, !hasWarnedOfArchive {
      hasWarnedOfArchive = true
      Diagnostics.warn("the Internet Archive is not asked any more in this run: \(refusal)")
    }
  }

  /// Stores the result of a look-up, and answers with it.
  private mutating func conclude(_ link: ArchiveQueue.Waiting) throws(ToolError) {
    postedAt[link.key] = nil
    let finding = LinkKind.find(link.result)
    let answer = LinkAnswer(link.result, finding)
    try cache?.store(link.result, answer, finding, chain: link.chain)
    count(answer)
    progress?.finish(1)
    answers.append((link.key, answer))
  }

  private mutating func count(_ answer: LinkAnswer) {
    counts.add(answer)
    isIncomplete = isIncomplete || !answer.isSettled
  }
}
