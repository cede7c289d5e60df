import TweetCore
import TweetNet
import TweetServices

/// The profiles of authors, looked up together, and kept for a while.
struct AuthorLookups {
  /// What is known of an account.
  enum Profile {
    case unknown
    /// It has none, or the service does not show it.
    case none
    case known([UInt8])

    /// As the line of a post needs it.
    var json: [UInt8]? { if case .known(let json) = self { json } else { nil } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
  }

  /// Milliseconds that a look-up waits for others.
  private static let collectTime = 100
  /// Milliseconds after which a profile is asked for again.
  private static let lifetime = 3_600_000
  /// Profiles kept in one of two generations: the older one is forgotten when the newer one is full.
  private static let capacity = 8192
  /// Accounts that wait to be asked for. If posts come faster than profiles, some stay without.
  private static let mostWanted = 4096

  private var newer: [String: (profile: Profile, at: Int)] = [:]
  private var older: [String: (profile: Profile, at: Int)] = [:]
  private var wanted: [String] = []
  private var known: Set<String> = []
  private var wantedAt = 0
  private var asked: [String] = []
  private var request = RetriedRequest(RetryPolicy(.endless))

  mutating func profile(of id: String) -> Profile {
    let now = MonotonicClock.milliseconds
    if let found = newer[id] { return now - found.at < Self.lifetime ? found.profile : .unknown }
    guard let found = older[id], now - found.at < Self.lifetime else { return .unknown }
    keep(id, found.profile, at: found.at)
    return found.profile
  }

  private mutating func keep(_ id: String, _ profile: Profile, at time: Int) {
    if newer.count >= Self.capacity { (older, newer) = (newer, [:]) }
    newer[id] = (profile, time)
  }

  /// Has an account looked up.
  mutating func want(_ id: String) {
    guard wanted.count < Self.mostWanted, known.insert(id).inserted else { return }
    if wanted.isEmpty { wantedAt = MonotonicClock.milliseconds }
    wanted.append(id)
  }

  /// Whether it is being looked up.
  func awaits(_ id: String) -> Bool { known.contains(id) }

  var wakesAt: Int? {
    if let time = request.wakesAt { return time }
    return request.isIdle && !wanted.isEmpty ? wantedAt + Self.collectTime : nil
  }

  /// Asks for those that are due.
  mutating func advance(_ api: any ReplayedStream, in loop: inout TransferLoop) {
    let isDue =
      request.isIdle
      ? wanted.count >= api.authorBatch || !wanted.isEmpty && MonotonicClock.milliseconds >= wantedAt + Self.collectTime
      : request.isDue
    guard isDue else { return }
    if asked.isEmpty {
      asked = Array(wanted.prefix(api.authorBatch))
      wanted.removeFirst(asked.count)
      wantedAt = MonotonicClock.milliseconds
    }
    request.start(api.authorRequest(asked), in: &loop)
  }

  /// - Returns: the accounts whose look-up has ended; `nil` for events of other transfers.
  mutating func handle(_ event: TransferLoop.Event, _ api: any ReplayedStream) -> [String]? {
    guard let transfer = request.transfer, event.transfer == transfer else { return nil }
    let outcome = request.handle(event) { response -> RetriedRequest.Reading<[(id: String, profile: [UInt8])]> in
      guard response.isSuccess else { return .refused(api.refusal(response)) }
      return api.authors(in: response).map { .answer($0) } ?? .unreadable("the answer has no profiles")
    }
    switch outcome {
    case nil, .waiting: return []
    case .stopped:
      // One account that the service does not look up must not hold up the others for ever.
      return end([])
    case .answered(let profiles): return end(profiles)
    }
  }

  private mutating func end(_ profiles: [(id: String, profile: [UInt8])]) -> [String] {
    let now = MonotonicClock.milliseconds
    for id in asked { keep(id, .none, at: now) }
    for (id, profile) in profiles { keep(id, .known(profile), at: now) }
    known.subtract(asked)
    defer { asked = [] }
    return asked
  }

  mutating func halt(in loop: inout TransferLoop) {
    request.cancel(in: &loop)
    wanted = asked + wanted
    asked = []
  }
}
