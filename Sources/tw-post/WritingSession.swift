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
  let budget: WriteBudget
  let uploads: MediaUploads
  /// The accounts that were followed or unfollowed, by name.
  private(set) var users: [String: WritingAccount] = [:]
  private var known: WritingAccount?
  /// The writes that this session has done, or that were refused to it.
  private(set) var finished: Set<Int> = []

  /// Tries of one write in one run. Between them the service is looked at.
  private static let mostTries = 3

  convenience init(_ access: ServiceAccess, _ way: WritingWay, _ settings: Settings) throws(ToolError) {
    try self.init(
      access, way, Outbox(of: Outbox.Owner(access)), budget: ReadBudget(settings.budget, for: access), clock: .system)
  }

  init(
    _ access: ServiceAccess, _ way: WritingWay, _ outbox: consuming Outbox, budget: ReadBudget?, clock: WritingClock
  ) throws(ToolError) {
    (self.access, self.way, self.clock) = (access, way, clock)
    self.budget = WriteBudget(budget, clock)
    api = try access.writing()
    exchange = try Exchange(waits: way.waits)
    uploads = MediaUploads(api, exchange, outbox.files, clock, service: access.service)
    self.outbox = outbox
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
    let account = try budget.counting(.users) { (account: WritingAccount) in
      [PostID.key(of: account.id)]
    } read: { () throws(ToolError) in
      try exchange.ask(api.accountRequest, refusal: api.refusal, read: api.account)
    }
    try outbox.remember(account)
    known = account
    return account
  }

  /// Removes the copies of files that are not needed any more. What was posted is posted even if that fails.
  func removeUnusedFiles() {
    do throws(ToolError) { try outbox.removeUnusedFiles() } catch { Diagnostics.report(error) }
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
      guard way.waits, let wait = budget.wait(after: error) else { throw error }
      return .settling(wait, error.message ?? "")
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
      if case .post(let draft) = try entry.action, draft.editOf == nil, !mayRepeat(draft) || isOver(entry) != nil {
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
  private func isOver(_ entry: OutboxEntry) -> Timestamp? { entry.notAfter.flatMap { $0 < clock.now() ? $0 : nil } }

  private func attempt(_ entry: OutboxEntry) throws(ToolError) -> Step {
    if let end = isOver(entry) {
      return try finish(entry.id, .refused(.refused("its time was over at \(LocalMoment.text(end))")))
    }
    let asked = try entry.action
    try requireScopes(for: asked)
    let account = try account()
    var (action, parts) = (asked, WriteParts())
    // With what the service has said of its parts.
    var completed: PostDraft?
    switch asked {
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
        if let error = try uploads.complete(&draft) { return try finish(entry.id, .refused(error)) }
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
    if case .post(var sent) = action, case .post(let own) = asked, own.editOf == nil, sent.facts != parts.facts {
      sent.facts = parts.facts
      action = .post(sent)
      // What the post before it is called is known to that one's write.
      sent.replyTo = own.replyTo
      completed = sent
    }
    var request = api.request(action, parts, by: account)
    request.needsFreshConnection = true
    return try budget.counting(api.billed(action)) { () throws(ToolError) in
      try outbox.setSending(entry.id, at: clock.now(), completed)
      return try send(request, action, entry)
    }
  }

  private func send(_ request: HTTPRequest, _ action: WriteAction, _ entry: OutboxEntry) throws(ToolError) -> Step {
    switch try exchange.send(request) {
    case .failure(let error) where error.isUnsent:
      try outbox.set(.queued, of: entry.id, at: clock.now(), note: error.text)
      return try retry(after: .lost(error))
    case .failure(let error): return try unanswered(entry, error.text)
    case .success(let answer): return try read(answer, of: action, entry)
    }
  }

  private func read(_ answer: HTTPResponse, of action: WriteAction, _ entry: OutboxEntry) throws(ToolError) -> Step {
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
  private func unanswered(_ entry: OutboxEntry, _ text: String) throws(ToolError) -> Step {
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
    return try budget.counting(.users) { (found: WritingAccount?) in
      found.map { [PostID.key(of: $0.id)] } ?? []
    } read: { () throws(ToolError) -> WritingAccount? in
      try exchange.ask(request) { answer in
        if answer.isSuccess { return .answer(read(answer)) }
        return answer.status == 404 ? .answer(nil) : .refused(api.refusal(answer))
      }
    }
  }

  // MARK: Posts whose answer never came

  /// How far the service's clock may differ from ours, in milliseconds.
  private static let clockError: Int64 = 600_000
  /// Own posts that are looked through: far more than a service takes in the minutes of an attempt. They may be billed.
  private static let mostPosts = 1_000

  /// Milliseconds until it can be seen what came of an attempt without an answer.
  func timeToSettle(_ entry: OutboxEntry) throws(ToolError) -> Int {
    let now = clock.now().milliseconds
    // If the program was killed, its request may have gone on until now, but no longer than any may take. If the clock
    // was set back since, nobody knows when it ended.
    let end = min(now, entry.endedAt?.milliseconds ?? entry.attemptedAt.milliseconds + Int64(api.longestRequest))
    if entry.endedAt?.milliseconds != end {
      try outbox.setUnsettled(
        entry.id, endedAt: Timestamp(milliseconds: end), note: entry.note ?? "the program was ended")
    }
    return api.settlingTime - Int(min(now - end, Int64(api.settlingTime)))
  }

  /// The id of the post that an entry's post answers: the one before it in its thread, or the one the draft names.
  ///
  /// - Returns: `nil` if there is none, or if the one before it was not made.
  func answered(by entry: OutboxEntry, _ draft: PostDraft) throws(ToolError) -> String? {
    guard let before = entry.follows else { return draft.replyTo }
    return try outbox.entry(before)?.result
  }

  /// Checks that a write is not still to be made: what answers its post has to wait.
  func requireFinished(_ id: Int) throws(ToolError) {
    switch try outbox.entry(id)?.state {
    case .queued, .sending, .unsettled: throw .tryLater("the post that it answers, write \(id), is not made yet")
    case .done, .refused, nil: break
    }
  }

  /// Whether the request of a post may be made again, whatever came of it before: its key is known to the service for
  /// ever, or is still.
  func mayRepeat(_ draft: PostDraft) -> Bool {
    guard draft.key != nil else { return false }
    if lastingKey() != nil { return true }
    guard let memory = draft.keyMemory, let end = draft.keyUntil else { return false }
    // More is left than there ever was if the clock was set back.
    let left = end.milliseconds - clock.now().milliseconds
    return left > 0 && left <= memory
  }

  /// Until when a server that remembers keys for some milliseconds surely has one that is made now: the last request
  /// may be on its way for long.
  func keyEnd(after memory: Int) -> Timestamp {
    Timestamp(milliseconds: clock.now().milliseconds + Int64(max(0, memory - 2 * api.longestRequest)))
  }

  /// A key for a post that is made now.
  func lastingKey() -> String? { api.lastingKey(at: clock.now(), number: .random(in: 0..<1_000_000)) }

  /// Asks for all that the request of an action must have.
  func learn(
    before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) throws(ToolError) -> WriteAnswer {
    var parts = parts
    while let request = api.question(before: action, parts, by: account) {
      let (api, known) = (api, parts)
      let answer = try budget.counting(.posts) { (_: WriteAnswer) in
        [nil]
      } read: { () throws(ToolError) in
        try exchange.askForAny(request, refusal: api.refusal) {
          api.learn(from: $0, before: action, known, by: account)
        }
      }
      guard case .learnt(let learnt) = answer, learnt != known else { return answer }
      parts = learnt
    }
    return .learnt(parts)
  }

  /// A draft with what is known of the post that it answers or quotes, where that decides what it is like.
  func prepared(_ draft: PostDraft) throws(ToolError) -> PostDraft {
    guard api.asksBeforehand, draft.replyTo != nil || draft.quoteOf != nil else { return draft }
    var draft = draft
    do throws(ToolError) {
      switch try learn(before: .post(draft), WriteParts(), by: account()) {
      case .learnt(let parts): draft.facts = parts.facts
      case .refused(let error): throw error
      case .done, .made: break
      }
    } catch {
      // It is asked again before it is sent.
      guard way.isLater || way.isDryRun, error.status == .tryLater, Interruption.signal == nil else { throw error }
    }
    return draft
  }

  /// What a look at the account's own posts says of one whose answer never came.
  enum Look: Equatable {
    /// - Parameters:
    ///   - id: of the post that was made.
    ///   - facts: what the service says of it.
    case found(String, facts: [String: String])
    case absent
    /// Nobody can say; the text says why.
    case unclear(String)
  }

  /// Finds out what became of a post whose answer never came.
  func settle(_ entry: OutboxEntry, _ draft: PostDraft) throws(ToolError) -> Look {
    var draft = draft
    draft.replyTo = try answered(by: entry, draft)
    return try look(for: draft, entry)
  }

  /// Looks for a post among those that the account made at about the time of the attempt.
  func look(for draft: PostDraft, _ entry: OutboxEntry) throws(ToolError) -> Look {
    let account = try account()
    var range = PageRange()
    let since = entry.attemptedAt.milliseconds - Self.clockError
    range.since = Timestamp(milliseconds: since)
    let end = entry.endedAt?.milliseconds ?? entry.attemptedAt.milliseconds + Int64(api.longestRequest)
    let until = end + Int64(api.settlingTime) + Self.clockError
    // Services refuse times to come, by their own clock.
    if until < clock.now().milliseconds - Self.clockError { range.until = Timestamp(milliseconds: until) }
    var doubt: String?
    var seen = 0
    while seen < Self.mostPosts {
      // Few are made in the minutes that are looked through.
      range.size = seen == 0 ? 20 : 100
      let page = try ownPosts(of: account, range)
      for post in page.posts where post.createdAt.map({ $0.milliseconds >= since }) ?? true {
        let likeness = post.likeness(to: draft)
        guard likeness > .different, try !outbox.isResult(post.id) else { continue }
        if likeness == .same { return .found(post.id, facts: post.facts) }
        doubt = doubt ?? "post \(post.id) may be it"
      }
      seen += max(1, page.posts.count)
      // Not every service knows the bounds.
      let isOlder = page.posts.last?.createdAt.map { $0.milliseconds < since } ?? false
      guard let token = page.nextToken, !isOlder else { return doubt.map { .unclear($0) } ?? .absent }
      range.token = token
    }
    return .unclear(doubt ?? "the account has made more than \(Self.mostPosts) posts since")
  }

  private func ownPosts(of account: WritingAccount, _ range: PageRange) throws(ToolError) -> OwnPosts {
    let api = api
    let request = api.ownPosts(of: account, range)
    return try budget.counting(access.ownsApp ? .owned : .posts, range.size) { (page: OwnPosts) in
      page.posts.map { PostID.key(of: $0.id) }
    } read: { () throws(ToolError) in
      try exchange.ask(request, refusal: api.refusal, read: api.ownPosts)
    }
  }
}
