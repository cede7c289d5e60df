import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Posts whose answer never came.
extension WritingSession {
  /// How far the service's clock may differ from ours, in milliseconds.
  private static let clockError: Int64 = 600_000
  /// Own posts that are looked through: far more than a service takes in the minutes of an attempt. They may be billed.
  private static let mostPosts = 1_000

  /// Milliseconds until it can be seen what came of an attempt without an answer.
  func timeToSettle(_ entry: Outbox.Entry) throws(ToolError) -> Int {
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
  func answered(by entry: Outbox.Entry, _ draft: PostDraft) throws(ToolError) -> String? {
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
      let answer = try counting(.posts) { (_: WriteAnswer) in
        [nil]
      } read: { () throws(ToolError) in
        try exchange.ask(request) { answer in
          if let learnt = api.learn(from: answer, before: action, known, by: account) { return .answer(learnt) }
          return answer.isSuccess
            ? .unreadable("the service's answer is not what was asked for") : .refused(api.refusal(answer))
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
  func settle(_ entry: Outbox.Entry, _ draft: PostDraft) throws(ToolError) -> Look {
    var draft = draft
    draft.replyTo = try answered(by: entry, draft)
    return try look(for: draft, entry)
  }

  /// Looks for a post among those that the account made at about the time of the attempt.
  func look(for draft: PostDraft, _ entry: Outbox.Entry) throws(ToolError) -> Look {
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
    return try counting(access.ownsApp ? .owned : .posts, range.size) { (page: OwnPosts) in
      page.posts.map { PostID.key(of: $0.id) }
    } read: { () throws(ToolError) in
      try exchange.ask(request, refusal: api.refusal, read: api.ownPosts)
    }
  }
}
