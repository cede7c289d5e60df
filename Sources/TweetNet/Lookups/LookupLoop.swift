package import TweetCore

/// Runs look-ups, many at once on one thread: at most this many requests in all and to one host, no faster than the
/// hosts take them, each look-up within its time. A look-up goes through the name of its host (``NameQueue``), the lane
/// of its host (``HostLanes``) and its request (``TransferLoop``), for each of its requests.
package struct LookupLoop<Item: Lookup>: ~Copyable {
  /// A look-up that has ended.
  package struct Finished {
    package let key: String
    package let lookup: Item
    package let outcome: Item.Outcome
    /// What is left of its time: a second look-up for the same key continues with it.
    package let millisecondsLeft: Int
  }

  /// It is a class because a change of a value in a dictionary, whose type is not known here, copies it out and back.
  private final class Active {
    var lookup: Item
    /// Whose lane it is in.
    var host = ""
    /// Milliseconds of its time.
    var left: Int
    /// Whether it has made a request.
    var hasBegun: Bool
    /// When its last request started, on the monotonic clock.
    var requestStart = 0
    /// How often a host has refused a request. Such a look-up lets others go first.
    var refusals = 0

    init(_ lookup: Item, left: Int, hasBegun: Bool) {
      self.lookup = lookup
      self.left = left
      self.hasBegun = hasBegun
    }
  }

  private let settings: LookupSettings
  private var transfers: TransferLoop
  private var names: NameQueue
  private var lanes: HostLanes
  private var active: [String: Active] = [:]
  private var keys: [TransferID: String] = [:]
  /// The look-ups that try again after a failure, and when.
  private var pauses: [(until: Int, key: String)] = []
  private var finished: [Finished] = []
  /// By host; empty if nothing is counted.
  package private(set) var counts: [String: HostCounts] = [:]

  package init(_ settings: LookupSettings) throws(ToolError) {
    self.settings = settings
    DescriptorShare.raiseLimit()
    transfers = try TransferLoop(limit: settings.jobs)
    names = NameQueue(atOnce: settings.jobs)
    lanes = HostLanes(total: settings.jobs, perHost: settings.jobsPerHost, interval: settings.hostInterval)
  }

  /// Whether no look-up is running.
  package var isIdle: Bool { active.isEmpty }

  /// Begins a look-up.
  /// - Parameters:
  ///   - key: names it; no other look-up of this key may be running.
  ///   - millisecondsLeft: of an earlier look-up for the same key, which this one continues.
  package mutating func start(_ key: String, _ lookup: Item, millisecondsLeft: Int? = nil) {
    let item = Active(lookup, left: millisecondsLeft ?? settings.timeout, hasBegun: millisecondsLeft != nil)
    let step = item.lookup.begin()
    active[key] = item
    proceed(key, item, step)
  }

  /// Moves look-ups on until one has finished, a descriptor can be read, or the time is up.
  /// - Parameter reading: descriptors to wait for input on.
  /// - Returns: those of `reading` that can be read.
  /// - Throws: `ToolError.readerGone` when nobody reads standard output any more.
  package mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    endPauses()
    startNames()
    startRequests()
    let timeout = finished.isEmpty ? [timeoutMilliseconds, untilNext].compactMap { $0 }.min() : 0
    var readable: [Int32] = []
    for event in try transfers.wait(reading: reading, writing: [1], timeoutMilliseconds: timeout) {
      switch event {
      case .finished(let id, let result):
        if let key = keys.removeValue(forKey: id) { receive(result, for: key) }
      case .readable(let descriptor): readable.append(descriptor)
      case .hungUp: throw .readerGone
      case .namesFound: takeNames()
      // Events of streaming requests, and of descriptors that are written to: there are none here.
      case .started, .data, .writable: break
      }
    }
    return readable
  }

  /// Milliseconds until something is to be done although nothing has happened.
  private var untilNext: Int? {
    let now = MonotonicClock.milliseconds
    var next = pauses.map(\.until) + [lanes.nextReady, names.nextTime(at: now)].compactMap { $0 }
    // To ask for a name's addresses of IPv4 alone. On a busy machine its thread may not have begun at the first of
    // these times.
    let patience = TransferLoop.namePatience
    next += names.running.map { name in name.start + ((now - name.start) / patience + 1) * patience }
    return next.min().map { max(0, $0 - now) }
  }

  /// Removes the look-ups that have ended, and returns them.
  package mutating func drainFinished() -> [Finished] {
    defer { finished.removeAll() }
    return finished
  }

  /// Removes the look-ups whose key meets `condition` and that have made no request yet.
  /// - Returns: their keys.
  package mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    let waiting = lanes.withdraw { condition($0) && active[$0]?.hasBegun == false }
    let unnamed = names.withdraw { condition($0) && active[$0]?.hasBegun == false }
    forget(unnamed.map(\.name))
    let withdrawn = waiting + unnamed.map(\.key)
    for key in withdrawn { active[key] = nil }
    return withdrawn
  }

  private mutating func proceed(_ key: String, _ item: Active, _ step: LookupStep<Item.Outcome>) {
    switch step {
    case .request: enqueue(key, item)
    case .pause(let milliseconds):
      item.left -= milliseconds
      pauses.append((MonotonicClock.milliseconds + milliseconds, key))
    case .done(let outcome):
      active[key] = nil
      finished.append(Finished(key: key, lookup: item.lookup, outcome: outcome, millisecondsLeft: max(0, item.left)))
    }
  }

  private mutating func endPauses() {
    let now = MonotonicClock.milliseconds
    for pause in pauses where pause.until <= now {
      if let item = active[pause.key] { enqueue(pause.key, item) }
    }
    pauses.removeAll { $0.until <= now }
  }

  /// Hands a result that is none of a request to a look-up.
  private mutating func fail(_ key: String, _ error: TransferError) {
    guard let item = active[key] else { return }
    proceed(key, item, item.lookup.receive(.failure(error), millisecondsLeft: max(0, item.left)))
  }

  // MARK: Names

  /// Puts a look-up into the lane of its host, or first among those that wait for the host's addresses.
  private mutating func enqueue(_ key: String, _ item: Active) {
    item.host = item.lookup.host
    guard let name = nameToFind(of: item) else { return enqueueInLane(key, item) }
    switch transfers.knownAddresses(of: name) {
    case .success: enqueueInLane(key, item)
    case .failure(let error): fail(key, error)
    case nil: names.enqueue(key, name: name, left: item.left, at: MonotonicClock.milliseconds)
    }
  }

  /// The name of the host, if it is looked up here.
  private func nameToFind(of item: Active) -> String? {
    guard settings.proxy == .none, let address = item.lookup.target else { return nil }
    return address.namesNoHost || address.isOnion ? nil : address.host
  }

  /// Begins with names, and ends the waits that have taken too long.
  private mutating func startNames() {
    if names.isEmpty { return }
    while names.startNext(at: MonotonicClock.milliseconds) != nil {}
    takeNames()
    let late = names.expire(at: MonotonicClock.milliseconds)
    for (key, name) in late {
      active[key]?.left = 0
      fail(key, TransferError(.dns, "cannot look up '\(name)': the name server does not answer"))
    }
    forget(late.map(\.name))
  }

  /// Moves on the look-ups whose names have been looked up.
  private mutating func takeNames() {
    for (name, start) in names.running {
      guard let outcome = transfers.addresses(of: name, since: start) else { continue }
      for (key, left) in names.finish(name, at: MonotonicClock.milliseconds) {
        guard let item = active[key] else { continue }
        item.left = left
        switch outcome {
        case .success: enqueueInLane(key, item)
        case .failure(let error): fail(key, error)
        }
      }
    }
  }

  /// Ends the look-ups of those names that nobody waits for any more.
  private mutating func forget(_ unwanted: [String]) {
    for name in Set(unwanted) where !names.isWanted(name) {
      _ = names.finish(name, at: 0)
      transfers.withdraw(name: name)
    }
  }

  // MARK: Requests

  /// What was begun is finished before something new is begun; what was refused lets others go first.
  private mutating func enqueueInLane(_ key: String, _ item: Active) {
    if let until = lanes.closedUntil(item.host) { return fail(key, Self.closed(item.host, until: until)) }
    lanes.enqueue(key, host: item.host, atFront: item.hasBegun && item.refusals == 0)
  }

  private static func closed(_ host: String, until end: Int) -> TransferError {
    var error = TransferError(.limited, "'\(host)' has refused other requests, and wants a longer rest")
    error.retryAfter = max(1, (end - MonotonicClock.milliseconds + 999) / 1000)
    return error
  }

  private mutating func startRequests() {
    while let key = lanes.startNext(at: MonotonicClock.milliseconds) {
      guard let item = active[key] else { continue }
      if let name = nameToFind(of: item), transfers.knownAddresses(of: name) == nil {
        // It has waited in its lane for so long that its addresses may be others now.
        lanes.finish(host: item.host)
        enqueue(key, item)
        continue
      }
      item.hasBegun = true
      item.requestStart = MonotonicClock.milliseconds
      let left = item.left
      guard left > 0 else {
        receive(.failure(TransferError(.timeout, "no time left")), for: key)
        continue
      }
      var request = item.lookup.request
      request.setHeaders(settings.headers)
      (request.connectTimeout, request.totalTimeout) = (left, left)
      if request.method == .head {
        // A server that does not answer HEAD, or not to the end, may answer the GET that follows.
        (request.silenceTimeout, request.totalTimeout) = (max(1, left / 3), max(1, left - left / 3))
      }
      request.addresses = settings.addresses
      request.proxy = settings.proxy
      request.caFile = settings.caFile
      keys[transfers.start(request)] = key
    }
  }

  private mutating func receive(_ result: Result<HTTPResponse, TransferError>, for key: String) {
    guard let item = active[key] else { return }
    let now = MonotonicClock.milliseconds
    item.left = max(0, item.left - (now - item.requestStart))
    let end = item.lookup.leavesRestsToLoop ? Self.end(of: result) : .failed
    var isRefusal = false
    if case .refused = end { isRefusal = true }
    if settings.countsHosts {
      counts[item.host, default: HostCounts()].add(
        result, milliseconds: now - item.requestStart, isRefusal: isRefusal)
    }
    lanes.finish(host: item.host, end, began: item.requestStart, at: now)
    let closing = lanes.closedUntil(item.host)
    for key in lanes.drainRefused() { fail(key, Self.closed(item.host, until: closing ?? now)) }
    guard isRefusal, closing == nil else { return deliver(result, to: item, key) }
    if !item.lookup.changesAfterRefusal() {
      guard item.refusals < settings.retries else { return deliver(result, to: item, key) }
      item.refusals += 1
    }
    enqueue(key, item)
  }

  private mutating func deliver(_ result: Result<HTTPResponse, TransferError>, to item: Active, _ key: String) {
    proceed(key, item, item.lookup.receive(result, millisecondsLeft: item.left))
  }

  /// What a result says of the host's limits. A server that fails now and then, and names no time, counts no requests.
  private static func end(of result: Result<HTTPResponse, TransferError>) -> HostPace.End {
    guard case .success(let response) = result else { return .failed }
    guard response.status == 429 || response.status == 503 else { return .accepted }
    let rest = response.retryAfter.map { $0 > 31_536_000 ? .max : $0 * 1000 }
    return .refused(retryAfter: rest, hasLimit: response.status == 429 || rest != nil)
  }
}

