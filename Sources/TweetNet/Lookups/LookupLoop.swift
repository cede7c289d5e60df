package import TweetCore

/// Runs look-ups, many at once on one thread: at most so many requests in all and to one host, each look-up within its
/// time.
package struct LookupLoop<Item: Lookup>: ~Copyable {
  /// A look-up that has ended.
  package struct Finished {
    package let key: String
    package let lookup: Item
    package let outcome: Item.Outcome
    /// When its time ends, on the monotonic clock: a second look-up for the same key continues within it. `nil` when no
    /// request was made.
    package let deadline: Int?
  }

  /// It is a class because a change of a value in a dictionary, whose type is not known here, copies it out and back.
  private final class Active {
    var lookup: Item
    /// Whose lane it is in.
    var host = ""
    /// Set when the first request starts.
    var deadline: Int?

    init(_ lookup: Item, deadline: Int?) {
      self.lookup = lookup
      self.deadline = deadline
    }
  }

  private let settings: LookupSettings
  private var transfers: TransferLoop
  private var lanes: HostLanes
  private var active: [String: Active] = [:]
  private var keys: [TransferID: String] = [:]
  /// The look-ups that wait because a host asked for it, and until when.
  private var pauses: [(until: Int, key: String)] = []
  private var finished: [Finished] = []

  package init(_ settings: LookupSettings) throws(ToolError) {
    self.settings = settings
    transfers = try TransferLoop(limit: settings.jobs)
    lanes = HostLanes(total: settings.jobs, perHost: settings.jobsPerHost, interval: settings.hostInterval)
  }

  /// Whether no look-up is running.
  package var isIdle: Bool { active.isEmpty }

  /// Begins a look-up.
  /// - Parameters:
  ///   - key: names it; no other look-up of this key may be running.
  ///   - deadline: of an earlier look-up for the same key, which this one continues.
  package mutating func start(_ key: String, _ lookup: Item, deadline: Int? = nil) {
    let item = Active(lookup, deadline: deadline)
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
    startRequests()
    let next = (pauses.map(\.until) + [lanes.nextReady].compactMap { $0 }).min()
    let untilNext = next.map { max(0, $0 - MonotonicClock.milliseconds) }
    let timeout = finished.isEmpty ? [timeoutMilliseconds, untilNext].compactMap { $0 }.min() : 0
    var readable: [Int32] = []
    for event in try transfers.wait(reading: reading, writing: [1], timeoutMilliseconds: timeout) {
      switch event {
      case .finished(let id, let result):
        if let key = keys.removeValue(forKey: id) { receive(result, for: key) }
      case .readable(let descriptor): readable.append(descriptor)
      case .hungUp: throw .readerGone
      // Events of streaming requests, and of descriptors that are written to: there are none here.
      case .started, .data, .writable: break
      }
    }
    return readable
  }

  /// Removes the look-ups that have ended, and returns them.
  package mutating func drainFinished() -> [Finished] {
    defer { finished.removeAll() }
    return finished
  }

  /// Removes the look-ups whose key meets `condition` and that have made no request yet.
  /// - Returns: their keys.
  package mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    let withdrawn = lanes.withdraw { condition($0) && active[$0]?.deadline == nil }
    for key in withdrawn { active[key] = nil }
    return withdrawn
  }

  private mutating func proceed(_ key: String, _ item: Active, _ step: LookupStep<Item.Outcome>) {
    switch step {
    case .request: enqueue(key, item)
    case .pause(let milliseconds): pauses.append((MonotonicClock.milliseconds + milliseconds, key))
    case .done(let outcome):
      active[key] = nil
      finished.append(Finished(key: key, lookup: item.lookup, outcome: outcome, deadline: item.deadline))
    }
  }

  /// What was begun is finished before something new is begun.
  private mutating func enqueue(_ key: String, _ item: Active) {
    item.host = item.lookup.host
    lanes.enqueue(key, host: item.host, atFront: item.deadline != nil)
  }

  private mutating func endPauses() {
    let now = MonotonicClock.milliseconds
    for pause in pauses where pause.until <= now {
      if let item = active[pause.key] { enqueue(pause.key, item) }
    }
    pauses.removeAll { $0.until <= now }
  }

  private mutating func startRequests() {
    while let key = lanes.startNext(at: MonotonicClock.milliseconds) {
      guard let item = active[key] else { continue }
      let now = MonotonicClock.milliseconds
      let deadline = item.deadline ?? now + settings.timeout
      item.deadline = deadline
      guard deadline > now else {
        receive(.failure(TransferError(.timeout, "no time left")), for: key)
        continue
      }
      var request = item.lookup.request
      if !settings.headers.isEmpty {
        request.headers =
          settings.headers
          + request.headers.filter { header in
            !settings.headers.contains { $0.name.lowercased() == header.name.lowercased() }
          }
      }
      let left = deadline - now
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
    guard let item = active[key], let deadline = item.deadline else { return }
    lanes.finish(host: item.host)
    let left = max(0, deadline - MonotonicClock.milliseconds)
    proceed(key, item, item.lookup.receive(result, millisecondsLeft: left))
  }
}
