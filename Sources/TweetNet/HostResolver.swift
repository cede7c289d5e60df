import Libc
import Synchronization
import TweetCore

/// Finds the addresses of host names, on threads of its own that nobody ever waits for.
///
/// getaddrinfo(3) cannot be stopped, and takes half a minute where a name server is silent. libcurl calls it on threads
/// too, but waits for them when a transfer ends (CURLOPT_QUICK_EXIT(3)), so that one silent name stops all transfers.
/// And libcurl does not say why a name has no address.
final class HostResolver: Sendable {
  typealias Outcome = Result<[IPAddress], TransferError>

  private struct Found {
    let outcome: Outcome
    /// By the monotonic clock, in milliseconds.
    let time: Int
    /// Whether the host did not accept a connection at one of these addresses.
    var isDoubted = false
  }

  private struct Question {
    let name: String
    /// Whether it is for the addresses of IPv4 alone.
    let isForIPv4: Bool
  }

  private struct State {
    var found: [String: Found] = [:]
    /// The questions that no thread has begun with.
    var queue = Queue<Question>()
    /// The names that are being looked up, and since when a thread does it; `nil` while none does.
    var wanted: [String: Int?] = [:]
    /// Those of them that are also asked for their addresses of IPv4 alone.
    var askedAgain: Set<String> = []
    var threads = 0
  }

  private let state = Mutex(State())
  private let maxThreads: Int
  private let ends: (reading: Int32, writing: Int32)

  /// How many outcomes are kept before old ones are removed.
  private static let capacity = 1024

  /// Some name servers leave questions for IPv6 without an answer, and getaddrinfo(3) asks for both and waits for both.
  /// After this many milliseconds the addresses of IPv4 are asked for alone, and are used when they come (RFC 8305 §3).
  static let patience = 250

  /// - Parameter maxThreads: how many names may be looked up at once. Names behind silent name servers each hold a
  ///   thread for as long as the system's resolver tries.
  /// - Throws: `ToolError.inputOutput` when no descriptors are left.
  init(maxThreads: Int) throws(ToolError) {
    self.maxThreads = max(1, maxThreads)
    ends = try makePipe()
    for end in [ends.reading, ends.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(ends.reading)
    close(ends.writing)
  }

  /// Becomes readable when outcomes have come.
  var descriptor: Int32 { ends.reading }

  /// Makes `descriptor` unreadable until more outcomes come.
  func drainDescriptor() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(ends.reading, &bytes, bytes.count) > 0 {}
  }

  /// What is known of a host, without asking for it.
  func known(_ name: String) -> Outcome? {
    let now = MonotonicClock.milliseconds
    return state.withLock { state in
      state.found[name].flatMap { now - $0.time < Self.lifetime(of: $0) ? $0.outcome : nil }
    }
  }

  /// The addresses of a host, or why there are none; `nil` while that is being found out.
  ///
  /// - Parameters:
  ///   - name: lower case, not an address.
  ///   - start: when the caller began to ask, by the monotonic clock. What was found since then counts, however old it
  ///     is.
  func outcome(for name: String, since start: Int) -> Outcome? {
    let now = MonotonicClock.milliseconds
    let (known, needsThread) = state.withLock { state -> (Outcome?, Bool) in
      if let found = state.found[name], found.time >= start || now - found.time < Self.lifetime(of: found) {
        return (found.outcome, false)
      }
      if let begun = state.wanted[name] {
        // The caller may have begun to ask before a thread did. Most threads are kept for names that nobody has asked
        // for yet.
        guard let begun, now - min(begun, start) >= Self.patience, state.threads < max(2, maxThreads * 3 / 4),
          state.askedAgain.insert(name).inserted
        else { return (nil, false) }
        state.queue.prepend(Question(name: name, isForIPv4: true))
      } else {
        state.wanted[name] = .some(nil)
        state.queue.append(Question(name: name, isForIPv4: false))
      }
      guard state.threads < maxThreads else { return (nil, false) }
      state.threads += 1
      return (nil, true)
    }
    guard needsThread else { return known }
    let code = startThread { [self] in run() }
    if code != 0 { recordFailedThread(code, for: name) }
    return nil
  }

  /// Doubts the addresses of a host that did not accept a connection: it may have moved. They serve the many requests
  /// of the same moment, and then the name is looked up again.
  func record(_ outcome: Result<HTTPResponse, TransferError>, of name: String?) {
    guard let name, case .failure(let error) = outcome, error.isUnsent,
      [.refused, .unreachable, .timeout, .tls].contains(error.kind)
    else { return }
    state.withLock { $0.found[name]?.isDoubted = true }
  }

