import TweetCLI
import TweetCore
import TweetServices
import TweetSources

/// Posts whose answer never came.
extension WritingSession {
  /// How far the service's clock may differ from ours, in milliseconds.
  private static let clockError: Int64 = 600_000
  /// Pages of own posts that are looked through.
  private static let mostPages = 5

  /// Milliseconds until it can be seen what came of an attempt without an answer.
  func timeToSettle(_ entry: Outbox.Entry) throws(ToolError) -> Int {
    let now = clock.now().milliseconds
    // If the program was killed, its request may have gone on until now, but no longer than any may take. If the clock was
    // set back since, nobody knows when it ended.
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

  /// Finds out what became of a post whose answer never came.
  ///
  /// - Returns: the id of the post; `nil` if it was not made.
  func settle(_ entry: Outbox.Entry, _ draft: PostDraft) throws(ToolError) -> String? {
    var draft = draft
    draft.replyTo = try answered(by: entry, draft)
    return try look(for: draft, since: entry.attemptedAt)
  }

  /// Looks for a post among the account's own.
  ///
  /// - Returns: its id; `nil` if it is not there.
  func look(for draft: PostDraft, since: Timestamp) throws(ToolError) -> String? {
    let account = try account()
    let since = Timestamp(milliseconds: since.milliseconds - Self.clockError)
    var token: String?
    for _ in 0..<Self.mostPages {
      let api = api
      let request = api.ownPosts(of: account, since: since, token: token)
      let page = try countingReads(api.ownPostsSize) { (page: OwnPosts) in
        page.posts.map { UInt64($0.id) }
      } read: { () throws(ToolError) in
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

/// Reads that a service bills.
extension WritingSession {
  /// Milliseconds between two looks at what other programs gave back to the budget, and how often that is looked at.
  private static let interval = 250
  private static let mostLooks = 40

  /// Reserves posts in the ledger of billed reads, reads them, and records what came.
  ///
  /// - Parameters:
  ///   - posts: how many may come at most.
  ///   - ids: of the posts in an answer; `nil` for one without a number.
  /// - Throws: the budget's `usedUp` if it has no room for them.
  func countingReads<Answer>(
    _ posts: Int, ids: (Answer) -> [UInt64?], read: () throws(ToolError) -> Answer
  ) throws(ToolError) -> Answer {
    guard let budget else { return try read() }
    if !hasOpenedBudget, let text = try budget.open() { Diagnostics.note(text) }
    hasOpenedBudget = true
    let reservation = try reserve(posts, budget)
    do throws(ToolError) {
      let answer = try read()
      try budget.settle(reservation, read: ids(answer))
      return answer
    } catch {
      try budget.settle(reservation, read: [])
      throw error
    }
  }

  private func reserve(_ posts: Int, _ budget: ReadBudget) throws(ToolError) -> ReadLedger.Reservation {
    for _ in 0..<Self.mostLooks {
      switch try budget.reserve(posts...posts) {
      case .granted(let reservation): return reservation
      case .reservedByOthers: try clock.sleep(Self.interval)
      case .usedUp: throw budget.usedUp
      }
    }
    throw budget.usedUp
  }
}