/// What happened at one host.
package struct HostCounts: Sendable {
  package private(set) var requests = 0
  /// Answers of 2xx and 3xx.
  package private(set) var successes = 0
  /// Answers that ask for fewer requests.
  package private(set) var refusals = 0
  /// Requests without an answer.
  package private(set) var failures = 0
  /// Milliseconds that the answers took, those of the first 10 000 requests.
  private var times: [Int32] = []

  package init() {}

  mutating func add(_ result: Result<HTTPResponse, TransferError>, milliseconds: Int, isRefusal: Bool) {
    requests += 1
    switch result {
    case .failure: failures += 1
    case .success(let response):
      if isRefusal { refusals += 1 } else if (200..<400).contains(response.status) { successes += 1 }
      if times.count < 10_000 { times.append(Int32(clamping: milliseconds)) }
    }
  }

  /// How many milliseconds half of the answers took at most; `nil` without an answer.
  package var median: Int? {
    times.isEmpty ? nil : Int(times.sorted()[times.count / 2])
  }
}

extension [String: HostCounts] {
  /// A table for people: a row for each host, those with most requests first. A host's name is printed as DNS has it,
  /// so it has no control characters.
  package var hostTable: String {
    var rows = [["host", "requests", "ok", "refused", "failed", "median"]]
    let hosts = sorted { ($1.value.requests, $0.key) < ($0.value.requests, $1.key) }
    for (host, counts) in hosts {
      rows.append(
        [host] + [counts.requests, counts.successes, counts.refusals, counts.failures].map(String.init)
          + [counts.median.map { "\($0) ms" } ?? "-"])
    }
    return AlignedTable.numbers(rows)
  }
}

