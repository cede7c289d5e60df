import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Carries out the writes of the outbox at one service, one at a time, and never one twice.
///
/// A write is marked on disk before its request is made. One whose answer never came is looked for at the service
/// before it is tried again. All of that happens under a lock, so a mark that is found belongs to a process that was
/// killed.
final class WritingSession {
  /// What became of a write.
  enum Ending: Equatable {
    /// - Parameter id: of the post that was made, where that is known.
    case done(id: String?)
    case refused(ToolError)
  }

  let access: ServiceAccess
  let api: any WriteAPI
  let way: WritingWay
  let outbox: Outbox
  let exchange: Exchange
  let clock: WritingClock
  /// What bounds the posts that are read; `nil` if reads cost nothing.
  let budget: ReadBudget?
  /// Whether it was said that reads are billed.
  var hasOpenedBudget = false
  /// The accounts that were followed or unfollowed, by name.
  private(set) var users: [String: WritingAccount] = [:]
  private var known: WritingAccount?
  /// The writes that this session has done, or that were refused to it.
  private(set) var finished: Set<Int> = []
  /// The uploads of this run, by the digests and descriptions of their files.
  var uploads: [String: MediaUpload] = [:]

  /// Tries of one write in one run. Between them the service is looked at.
  private static let mostTries = 3

  convenience init(_ access: ServiceAccess, _ way: WritingWay, _ settings: Settings) throws(ToolError) {
    let outbox = try Outbox(service: access.service, base: access.base, account: access.outboxAccount())
    try self.init(access, way, outbox, budget: ReadBudget(settings.budget, for: access), clock: .system)
  }

  init(
    _ access: ServiceAccess, _ way: WritingWay, _ outbox: consuming Outbox, budget: ReadBudget?, clock: WritingClock
  ) throws(ToolError) {
    self.access = access
    self.way = way
    self.clock = clock
    self.budget = budget
    self.outbox = outbox
    api = try access.writing()
    exchange = try Exchange(waits: way.waits)
  }

  /// The account that writes.
  func account() throws(ToolError) -> WritingAccount {
    if let known { return known }
    // Somebody else may have signed in under the same name since.
    if let stored = try outbox.knownAccount(), access.userID ?? stored.id == stored.id {
      known = stored
      return stored
    }
    let api = api
    let account = try counting(.users) { (account: WritingAccount) in
      [PostID.key(of: account.id)]
    } read: { () throws(ToolError) in
      try exchange.ask(api.accountRequest, refusal: api.refusal, read: api.account)
    }
    try outbox.remember(account)
    known = account
    return account
  }

  /// Checks that the sign-in allows an action, before anything is asked, queued or sent.
  func requireScopes(for action: WriteAction) throws(ToolError) {
    try access.require(api.scopes(for: action), for: "'\(action.name)'")
  }

  /// Carries out a write, unless that is done already.
  ///
  /// - Throws: why it could not be done now. It is then still in the outbox: queued if it was surely not done, else
  ///   unsettled.
  func carryOut(_ id: Int) throws(ToolError) -> Ending {
    var tries = 0
    while true {
      switch try step(id) {
      case .ended(let ending): return ending
      case .settling(let milliseconds, let reason):
        Exchange.note(milliseconds, reason)
        try clock.sleep(milliseconds)
      case .unanswered(let reason, let pause):
        tries += 1
        let message = "no answer came: \(reason)"
        guard Interruption.signal == nil, way.waits || tries < Self.mostTries else {
          throw .tryLater("\(message); 'tw-post flush' finds out whether it was done")
        }
        Diagnostics.note("\(message); \(pause > 0 ? "asking again" : "checking whether it was done")")
        if pause > 0 { try clock.sleep(pause) }
      case .retry(let milliseconds, let reason):
        tries += 1
        guard way.waits || tries < Self.mostTries else { throw .tryLater("\(reason); try again later") }
        Exchange.note(milliseconds, reason)
        try clock.sleep(milliseconds)
      }
    }
  }

  /// What one try came to. Nobody waits with the lock in hand.
  enum Step {
    case ended(Ending)
    /// Only after this many milliseconds can be seen what came of an earlier try.
    case settling(Int, String)
    case retry(after: Int, String)
    /// It may have been done.
    ///
    /// - Parameter milliseconds: before the same request is made again; 0 where it is looked for first.
    case unanswered(String, milliseconds: Int)
  }

  /// Milliseconds before a try that follows a failure.
  private static let pause = 1_000

