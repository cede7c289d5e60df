import TweetCLI
import TweetCore
import TweetServices

/// The last post of all accounts, or of those that a command names, or one before it.
struct LastPost {
  let post: OutboxEntry
  private let named: CrossTarget?
  private let accounts: CrossTargets

  /// - Parameters:
  ///   - number: 1 for the last one, 2 for the one before it.
  ///   - wanted: the accounts that `--to` names; `nil` for the one that `--account` names, or for all.
  /// - Returns: `nil` if there is none.
  init?(
    _ number: Int = 1, of wanted: [CrossTarget]?, _ accounts: CrossTargets, _ outbox: borrowing Outbox
  ) throws(ToolError) {
    var meant = wanted
    if meant == nil, let account = accounts.options.identity.account {
      meant = [try CrossTarget(accounts.access(account))]
    }
    guard let post = try outbox.lastPost(number, of: meant?.map(\.owner)) else { return nil }
    var named: CrossTarget?
    for target in meant ?? [] where try outbox.isSameUser(target.owner, post.owner) { named = target }
    (self.post, self.named, self.accounts) = (post, named, accounts)
  }

  /// Whose it is.
  func target() throws(ToolError) -> CrossTarget {
    if let named { return named }
    return try accounts.target(of: post.owner)
  }
}

/// Takes the last post back, or the thread or the copies that were posted last: what waits is removed from the outbox,
/// what was posted is deleted.
struct UndoRun {
  let accounts: CrossTargets
  /// The accounts that `--to` names; `nil` without it.
  let wanted: [CrossTarget]?
  let way: WritingWay

  /// - Parameter words: none, or which post is meant.
  func run(_ words: [String]) throws(ToolError) -> ExitStatus {
    guard words.count < 2, let number = words.first.map({ Int($0) }) ?? 1, number > 0 else {
      throw .usage("'undo' takes nothing, or a number: 2 for the second last post")
    }
    let outbox = try Outbox()
    guard let last = try LastPost(number, of: wanted, accounts, outbox) else {
      let which = (number > 1 ? "such post" : "post") + (wanted == nil ? "" : " at these accounts")
      throw .noInput("there is nothing to take back: the outbox has no \(which) of the last 90 days")
    }
    // The copies of a crosspost that can be taken back say themselves who cannot.
    if let group = last.post.group {
      return try GroupRemoval(outbox.copies(of: group), at: wanted, accounts, way, verb: "undo").run()
    }
    let target = try last.target()
    guard wanted?.count ?? 1 == 1 else {
      throw .usage("the last post at \(target.name) is by itself: name that alone")
    }
    return try takeBack(last.post.id, target)
  }

  /// - Parameter id: the write of the post, or of one of its thread.
  private func takeBack(_ id: Int, _ target: CrossTarget) throws(ToolError) -> ExitStatus {
    let outbox = try Outbox(of: target.owner)
    let access = target.access
    let posts = try outbox.lastPosts(of: id)
    guard let last = posts.last else {
      throw .noInput("there is nothing to take back: the outbox has no post of this account of the last 90 days")
    }
    if let open = posts.first(where: \.isOpen) {
      throw .tryLater("nobody knows yet whether write \(open.id) was made: 'tw-post flush' finds out")
    }
    let waiting = posts.filter { $0.state == .queued }.map(\.id)
    let made = posts.filter { $0.deletion == nil }.compactMap(\.result)
    let gone = posts.compactMap(\.deletion)
    guard waiting.count + made.count + gone.count == posts.count else {
      throw .noInput("the service has not said which post write \(last.id) is: delete it there")
    }
    if !way.isDryRun, !way.needsNoQuestion {
      let count = posts.count == 1 ? "" : "the \(posts.count) posts of the thread "
      let text = Printable.line(try outbox.textNow(of: last), limit: 60)
      let known = try outbox.knownAccount()?.username
      let place = access.service + ((access.account ?? known).map { ":\($0)" } ?? "")
      let verb = waiting.count == posts.count ? "drop" : "delete"
      let question = "\(verb) \(count)'\(text)' at \(place), of \(LocalMoment.text(last.createdAt))?"
      guard try way.mayChange(question) else { return .done }
    }
    if way.isDryRun {
      var output = RecordWriter()
      for id in waiting { output.buffer.append("drop write \(id)\n") }
      try output.flush()
    } else {
      try outbox.drop(waiting, again: "'tw-post undo'")
      try report(gone, access)
    }
    if made.isEmpty { return .done }
    var way = way
    way.needsNoQuestion = true
    return try ChangeRun(.delete, access, way, accounts.settings).run(made)
  }

  /// Prints the deletions that were done and cut off.
  private func report(_ ids: [Int], _ access: ServiceAccess) throws(ToolError) {
    if ids.isEmpty { return }
    var records = WrittenRecords(try WritingSession(access, way, accounts.settings))
    for id in ids { try records.report(id) }
  }
}
