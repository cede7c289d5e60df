import TweetCLI
import TweetCore
import TweetServices

/// Takes copies of a post back: those that were posted are deleted, those that wait are removed from the outbox.
struct GroupRemoval {
  private typealias Account = (target: CrossTarget, copies: [OutboxEntry])

  /// Of one group or more, newest first.
  let copies: [OutboxEntry]
  /// Copies that were refused: nobody shall send them again once the others are gone.
  let refused: [Int]
  let targets: CrossTargets
  let way: WritingWay
  /// What the person has asked for: `delete` or `undo`.
  let verb: String
  /// Whether the person may have named another post than was meant.
  let isRisky: Bool

  /// - Parameters:
  ///   - all: copies of a post.
  ///   - wanted: the accounts whose copies alone are meant; `nil` for all.
  init(
    _ all: [OutboxEntry], at wanted: [CrossTarget]?, _ targets: CrossTargets, _ way: WritingWay, verb: String,
    isRisky: Bool = false
  ) throws(ToolError) {
    let asked = all.filter { copy in
      copy.draft != nil && wanted.map { $0.contains { $0.owner == copy.owner } } ?? true
    }
    let meant = asked.filter { $0.state != .refused }
    if let missing = wanted?.first(where: { target in !meant.contains { $0.owner == target.owner } }) {
      throw .usage("the post has no copy at \(missing.name)")
    }
    copies = meant.filter { !$0.isGone }.sorted { $0.id > $1.id }
    refused = asked.filter { $0.state == .refused }.map(\.id)
    (self.targets, self.way, self.verb, self.isRisky) = (targets, way, verb, isRisky)
  }

  func run() throws(ToolError) -> ExitStatus {
    guard let last = copies.last else { throw .noInput("all copies of the post are deleted already") }
    if let open = copies.first(where: \.isOpen) {
      throw .tryLater("nobody knows yet whether write \(open.id) was made: 'tw-post flush' finds out")
    }
    if let unnamed = copies.first(where: { $0.state == .done && $0.result == nil }) {
      throw .noInput(
        "\(unnamed.owner.service) has not said which post write \(unnamed.id) is: delete it there, and the others with --to"
      )
    }
    // Whoever is not signed in any more is told of before anything is gone.
    var accounts: [Account] = []
    for copy in copies {
      if let index = accounts.firstIndex(where: { $0.target.owner == copy.owner }) {
        accounts[index].copies.append(copy)
      } else {
        accounts.append((try targets.target(of: copy.owner), [copy]))
      }
    }
    for (target, _) in accounts {
      try target.access.require(target.access.writing().scopes(for: .change(.delete, "")), for: "'delete'")
    }
    if way.isDryRun { return try print(accounts) }
    let names = accounts.map(\.target.name).joined(separator: ", ")
    if !way.needsNoQuestion, isRisky || copies.count > 1 || verb == "undo" {
      let text = Printable.line(try Outbox().textNow(of: last), limit: 60)
      let count = copies.count == 1 ? "one post" : "\(copies.count) posts"
      let question = "\(verb) \(count) '\(text)' at \(names), of \(LocalMoment.text(last.createdAt))?"
      guard try way.mayChange(question) else { return .done }
    }
    return try remove(accounts)
  }

  private func remove(_ accounts: [Account]) throws(ToolError) -> ExitStatus {
    var sessions: [WritingSession] = []
    for account in accounts { sessions.append(try WritingSession(account.target.access, way, targets.settings)) }
    guard let first = sessions.first else { return .done }
    try first.outbox.drop(copies.filter { $0.state == .queued }.map(\.id), again: "the same command")
    try first.outbox.drop(refused)
    // Those that were deleted before somebody was killed are only reported.
    let batches = accounts.map { target, copies in
      let ids = copies.compactMap { $0.deletion == nil ? $0.result : nil }
      return Outbox.Batch(
        owner: target.owner, actions: ids.map { .change(.delete, $0) },
        command: "delete\n" + ids.joined(separator: "\n"))
    }.filter { !$0.actions.isEmpty }
    let added =
      batches.isEmpty
      ? [] : try first.outbox.add(batches, isNew: way.isLater, due: way.dueAt, notAfter: way.notAfter).ids
    if way.isLater {
      Diagnostics.note("\(added.joined().count) in the outbox; 'tw-post flush' sends them\(way.dueWords)")
      return .done
    }
    let new = Dictionary(zip(batches.map(\.owner), added)) { $0 + $1 }
    let parts = zip(accounts, sessions).map { account, session in
      GroupRun.Part(
        target: account.target, session: session,
        ids: account.copies.compactMap(\.deletion) + (new[account.target.owner] ?? []))
    }
    return try GroupRun(parts: parts.filter { !$0.ids.isEmpty }).run()
  }

  private func print(_ accounts: [Account]) throws(ToolError) -> ExitStatus {
    var output = RecordWriter()
    for (target, copies) in accounts {
      for copy in copies {
        let what = copy.address ?? copy.result ?? "write \(copy.id)"
        let words = "\(target.name): \(copy.state == .queued ? "drop write \(copy.id)" : "delete \(what)")"
        output.buffer.append(Printable.line(words, limit: .max))
        try output.endLine()
      }
    }
    try output.flush()
    return .done
  }
}
