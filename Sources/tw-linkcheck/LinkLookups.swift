import TweetCLI
import TweetCore
import TweetNet

/// Looks up links: takes what the store knows, checks the others, and stores the results.
struct LinkLookups: LiveLookups, ~Copyable {
  private let wantsTitles: Bool
  private let retries: Int
  private let request: RequestOptions
  private let cache: LinkCache?
  private let records: LinkRecord
  private var checks: LookupLoop<LinkCheck>
  private var answers: [(key: String, answer: LinkResult)] = []
  /// The verdicts of this run, for the exit status.
  private(set) var seen: Set<LinkVerdict> = []
  /// Whether a link got no verdict.
  private(set) var isIncomplete = false

  /// - Parameters:
  ///   - wantsTitles: whether pages are read for their titles.
  ///   - showsChain: whether records get the `chain` key.
  ///   - cache: `nil` for none.
  init(
    _ settings: LookupSettings, _ request: RequestOptions, wantsTitles: Bool, showsChain: Bool, cache: LinkCache?
  ) throws(ToolError) {
    self.wantsTitles = wantsTitles
    retries = settings.retries
    self.request = request
    self.cache = cache
    records = LinkRecord(showsChain: showsChain)
    checks = try LookupLoop(settings)
  }

  func keys(of record: JSONValue) -> [String] {
    LinkRecord.links(in: record).map { LinkRecord.key(of: $0.url) }
  }

  func append(
    _ record: JSONValue, _ answers: [String: LinkResult], to buffer: inout ByteBuffer
  ) throws(ToolError) {
    records.append(record, answers, to: &buffer)
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      if let known = try cache?.find(key, withTitle: wantsTitles) {
        record(key, known)
      } else {
        checks.start(key, check(key))
      }
    }
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    try checks.wait(reading: reading, timeoutMilliseconds: timeoutMilliseconds)
  }

  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: LinkResult)] {
    let finished = checks.drainFinished()
    for check in finished { record(check.key, check.outcome) }
    if !finished.isEmpty { try cache?.store(finished.map(\.outcome)) }
    defer { answers.removeAll() }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] { checks.withdraw(where: condition) }

  private func check(_ key: String) -> LinkCheck {
    LinkCheck(
      key, wantsTitle: wantsTitles, retries: retries, accepted: request.accept, isOffline: request.offline)
  }

  private mutating func record(_ key: String, _ result: LinkResult) {
    seen.insert(result.verdict)
    isIncomplete = isIncomplete || !result.isSettled
    answers.append((key, result))
  }
}