  /// Removes a name that nobody waits for any more from the queue.
  func withdraw(_ name: String) {
    state.withLock { state in
      for question in state.queue.extract(where: { $0.name == name }) where !question.isForIPv4 {
        state.wanted[name] = nil
      }
    }
  }

  /// As long as libcurl keeps an address (CURLOPT_DNS_CACHE_TIMEOUT(3)). A name that does not exist may be registered
  /// now, and a resolver that failed may work again: the many links to one host at one time are spared, no more.
  private static func lifetime(of found: Found) -> Int {
    switch found.outcome {
    case .success: found.isDoubted ? 500 : longestLife
    case .failure(let error): error.kind == .noSuchHost ? 5000 : 0
    }
  }

  /// Milliseconds.
  private static let longestLife = 60_000

  // MARK: On the threads

  private func run() {
    while let question = next() { record(Self.lookUp(question), for: question) }
  }

  private func next() -> Question? {
    let now = MonotonicClock.milliseconds
    return state.withLock { state in
      let question = state.queue.popFirst()
      if let question {
        if !question.isForIPv4 { state.wanted[question.name] = .some(now) }
      } else {
        state.threads -= 1
      }
      return question
    }
  }

  private func record(_ outcome: Outcome, for question: Question) {
    let (name, now) = (question.name, MonotonicClock.milliseconds)
    let isNews = state.withLock { state in
      if question.isForIPv4 {
        // A failure is that of one question; the other one says why.
        guard case .success = outcome, state.wanted[name] != nil else { return false }
      } else {
        state.wanted[name] = nil
        state.askedAgain.remove(name)
        // The addresses of IPv4 have come before, and are good.
        if case .failure = outcome, let found = state.found[name], case .success = found.outcome,
          now - found.time < Self.lifetime(of: found)
        {
          return false
        }
      }
      if state.found.count >= Self.capacity {
        state.found = state.found.filter { now - $0.value.time < Self.longestLife }
      }
      state.found[name] = Found(outcome: outcome, time: now)
      return true
    }
    guard isNews else { return }
    var byte: UInt8 = 1
    // If the pipe is full, it is readable already.
    _ = write(ends.writing, &byte, 1)
  }

  /// Other threads, if there are some, take the name from the queue.
  private func recordFailedThread(_ code: Int32, for name: String) {
    let isAlone = state.withLock { state in
      state.threads -= 1
      return state.threads == 0
    }
    guard isAlone else { return }
    withdraw(name)
    record(
      .failure(TransferError(.noResources, "cannot look up '\(name)': \(describe(errno: code))")),
      for: Question(name: name, isForIPv4: false))
  }

  private static func lookUp(_ question: Question) -> Outcome {
    let name = question.name
    var hints = addrinfo()
    hints.ai_family = question.isForIPv4 ? AF_INET : AF_UNSPEC
    hints.ai_socktype = streamSocketType
    var list: UnsafeMutablePointer<addrinfo>?
    errno = 0
    let code = getaddrinfo(name, nil, &hints, &list)
    let number = errno
    defer { if let list { freeaddrinfo(list) } }
    guard code == 0 else { return .failure(failure(code, number, of: name)) }
    var addresses: [IPAddress] = []
    var entry = list
    while let current = entry {
      if let address = current.pointee.ai_addr.flatMap({ IPAddress($0) }), !addresses.contains(address) {
        addresses.append(address)
      }
      entry = current.pointee.ai_next
    }
    guard !addresses.isEmpty else {
      return .failure(TransferError(.dns, "cannot look up '\(name)': it has no address"))
    }
    return .success(addresses)
  }

  private static func failure(_ code: Int32, _ number: Int32, of name: String) -> TransferError {
    switch code {
    case EAI_NONAME where isUnknownHost(name) != false:
      return TransferError(.noSuchHost, "there is no host '\(name)'")
    case EAI_NONAME:
      return TransferError(.dns, "cannot look up '\(name)': the name server failed")
    case EAI_MEMORY,
      EAI_SYSTEM where [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(number):
      return TransferError(.noResources, "cannot look up '\(name)': \(describe(errno: number))")
    default:
      let reason = code == EAI_SYSTEM ? describe(errno: number) : String(cString: gai_strerror(code)).lowercased()
      return TransferError(.dns, "cannot look up '\(name)': \(reason)")
    }
  }
}