/// The further tries that a look-up has after failures that may pass: a connection that breaks, a name server that
/// fails, a server in trouble (5xx), one that was not ready for the request (408, 425). Hosts that ask for fewer
/// requests are the matter of ``HostLanes``.
package struct LookupRetries: Sendable {
  private var left: Int
  private var pause = 500

  /// Of statuses in 5xx, those that say that the server lacks something, which waiting does not bring (RFC 9110 §15.6,
  /// RFC 6585 §6, RFC 4918 §11.5).
  private static let lasting: Set<Int> = [501, 505, 506, 507, 508, 510, 511]

  package init(_ count: Int) { left = count }

  /// Decides whether the request is made again.
  ///
  /// - Parameters:
  ///   - result: of the request.
  ///   - millisecondsLeft: of the time for the whole look-up.
  /// - Returns: how many milliseconds to wait before: what the server asks for (`Retry-After`), else twice as long each
  ///   time. `nil` when there is no further try, or no time for it.
  package mutating func pause(
    after result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
  ) -> Int? {
    guard left > 0, Self.mayPass(result) else { return nil }
    let wait = Self.retryAfter(result).map { $0 > 86_400 ? .max : $0 * 1000 } ?? pause
    guard wait < millisecondsLeft else { return nil }
    left -= 1
    pause *= 2
    return wait
  }

  private static func mayPass(_ result: Result<HTTPResponse, TransferError>) -> Bool {
    switch result {
    case .success(let response):
      [408, 425].contains(response.status)
        || response.status / 100 == 5 && response.status != 503 && !lasting.contains(response.status)
    case .failure(let error): error.kind == .lostConnection || error.kind == .dns
    }
  }

  private static func retryAfter(_ result: Result<HTTPResponse, TransferError>) -> Int? {
    if case .success(let response) = result { response.retryAfter } else { nil }
  }
}

