import TweetCLI
import TweetCore
import TweetNet

/// Checks links by many requests at once, and remembers what came out.
struct LinkLookups: LiveLookups, ~Copyable {
  /// How links are checked, as the options say.
  struct Settings {
    var jobs: Int
    var jobsPerHost: Int
    /// Milliseconds for one link, redirects and second tries included.
    var timeout: Int
    var wantsTitles: Bool
    var showsChain: Bool
    var addresses: AddressPolicy
    var proxy: ProxyUse
    var caFile: String?
  }

  private struct Active {
    var check: LinkCheck
    var host: String
    /// On the monotonic clock; set when the first request of the check begins.
    var deadline: Int?
  }

  private let settings: Settings
  private let cache: LinkCache?
  private let records: LinkRecord
  private var loop: TransferLoop
  private var lanes: HostLanes
  private var active: [String: Active] = [:]
  private var transfers: [TransferID: String] = [:]
  /// Who waits until when, because a host asked for it.
  private var pauses: [(until: Int, key: String)] = []
  private var answers: [(key: String, answer: LinkResult)] = []
  private var unstored: [LinkResult] = []
  /// What the links of this run were found to be, for the exit status.
  private(set) var seen: Set<LinkVerdict> = []
  /// Whether some links got no verdict.
  private(set) var isIncomplete = false

  init(_ settings: Settings, cache: LinkCache?) throws(ToolError) {
    self.settings = settings
    self.cache = cache
    records = LinkRecord(showsChain: settings.showsChain)
    loop = try TransferLoop(limit: settings.jobs)
    lanes = HostLanes(total: settings.jobs, perHost: settings.jobsPerHost)
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
      if let known = try cache?.find(key, withTitle: settings.wantsTitles) {
        answer(key, known)
      } else {
        var check = LinkCheck(key, wantsTitle: settings.wantsTitles)
        let step = check.begin()
        active[key] = Active(check: check, host: "")
        proceed(key, step, atFront: false)
      }
    }
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    resumePaused()
    requestNext()
    let untilPause = pauses.map(\.until).min().map { max(0, $0 - MonotonicClock.milliseconds) }
    // What is known already must not wait for what is not.
    let timeout = answers.isEmpty ? [timeoutMilliseconds, untilPause].compactMap { $0 }.min() : 0
    var readable: [Int32] = []
    for event in try loop.wait(reading: reading, writing: [1], timeoutMilliseconds: timeout) {
      switch event {
      case .finished(let id, let outcome):
        if let key = transfers.removeValue(forKey: id) { received(key, outcome) }
      case .readable(let descriptor): readable.append(descriptor)
      case .hungUp: throw .readerGone
      // Only of streaming requests, and of descriptors that are written to.
      case .started, .data, .writable: break
      }
    }
    requestNext()
    return readable
  }

  mutating func takeAnswers() throws(ToolError) -> [(key: String, answer: LinkResult)] {
    if !unstored.isEmpty {
      try cache?.store(unstored)
      unstored.removeAll()
    }
    defer { answers.removeAll() }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    // A check that has begun goes on: its answer is kept for whoever asks next.
    let withdrawn = lanes.withdraw { condition($0) && active[$0]?.deadline == nil }
    for key in withdrawn { active[key] = nil }
    return withdrawn
  }

  private mutating func answer(_ key: String, _ result: LinkResult) {
    seen.insert(result.verdict)
    isIncomplete = isIncomplete || !result.isSettled
    answers.append((key, result))
  }

  private mutating func received(_ key: String, _ outcome: Result<HTTPResponse, TransferError>) {
    guard let item = active[key] else { return }
    lanes.leave(host: item.host)
    let left = millisecondsLeft(item)
    let step = active[key]?.check.received(outcome, millisecondsLeft: left)
    if let step { proceed(key, step, atFront: true) }
  }

  private mutating func proceed(_ key: String, _ step: LinkCheck.Step, atFront: Bool) {
    switch step {
    case .request: enqueue(key, atFront: atFront)
    case .pause(let milliseconds): pauses.append((MonotonicClock.milliseconds + milliseconds, key))
    case .done(let result):
      active[key] = nil
      unstored.append(result)
      answer(key, result)
    }
  }

  private mutating func enqueue(_ key: String, atFront: Bool) {
    guard let check = active[key]?.check else { return }
    let host = WebAddress(check.url)?.host ?? ""
    active[key]?.host = host
    lanes.enqueue(key, host: host, atFront: atFront)
  }

  private mutating func resumePaused() {
    let now = MonotonicClock.milliseconds
    for pause in pauses where pause.until <= now { enqueue(pause.key, atFront: true) }
    pauses.removeAll { $0.until <= now }
  }

  private mutating func requestNext() {
    while let key = lanes.next() {
      guard let item = active[key] else { continue }
      let deadline = item.deadline ?? MonotonicClock.milliseconds + settings.timeout
      active[key]?.deadline = deadline
      let left = deadline - MonotonicClock.milliseconds
      guard left > 0 else {
        received(key, .failure(TransferError(.timeout, "no time left")))
        continue
      }
      var request = HTTPRequest(item.check.method, item.check.url)
      request.headers = [HTTPHeader("Accept", "*/*")]
      request.connectTimeout = left
      request.totalTimeout = left
      request.maxBody = item.check.bodyBytes
      request.addresses = settings.addresses
      request.proxy = settings.proxy
      request.caFile = settings.caFile
      transfers[loop.start(request)] = key
    }
  }

  private func millisecondsLeft(_ item: Active) -> Int {
    item.deadline.map { max(0, $0 - MonotonicClock.milliseconds) } ?? settings.timeout
  }
}
