import TweetCLI
import TweetCore
import TweetNet
import TweetStore

/// Which links are checked, and what is written of them, as the options say.
struct LinkChoice {
  /// Whether pages are read for their titles.
  var wantsTitles = false
  /// Whether records get the `chain` member.
  var showsChain = false
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
  private let records: LinkRecord
  private var checks: LookupLoop<LinkCheck>
  private var answers: [(key: String, answer: LinkAnswer)] = []
  private var progress: LookupProgress?
  /// The verdicts and kinds of this run's links.
  private(set) var counts = LinkCounts()
  /// Whether a link got no verdict.
  private(set) var isIncomplete = false
  private var hasWarnedOfLimit = false

  /// - Parameters:
  ///   - cache: `nil` for none.
  ///   - progress: `nil` if none is shown.
  init(
    _ settings: LookupSettings, _ request: RequestOptions, _ choice: LinkChoice, cache: LinkCache?,
    progress: consuming LookupProgress?
  ) throws(ToolError) {
    self.choice = choice
    retries = settings.retries
    self.request = request
    self.cache = cache
    self.progress = progress
    records = LinkRecord(showsChain: choice.showsChain)
    checks = try LookupLoop(settings)
  }

  mutating func keys(of record: JSONValue) -> [String] {
    let (links, isComplete) = LinkRecord.links(in: record)
    if !isComplete {
      isIncomplete = true
      if !hasWarnedOfLimit {
        Diagnostics.warn("a record has more than \(LinkRecord.maxLinks) links: the others are not checked")
      }
      hasWarnedOfLimit = true
    }
    return links.compactMap { choice.selection.contains($0.url) ? LinkRecord.key(of: $0.url) : nil }
  }

  func record(of line: UnsafeBufferPointer<UInt8>) -> String? {
    guard let text = Self.word(line), let url = PlainAddress.url(text) else { return nil }
    return LinkRecord.record(of: url)
  }

  /// The only word of a line; `nil` if it has none or several.
  private static func word(_ line: UnsafeBufferPointer<UInt8>) -> String? {
    guard let first = line.firstIndex(where: { $0 > 0x20 }), let last = line.lastIndex(where: { $0 > 0x20 }) else {
      return nil
    }
    let text = String(decoding: line[first...last], as: UTF8.self)
    // To look for the spaces of all scripts takes as long as all the rest.
    if line[first...last].allSatisfy({ $0 > 0x20 && $0 < 0x80 }) { return text }
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count == 1 ? String(words[0]) : nil
  }

  func append(
    _ record: JSONValue, _ answers: [String: LinkAnswer], to buffer: inout ByteBuffer
  ) throws(ToolError) {
    records.append(record, answers, to: &buffer)
  }

  func shouldPrint(_ answers: [String: LinkAnswer]) -> Bool { choice.filter.matches(answers.values) }

  mutating func storedAnswer(_ key: String) throws(ToolError) -> LinkAnswer? {
    let answer = try cache?.answer(key, withTitle: choice.wantsTitles, withChain: choice.showsChain)
    if let answer { count(answer) }
    return answer
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      let check = LinkCheck(
        key, wantsTitle: choice.wantsTitles, retries: retries, accepted: request.accept, isOffline: request.offline)
      checks.start(key, check)
    }
    progress?.add(keys.count)
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    try cache?.endReading()
    let timeout = [timeoutMilliseconds, cache?.millisecondsUntilCommit].compactMap { $0 }.min()
    let readable = try checks.wait(reading: reading, timeoutMilliseconds: timeout)
    if let cache, cache.millisecondsUntilCommit == 0 { try cache.commit() }
    progress?.draw()
    return readable
  }

  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: LinkAnswer)] {
    for check in checks.drainFinished() { try finish(check) }
    defer { answers.removeAll() }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] { checks.withdraw(where: condition) }

  /// Stores what is not stored yet.
  mutating func close() throws(ToolError) {
    progress = nil
    try cache?.commit()
  }

  private mutating func finish(_ check: LookupLoop<LinkCheck>.Finished) throws(ToolError) {
    var result = check.outcome
    let end = check.lookup.url
    if check.lookup.mayFollowStored(after: result), let stored = try cache?.target(of: end),
      let target = WebAddress(stored)
    {
      var lookup = check.lookup
      lookup.follow(stored: target, after: result)
      checks.start(check.key, lookup, deadline: check.deadline)
      return
    }
    let chain = try cache?.complete(&result, failedAt: end)
    let finding = LinkKind.find(result)
    let answer = LinkAnswer(result, finding)
    try cache?.store(result, answer, finding, chain: chain)
    count(answer)
    progress?.finish(1)
    answers.append((check.key, answer))
  }

  private mutating func count(_ answer: LinkAnswer) {
    counts.add(answer)
    isIncomplete = isIncomplete || !answer.isSettled
  }
}