  private func step(_ id: Int) throws(ToolError) -> Step {
    do throws(ToolError) {
      return try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in try advance(id) }
    } catch {
      guard way.waits, let budget, error == budget.usedUp else { throw error }
      return .settling(budget.wait, error.message ?? "")
    }
  }

  private func advance(_ id: Int) throws(ToolError) -> Step {
    guard let entry = try outbox.entry(id) else {
      throw .refused("write \(id) is not in the outbox any more: somebody has dropped it")
    }
    switch entry.state {
    case .done: return .ended(.done(id: entry.result))
    case .refused: return .ended(.refused(.refused(entry.note ?? "the service has refused it")))
    case .sending, .unsettled:
      // An edit that is made again is the same post.
      // A post whose time is over is looked for too, and not repeated.
      if case .post(let draft) = entry.action, draft.editOf == nil, !mayRepeat(draft) || isOver(entry) != nil {
        if draft.scheduledAt != nil {
          throw try unclear(id, "the account's posts do not show it before its time; its scheduled posts do")
        }
        let left = try timeToSettle(entry)
        // What is there now is found now; only what is not there may still come.
        let look = try settle(entry, draft)
        if case .found(let post, let facts) = look { return try finish(id, .done(id: post), facts) }
        if left > 0 { return .settling(left, "no answer came, and the post is not there yet; looking again") }
        if case .unclear(let reason) = look { throw try unclear(id, reason) }
      }
      try outbox.set(.queued, of: id, at: clock.now())
    case .queued: break
    }
    return try attempt(entry)
  }

  /// What a person can do about a post of which nobody can say whether it was made.
  private func unclear(_ id: Int, _ reason: String) throws(ToolError) -> ToolError {
    try outbox.setNote(id, reason)
    return .tryLater(
      "no answer came to write \(id), and it is not clear whether the post was made: \(reason); it is not sent again by "
        + "itself: 'tw-post outbox drop \(id)' if it was made, 'tw-post outbox retry \(id)' if not")
  }

  /// - Parameter facts: what the service has said of the post that was made.
  private func finish(_ id: Int, _ ending: Ending, _ facts: [String: String] = [:]) throws(ToolError) -> Step {
    finished.insert(id)
    switch ending {
    case .done(let result): try outbox.set(.done, of: id, at: clock.now(), result: result, facts: facts)
    case .refused(let error): try outbox.set(.refused, of: id, at: clock.now(), note: error.message)
    }
    return .ended(ending)
  }

  // MARK: Sending

  /// The time after which a write is not sent, if that is over.
  private func isOver(_ entry: Outbox.Entry) -> Timestamp? { entry.notAfter.flatMap { $0 < clock.now() ? $0 : nil } }

  private func attempt(_ entry: Outbox.Entry) throws(ToolError) -> Step {
    if let end = isOver(entry) {
      return try finish(entry.id, .refused(.refused("its time was over at \(LocalMoment.text(end))")))
    }
    try requireScopes(for: entry.action)
    let account = try account()
    var (action, parts) = (entry.action, WriteParts())
    // With what the service has said of its parts.
    var completed: PostDraft?
    switch entry.action {
    case .change(let change, let name):
      do throws(ToolError) {
        parts.target = change.isOfAccount ? try user(name).id : name
      } catch {
        // There is no such account; the others of a list are there.
        guard error.status == .refused else { throw error }
        return try finish(entry.id, .refused(error))
      }
      parts.key = api.lastingKey(at: entry.createdAt, number: entry.id)
    case .post(var draft):
      if !draft.files.isEmpty {
        if let error = try uploadFiles(&draft) { return try finish(entry.id, .refused(error)) }
        parts.media = draft.media.compactMap(\.upload?.id)
        completed = draft
      }
      let answered = try answered(by: entry, draft)
      if let before = entry.follows, answered == nil {
        try requireFinished(before)
        return try finish(entry.id, .refused(.refused("the post that it answers was not made")))
      }
      if draft.continues, draft.facts.isEmpty, let before = entry.follows,
        case .post(let first)? = try outbox.entry(before)?.action
      {
        draft.facts = api.facts(continuing: first.facts)
      }
      if draft.key == nil { draft.keyUntil = draft.keyMemory.map { keyEnd(after: $0) } }
      if draft.key == nil {
        draft.key = lastingKey()
        if draft.key == nil, api.takesKeys { draft.key = try Crypto.newToken() }
        if draft.key != nil { completed = draft }
        parts.isNewKey = true
      }
      (parts.key, parts.facts) = (draft.key, draft.facts)
      draft.replyTo = answered
      action = .post(draft)
    }
    switch try learn(before: action, parts, by: account) {
    case .learnt(let learnt): parts = learnt
    case .done: return try finish(entry.id, .done(id: nil))
    case .made(let post): return try finish(entry.id, .done(id: post))
    case .refused(let error): return try finish(entry.id, .refused(error))
    }
    // What an edit changes is looked at anew before each try, since it may be otherwise by then.
    if case .post(var sent) = action, case .post(let own) = entry.action, own.editOf == nil, sent.facts != parts.facts {
      sent.facts = parts.facts
      action = .post(sent)
      // What the post before it is called is known to that one's write.
      sent.replyTo = own.replyTo
      completed = sent
    }
    var request = api.request(action, parts, by: account)
    request.needsFreshConnection = true
    return try counting(action) { () throws(ToolError) in
      try outbox.setSending(entry.id, at: clock.now(), completed)
      return try send(request, action, entry)
    }
  }

  private func send(_ request: HTTPRequest, _ action: WriteAction, _ entry: Outbox.Entry) throws(ToolError) -> Step {
    switch try exchange.send(request) {
    case .failure(let error) where error.isUnsent:
      try outbox.set(.queued, of: entry.id, at: clock.now(), note: error.text)
      return try retry(after: .lost(error))
    case .failure(let error): return try unanswered(entry, error.text)
    case .success(let answer): return try read(answer, of: action, entry)
    }
  }

  private func read(_ answer: HTTPResponse, of action: WriteAction, _ entry: Outbox.Entry) throws(ToolError) -> Step {
    switch api.outcome(of: action, answer) {
    case .done(let result, let facts): return try finish(entry.id, .done(id: result), facts)
    case .refused(let error):
      guard case .change(.delete, let post) = action, [404, 410].contains(answer.status), try outbox.isResult(post)
      else {
        return try finish(entry.id, .refused(error))
      }
      // One's own post was deleted elsewhere.
      Diagnostics.note("\(access.service):\(post) was gone already")
      return try finish(entry.id, .done(id: nil))
    case .accountRefused(let error):
      try outbox.set(.queued, of: entry.id, at: clock.now(), note: error.message)
      throw error
    case .limited(let refusal):
      try outbox.set(.queued, of: entry.id, at: clock.now(), note: refusal.text)
      return try retry(after: .refused(refusal))
    case .unknown(let text):
      // Mastodon 4.6 had versions that fail on a key which they know (its issue 40399).
      if entry.attempts > 0 { try outbox.distrustKey(of: entry.id) }
      return try unanswered(entry, text)
    case .duplicate(let error):
      // The service has it since an earlier try of this write, if there was one.
      guard entry.attempts > 0, case .post(let draft) = action else { return try finish(entry.id, .refused(error)) }
      guard case .found(let post, let facts) = try look(for: draft, entry) else {
        return try finish(entry.id, .done(id: nil))
      }
      return try finish(entry.id, .done(id: post), facts)
    }
  }

  /// Records that no answer came.
  private func unanswered(_ entry: Outbox.Entry, _ text: String) throws(ToolError) -> Step {
    try outbox.setUnsettled(entry.id, endedAt: clock.now(), note: text)
    // A change and an edit are simply made again; a post is looked for.
    let isRepeated =
      switch try outbox.entry(entry.id)?.action {
      case .post(let draft)?: draft.editOf != nil || mayRepeat(draft)
      case .change?, nil: true
      }
    return .unanswered(text, milliseconds: isRepeated ? Self.pause : 0)
  }

  /// What to do after a failure that has surely changed nothing.
  private func retry(after failure: RetryPolicy.Failure) throws(ToolError) -> Step {
    var policy = RetryPolicy(way.waits ? .endless : .brief)
    switch policy.decide(failure, now: clock.now(), jitter: .random(in: 0..<1)) {
    case .stop(let error): throw error
    case .retry(let milliseconds, _): return .retry(after: max(Self.pause, milliseconds), failure.reason)
    }
  }

  /// The account of that name.
  func user(_ name: String) throws(ToolError) -> WritingAccount {
    if let user = users[name] { return user }
    let api = api
    var found = try user(api.userRequest(named: name), api.account)
    if found == nil, let request = api.userSearch(named: name) {
      found = try user(request) { api.account(named: name, in: $0) }
    }
    guard let found else { throw .refused("there is no account '\(name)'") }
    users[name] = found
    return found
  }

  private func user(
    _ request: HTTPRequest, _ read: (HTTPResponse) -> WritingAccount?
  ) throws(ToolError) -> WritingAccount? {
    let api = api
    return try counting(.users) { (found: WritingAccount?) in
      found.map { [PostID.key(of: $0.id)] } ?? []
    } read: { () throws(ToolError) -> WritingAccount? in
      try exchange.ask(request) { answer in
        if answer.isSuccess { return .answer(read(answer)) }
        return answer.status == 404 ? .answer(nil) : .refused(api.refusal(answer))
      }
    }
  }
}
