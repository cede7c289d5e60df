import TweetCLI
import TweetCore
import TweetNet
import TweetServices
import TweetSources

/// Carries out the writes of the outbox at one service, one at a time, and never one twice.
///
/// A write is marked on disk before its request is made. One whose answer never came is looked for at the service before it
/// is tried again. All of that happens under a lock, so a mark that is found belongs to a process that was killed.
final class WritingSession {
  /// What became of a write.
  enum Ending {
    /// - Parameter id: of the post that was made, where that is known.
    case done(id: String?)
    case refused(ToolError)
  }

  let access: ServiceAccess
  let api: any WriteAPI
  let way: WritingWay
  let outbox: Outbox
  let exchange: Exchange
  /// The accounts that were followed or unfollowed, by name.
  private(set) var users: [String: WritingAccount] = [:]
  private var known: WritingAccount?
  /// The ids of files that were uploaded, by their paths.
  var uploads: [String: String] = [:]

  /// Tries of one write in one run. Between them the service is looked at.
  private static let mostTries = 3
  /// How far the service's clock may differ from ours, in milliseconds.
  private static let clockError: Int64 = 600_000
  /// Pages of own posts that are looked through.
  private static let mostPages = 5

  init(_ access: ServiceAccess, _ way: WritingWay) throws(ToolError) {
    self.access = access
    self.way = way
    api = access.writing
    outbox = try Outbox(
      service: access.service, base: access.base, account: access.ledgerAccount)
    exchange = try Exchange(waits: way.waits)
  }

  /// The account that writes.
  func account() throws(ToolError) -> WritingAccount {
    if let known { return known }
    if let stored = try outbox.knownAccount() {
      known = stored
      return stored
    }
    let api = api
    let account = try exchange.ask(api.accountRequest, refusal: api.refusal, read: api.account)
    try outbox.remember(account)
    known = account
    return account
  }

  /// Carries out a write, unless that is done already.
  ///
  /// - Throws: why it could not be done now. It is then still in the outbox: queued if it was surely not done, else
  ///   unsettled.
  func carryOut(_ id: Int) throws(ToolError) -> Ending {
    var tries = 0
    while true {
      let step = try FileLock.hold(Outbox.lockPath) { (_) throws(ToolError) in try advance(id) }
      switch step {
      case .ended(let ending): return ending
      case .unanswered(let reason, let pause):
        tries += 1
        let message = "no answer came: \(reason)"
        guard Interruption.signal == nil, way.waits || tries < Self.mostTries else {
          throw .tryLater("\(message); 'tw-post flush' looks whether it was done")
        }
        Diagnostics.note("\(message); looking whether it was done")
        try Exchange.sleep(pause)
      case .retry(let milliseconds, let reason):
        tries += 1
        guard way.waits || tries < Self.mostTries else { throw .tryLater("\(reason); try again later") }
        Exchange.note(milliseconds, reason)
        try Exchange.sleep(milliseconds)
      }
    }
  }

  /// What one try came to.
  private enum Step {
    case ended(Ending)
    case retry(after: Int, String)
    /// It may have been done. Only after that time can be seen whether it was.
    case unanswered(String, milliseconds: Int)
  }

  /// Milliseconds before a try that follows a failure.
  private static let pause = 1_000

  private func advance(_ id: Int) throws(ToolError) -> Step {
    guard let entry = try outbox.entry(id) else {
      throw .refused("write \(id) is not in the outbox any more: somebody has dropped it")
    }
    switch entry.state {
    case .done: return .ended(.done(id: entry.result))
    case .refused: return .ended(.refused(.refused(entry.note ?? "the service has refused it")))
    case .sending, .unsettled:
      if case .post(let draft) = entry.action {
        if entry.state == .sending { try outbox.set(.unsettled, of: id, note: "the program was ended") }
        if let found = try settle(entry, draft) { return try finish(id, .done(id: found)) }
      }
      try outbox.set(.queued, of: id)
    case .queued: break
    }
    return try attempt(entry)
  }

  private func finish(_ id: Int, _ ending: Ending) throws(ToolError) -> Step {
    switch ending {
    case .done(let result): try outbox.set(.done, of: id, result: result)
    case .refused(let error): try outbox.set(.refused, of: id, note: error.message)
    }
    return .ended(ending)
  }

  // MARK: Sending

  private func attempt(_ entry: Outbox.Entry) throws(ToolError) -> Step {
    try access.require(api.scopes(for: entry.action), for: "'\(entry.action.name)'")
    let account = try account()
    var action = entry.action
    if case .post(var draft) = action, let before = entry.follows {
      guard let answered = try outbox.entry(before)?.result else {
        let reason = "the post that it answers was not made"
        return try finish(entry.id, .refused(.refused(reason)))
      }
      draft.replyTo = answered
      action = .post(draft)
    }
    var target = ""
    if case .change(let change, let name) = action { target = change.isOfAccount ? try user(name).id : name }
    var media: [String] = []
    if case .post(let draft) = action { media = try upload(draft.media) }
    var request = api.request(action, target: target, media: media, by: account)
    request.needsFreshConnection = true
    try outbox.setSending(entry.id)
    switch try exchange.send(request) {
    case .failure(let error) where error.isUnsent:
      try outbox.set(.queued, of: entry.id, note: error.text)
      return try retry(after: .lost(error))
    case .failure(let error): return try unanswered(entry, error.text)
    case .success(let answer): return try read(answer, of: action, entry)
    }
  }

