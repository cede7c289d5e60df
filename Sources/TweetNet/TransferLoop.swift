import CCurl
import Libc
package import TweetCore

/// Identifies a transfer of one loop.
package struct TransferID: Hashable, Sendable {
  fileprivate let number: Int
}

/// The event loop of a network tool: one thread waits in one place for transfers, standard input and signals.
///
/// At most `limit` transfers run at a time. The others wait in the order in which they were started, and their
/// time-outs begin when they run. Nothing is received outside ``wait(reading:writing:sending:timeoutMilliseconds:)``,
/// so a slow caller slows the server down (TCP's own backpressure).
package struct TransferLoop: ~Copyable {
  private let multi: UnsafeMutableRawPointer
  private let sockets: TransferSockets
  private let resolver: HostResolver
  private var limit: Int
  private var nextNumber = 0
  private var queue: [(id: TransferID, request: HTTPRequest)] = []
  /// Transfers that a service refused, and that are sent again: authorized anew, and with what answers taught.
  private var repeats: [TransferID: (isAnew: Bool, lessons: Int)] = [:]
  private var active: [TransferID: Transfer] = [:]
  /// Those of them whose body comes in pieces.
  private var streams: [TransferID: Transfer] = [:]
  /// The handles of transfers that have ended. There are never more than transfers ran at once.
  private var idle: [EasyHandle] = []
  private var identities: [UnsafeMutableRawPointer: TransferID] = [:]
  /// The active transfers whose host is being looked up. libcurl does not know them yet.
  private var resolving: [TransferID] = []
  /// Whether ``addresses(of:since:)`` has said that a name is still being looked up.
  private var awaitsNames = false
  /// The ends of transfers that could not start.
  private var ready: [Event] = []

  /// libcurl's start-up loads the TLS library, so it happens when the first loop is made. `let` globals are set once.
  private static let initialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// - Parameter limit: how many transfers may run at the same time, at least 1. Fewer do if the process may not open
  ///   enough descriptors for them (RLIMIT_NOFILE).
  package init(limit: Int = 16) throws(ToolError) {
    let share = DescriptorShare(transfers: max(1, limit), descriptors: DescriptorShare.available)
    let resolver = try HostResolver(maxThreads: share.resolverThreads)
    let before = Self.descriptors
    guard Self.initialised == CURLE_OK, let multi = curl_multi_init() else { throw .bug("libcurl does not start") }
    // Older versions of libcurl let programs that are started later inherit the sockets by which it wakes itself up.
    for descriptor in Self.descriptors.subtracting(before) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    self.multi = multi
    sockets = TransferSockets(multi)
    self.limit = share.transfers
    self.resolver = resolver
    tw_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, share.connections)
  }

  deinit {
    for (id, transfer) in active where !resolving.contains(id) { curl_multi_remove_handle(multi, transfer.handle) }
    curl_multi_cleanup(multi)
  }

  /// The lowest open descriptors; new ones are made among them.
  private static var descriptors: Set<Int32> { Set((0..<64).filter { fcntl($0, F_GETFD) >= 0 }) }

  /// Transfers that have not finished, waiting ones included.
  package var count: Int { queue.count + active.count }

  /// Queues a request. If something is wrong with it, its `.finished` event says so.
  package mutating func start(_ request: HTTPRequest) -> TransferID {
    nextNumber += 1
    let id = TransferID(number: nextNumber)
    queue.append((id, request))
    return id
  }

  /// Ends a transfer at once, and closes its connection if it was in use. No event of it follows.
  package mutating func cancel(_ id: TransferID) {
    queue.removeAll { $0.id == id }
    ready.removeAll { $0.transfer == id }
    repeats[id] = nil
    if let transfer = active[id] { drop(id, transfer) }
  }

  /// Tells a transfer's server, by the end of our half of the connection, that nothing more is wanted: the rest still
  /// comes.
  package func closeSending(_ id: TransferID) { active[id]?.closeSending() }

  /// Whether a host has addresses; `nil` if that is not known, or was found too long ago.
  package func knownAddresses(of name: String) -> Result<Void, TransferError>? { resolver.known(name)?.map { _ in } }

  /// Looks up a name before there is a transfer to its host, which then has no wait for it. It holds up no transfer.
  /// - Parameters:
  ///   - name: lower case, not an address.
  ///   - start: when the caller began to ask, by the monotonic clock: what was found since then counts.
  /// - Returns: whether the host has addresses; `nil` while that is being found out.
  package mutating func addresses(of name: String, since start: Int) -> Result<Void, TransferError>? {
    guard let outcome = resolver.outcome(for: name, since: start) else {
      awaitsNames = true
      return nil
    }
    return outcome.map { _ in }
  }

  /// After how many milliseconds a name that was not found is to be asked for once more.
  package static var namePatience: Int { HostResolver.patience }

  /// Notes that nobody waits any more for what ``addresses(of:since:)`` asked for.
  package mutating func withdraw(name: String) { resolver.withdraw(name) }

  /// Moves all transfers on, and returns as soon as something has happened.
  ///
  /// - Parameters:
  ///   - reading: descriptors to wait for input on, beside the transfers.
  ///   - writing: descriptors whose reader may close them, such as standard output. Only that event is waited for.
  ///   - sending: descriptors to which there are bytes to write.
  ///   - timeoutMilliseconds: when to return at the latest; `nil` waits for an event.
  /// - Returns: what happened, in order for each transfer; empty after the time-out, or when nothing can ever happen.
  /// - Throws: `ToolError.bug` when libcurl's loop itself fails.
  package mutating func wait(
    reading: [Int32] = [], writing: [Int32] = [], sending: [Int32] = [], timeoutMilliseconds: Int? = nil
  ) throws(ToolError) -> [Event] {
    let deadline = timeoutMilliseconds.map { MonotonicClock.milliseconds + max(0, $0) }
    while true {
      startQueued()
      startResolved()
      for transfer in streams.values { transfer.resume() }
      try check(sockets.perform())
      var events = ready
      ready = []
      let now = MonotonicClock.milliseconds
      let untilSilence = collect(into: &events, at: now)
      let left = deadline.map { $0 - now }
      // Even when there are events: a busy stream must not keep input and signals waiting.
      let isDue = !events.isEmpty || left.map { $0 <= 0 } == true
      let isAlone = reading.isEmpty && writing.isEmpty && sending.isEmpty
      if isAlone, isDue || count == 0 && left == nil { return events }
      // A transfer that is to be sent again is queued.
      let canStart = !queue.isEmpty && active.count < limit
      let timeout =
        isDue || canStart
        ? 0
        : min(
          left ?? .max, sockets.timeLeft(at: now), untilSilence, untilResolved(at: now),
          MonotonicClock.longestPoll)
      poll(reading: reading, writing: writing, sending: sending, timeout: timeout, into: &events)
      if isDue || !events.isEmpty { return events }
    }
  }

  private mutating func startQueued() {
    while active.count < limit, !queue.isEmpty {
      let (id, request) = queue.removeFirst()
      guard let handle = idle.popLast() ?? EasyHandle() else {
        ready.append(.finished(id, .failure(TransferError(.other, "out of memory"))))
        continue
      }
      let transfer = Transfer(request, on: handle)
      active[id] = transfer
      if request.streaming { streams[id] = transfer }
      do throws(TransferError) {
        try transfer.prepare()
        if transfer.hostToResolve == nil { try add(id, transfer) } else { resolving.append(id) }
      } catch {
        active[id] = nil
        streams[id] = nil
        ready.append(.finished(id, .failure(error.sent(false))))
      }
    }
  }

  /// Hands the transfers to libcurl whose hosts have been found, and ends those whose hosts have not, or not in time.
  private mutating func startResolved() {
    let now = MonotonicClock.milliseconds
    for id in resolving {
      guard let transfer = active[id], let host = transfer.hostToResolve else { continue }
      do throws(TransferError) {
        if let outcome = resolver.outcome(for: host, since: transfer.startTime) {
          try transfer.setAddresses(try outcome.get())
          try add(id, transfer)
          resolving.removeAll { $0 == id }
        } else if now >= transfer.resolutionDeadline {
          throw transfer.resolutionTimeout()
        }
      } catch {
        drop(id, transfer)
        ready.append(.finished(id, .failure(error.sent(false))))
      }
    }
  }

  private mutating func add(_ id: TransferID, _ transfer: Transfer) throws(TransferError) {
    let code = curl_multi_add_handle(multi, transfer.handle)
    guard code == CURLM_OK else { throw TransferError(.other, String(cString: curl_multi_strerror(code))) }
    identities[transfer.handle] = id
  }

  /// - Returns: milliseconds until a server counts as silent.
  private mutating func collect(into events: inout [Event], at now: Int) -> Int {
    for (id, transfer) in streams {
      if let start = transfer.drainStart() { events.append(.started(id, start)) }
      let bytes = transfer.drainPending()
      if !bytes.isEmpty { events.append(.data(id, bytes)) }
    }
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
        let id = identities[handle], let transfer = active[id]
      else { continue }
      if message.pointee.data.result == CURLE_OK, transfer.beginWebSocket() {
        resolver.record(.success(transfer.response), of: transfer.hostToResolve)
        continue
      }
      end(id, transfer, transfer.finish(message.pointee.data.result), &events)
    }
    collectMessages(into: &events)
    var untilSilence = Int.max
    for (id, transfer) in active {
      guard let left = transfer.silenceLeft(at: now) else { continue }
      if left > 0 {
        untilSilence = min(untilSilence, left)
        continue
      }
      let error = transfer.silenceError()
      drop(id, transfer)
      events.append(.finished(id, .failure(error)))
    }
    return untilSilence
  }

  /// Moves the WebSockets on.
  private mutating func collectMessages(into events: inout [Event]) {
    for (id, transfer) in streams where transfer.webSocket != nil {
      let outcome = transfer.advanceWebSocket()
      if let start = transfer.drainStart() { events.append(.started(id, start)) }
      let messages = transfer.drainPending()
      if !messages.isEmpty { events.append(.data(id, messages)) }
      if let outcome { end(id, transfer, outcome, &events) }
    }
  }

  private mutating func end(
    _ id: TransferID, _ transfer: Transfer, _ outcome: Result<HTTPResponse, TransferError>, _ events: inout [Event]
  ) {
    drop(id, transfer)
    resolver.record(outcome, of: transfer.hostToResolve)
    if isPutOff(id, transfer, outcome) { return }
    if let event = afterRefusal(id, transfer, outcome) { events.append(event) }
  }

  /// Queues a transfer again if the service refused it and its credential can do better: once with another token, and
  /// for two lessons, such as a nonce and the time.
  ///
  /// - Returns: the end of the transfer; `nil` if it is queued.
  private mutating func afterRefusal(
    _ id: TransferID, _ transfer: Transfer, _ outcome: Result<HTTPResponse, TransferError>
  ) -> Event? {
    var past = repeats.removeValue(forKey: id) ?? (isAnew: false, lessons: 0)
    guard case .success(let response) = outcome, let credential = transfer.request.credential else {
      return .finished(id, outcome)
    }
    let lacks = credential.learn(from: response, to: transfer.authorized)
    guard [400, 401].contains(response.status), lacks ? past.lessons < 2 : !past.isAnew else {
      return .finished(id, outcome)
    }
    do throws(TransferError) {
      if !lacks, try !credential.afterRefusal(response, of: transfer.authorized) { return .finished(id, outcome) }
    } catch {
      // Such an answer says that the request was not carried out.
      return .finished(id, .failure(error.sent(false)))
    }
    if lacks { past.lessons += 1 } else { past.isAnew = true }
    repeats[id] = past
    queue.insert((id, transfer.request), at: 0)
    return nil
  }

  /// Queues a transfer again that got no socket, while others run whose end will leave one, and runs fewer from now on.
  private mutating func isPutOff(
    _ id: TransferID, _ transfer: Transfer, _ outcome: Result<HTTPResponse, TransferError>
  ) -> Bool {
    guard case .failure(let error) = outcome, error.kind == .noResources, !active.isEmpty else { return false }
    limit = active.count
    tw_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limit)
    queue.insert((id, transfer.request), at: 0)
    return true
  }

  private func untilResolved(at now: Int) -> Int {
    var shortest = Int.max
    for id in resolving {
      guard let transfer = active[id] else { continue }
      let askAgain = transfer.startTime + HostResolver.patience + 1
      shortest = min(shortest, max(0, transfer.resolutionDeadline - now), askAgain > now ? askAgain - now : .max)
    }
    return shortest
  }

  private mutating func drop(_ id: TransferID, _ transfer: Transfer) {
    active[id] = nil
    streams[id] = nil
    if let position = resolving.firstIndex(of: id), let host = transfer.hostToResolve {
      resolving.remove(at: position)
      if !resolving.contains(where: { active[$0]?.hostToResolve == host }) { resolver.withdraw(host) }
      return
    }
    transfer.webSocket?.sayGoodbye()
    curl_multi_remove_handle(multi, transfer.handle)
    identities[transfer.handle] = nil
    if let handle = transfer.releaseHandle() { idle.append(handle) }
  }

  private mutating func poll(
    reading: [Int32], writing: [Int32], sending: [Int32], timeout: Int, into events: inout [Event]
  ) {
    // poll(2) always reports errors and hang-ups, so `writing` needs no events.
    var watched =
      reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      + writing.map { pollfd(fd: $0, events: 0, revents: 0) }
      + sending.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    if !resolving.isEmpty || awaitsNames {
      watched.append(pollfd(fd: resolver.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let others = watched.count
    for transfer in streams.values {
      guard let webSocket = transfer.webSocket else { continue }
      let events = webSocket.wantsToSend ? POLLIN | POLLOUT : POLLIN
      watched.append(pollfd(fd: webSocket.descriptor, events: Int16(events), revents: 0))
    }
    sockets.poll(&watched, timeout: Int32(max(0, timeout)))
    for (index, entry) in watched.prefix(others).enumerated() where entry.revents != 0 {
      if entry.fd == resolver.descriptor {
        resolver.drainDescriptor()
        if awaitsNames { events.append(.namesFound) }
        awaitsNames = false
        continue
      }
      let event: Event =
        if index < reading.count { .readable(entry.fd) } else if index < reading.count + writing.count {
          .hungUp(entry.fd)
        } else {
          .writable(entry.fd)
        }
      events.append(event)
    }
  }

  private func check(_ code: CURLMcode) throws(ToolError) {
    guard code == CURLM_OK else { throw .bug("libcurl: \(String(cString: curl_multi_strerror(code)))") }
  }
}

extension TransferLoop {
  /// Makes one request and waits for its end. Signals do not end the wait, so the request needs a total time-out.
  package static func answer(to request: HTTPRequest) throws(TransferError) -> HTTPResponse {
    let result: Result<HTTPResponse, TransferError>?
    do throws(ToolError) {
      var loop = try TransferLoop(limit: 1)
      _ = loop.start(request)
      var outcome: Result<HTTPResponse, TransferError>?
      while outcome == nil, loop.count > 0 {
        for case .finished(_, let end) in try loop.wait() { outcome = end }
      }
      result = outcome
    } catch {
      throw TransferError(.other, error.message ?? "libcurl does not work")
    }
    guard let result else { throw TransferError(.other, "the transfer has no end") }
    return try result.get()
  }
}

extension TransferLoop {
  package enum Event: Sendable {
    /// The header of a streaming request's 2xx answer has come; `body` is empty.
    case started(TransferID, HTTPResponse)
    /// The next piece of a streaming request's body.
    case data(TransferID, [UInt8])
    /// The last event of a transfer. The body of a streaming request is in the answer only if that is not 2xx.
    case finished(TransferID, Result<HTTPResponse, TransferError>)
    /// A descriptor has data, is at its end, or has an error: reading it will not block.
    case readable(Int32)
    /// A descriptor can be written, or has an error.
    case writable(Int32)
    /// Nobody reads what we write to this descriptor any more.
    case hungUp(Int32)
    /// Names have been looked up: ``addresses(of:since:)`` may know more.
    case namesFound
  }
}

extension TransferLoop.Event {
  /// The transfer that the event is about; `nil` for events of descriptors.
  package var transfer: TransferID? {
    switch self {
    case .started(let id, _), .data(let id, _), .finished(let id, _): id
    case .readable, .writable, .hungUp, .namesFound: nil
    }
  }
}