/// How look-ups reach the network.
package struct LookupSettings: Sendable {
  /// Requests at the same time, in all and to one host.
  package let jobs: Int
  package let jobsPerHost: Int
  /// Milliseconds between the starts of two requests to one host.
  package let hostInterval: Int
  /// Further tries of a request after failures that may pass, and after refusals of its host.
  package let retries: Int
  /// Milliseconds for one look-up: its redirects, pauses and second requests included, its time in the queue, and while
  /// its host rests, not.
  package let timeout: Int
  /// Headers that all requests get, in place of those with the same name.
  package let headers: [HTTPHeader]
  package let addresses: AddressPolicy
  package let proxy: ProxyUse
  package let caFile: String?
  /// Whether what happens is counted for each host.
  package let countsHosts: Bool

  /// - Parameters:
  ///   - jobsPerHost: `nil` for as many as `jobs`.
  ///   - allowsPrivate: whether requests may reach every address. If not, they reach those of the public internet and
  ///     of `TW_ALLOW_PRIVATE`.
  ///   - proxy: a proxy's URL; those of the environment are never used.
  ///   - caFile: a PEM file of certificate authorities in place of the system's.
  /// - Throws: `ToolError.configuration` when `TW_ALLOW_PRIVATE` is wrong.
  package init(
    jobs: Int, jobsPerHost: Int? = nil, hostInterval: Int = 0, retries: Int = 0, timeout: Int,
    headers: [HTTPHeader] = [], allowsPrivate: Bool, proxy: String?, caFile: String?,
    countsHosts: Bool = false
  ) throws(ToolError) {
    let publicOnly = try AddressPolicy.ofStrangers
    self.jobs = jobs
    self.jobsPerHost = jobsPerHost ?? jobs
    self.hostInterval = hostInterval
    self.retries = retries
    self.timeout = timeout
    self.headers = headers
    self.addresses = allowsPrivate ? .any : publicOnly
    self.proxy = proxy.map { .explicit($0) } ?? .none
    self.caFile = caFile
    self.countsHosts = countsHosts
  }
}