  private func read(_ answer: HTTPResponse, of action: WriteAction, _ entry: Outbox.Entry) throws(ToolError) -> Step {
    switch api.outcome(of: action, answer) {
    case .done(let result): return try finish(entry.id, .done(id: result))
    case .refused(let error): return try finish(entry.id, .refused(error))
    case .accountRefused(let error):
      try outbox.set(.queued, of: entry.id, note: error.message)
      throw error
    case .limited(let refusal):
      try outbox.set(.queued, of: entry.id, note: refusal.text)
      return try retry(after: .refused(refusal))
    case .unknown(let text): return try unanswered(entry, text)
    case .duplicate(let error):
      // The service has it since an earlier try of this write, if there was one.
      guard entry.attempts > 0, case .post(let draft) = action else { return try finish(entry.id, .refused(error)) }
      return try finish(entry.id, .done(id: look(for: draft, since: entry.attemptedAt)))
    }
  }

  /// Records that no answer came.
  private func unanswered(_ entry: Outbox.Entry, _ text: String) throws(ToolError) -> Step {
    try outbox.set(.unsettled, of: entry.id, note: text)
    // A change is simply made again.
    if case .change = entry.action { return .unanswered(text, milliseconds: Self.pause) }
    return .unanswered(text, milliseconds: api.settlingTime)
  }

  /// What to do after a failure that has surely changed nothing.
  private func retry(after failure: RetryPolicy.Failure) throws(ToolError) -> Step {
    var policy = RetryPolicy(way.waits ? .endless : .brief)
    switch policy.decide(failure, now: .now, jitter: .random(in: 0..<1)) {
    case .stop(let error): throw error
    case .retry(let milliseconds, _): return .retry(after: max(Self.pause, milliseconds), failure.reason)
    }
  }

  /// The account of that name.
  func user(_ name: String) throws(ToolError) -> WritingAccount {
    if let user = users[name] { return user }
    let api = api
    let found: WritingAccount? = try exchange.ask(api.userRequest(named: name)) { answer in
      if let user = api.account(in: answer), answer.isSuccess { return .answer(user) }
      return answer.isSuccess || answer.status == 404 ? .answer(nil) : .refused(api.refusal(answer))
    }
    guard let found else { throw .refused("there is no account '\(name)'") }
    users[name] = found
    return found
  }

  // MARK: Settling

  /// Finds out what became of a post whose answer never came.
  ///
  /// - Returns: the id of the post; `nil` if it was not made.
  private func settle(_ entry: Outbox.Entry, _ draft: PostDraft) throws(ToolError) -> String? {
    let since = Timestamp.now.milliseconds - entry.attemptedAt.milliseconds
    let left = min(Int64(api.settlingTime), Int64(api.settlingTime) - since)
    if left > 0 {
      Exchange.note(Int(left), "no answer came; looking whether the post was made")
      try Exchange.sleep(Int(left))
    }
    var draft = draft
    if let before = entry.follows { draft.replyTo = try outbox.entry(before)?.result }
    return try look(for: draft, since: entry.attemptedAt)
  }

  /// Counts the posts of a page in the ledger of billed reads, which must have room for a whole one.
  private func countingReads(_ read: () throws(ToolError) -> OwnPosts) throws(ToolError) -> OwnPosts {
    guard let budget = ReadBudget(nil, for: access) else { return try read() }
    guard case .granted(let reservation) = try budget.reserve(1...api.ownPostsSize) else { throw budget.usedUp }
    do throws(ToolError) {
      let page = try read()
      try budget.settle(reservation, read: page.posts.map { UInt64($0.id) })
      return page
    } catch {
      try budget.settle(reservation, read: [])
      throw error
    }
  }

  private func look(for draft: PostDraft, since: Timestamp) throws(ToolError) -> String? {
    let account = try account()
    let since = Timestamp(milliseconds: since.milliseconds - Self.clockError)
    var token: String?
    for _ in 0..<Self.mostPages {
      let api = api
      let request = api.ownPosts(of: account, since: since, token: token)
      let page: OwnPosts = try countingReads { () throws(ToolError) in
        try exchange.ask(request, refusal: api.refusal, read: api.ownPosts)
      }
      for post in page.posts where post.isMade(from: draft) {
        if try !outbox.isResult(post.id) { return post.id }
      }
      token = page.nextToken
      if token == nil { break }
    }
    return nil
  }
}
