import TweetCLI
import TweetCore
import TweetServices

/// Takes the last post back, or the thread that was posted last: what waits is removed from the outbox, what was posted
/// is deleted.
struct UndoRun {
  private let access: ServiceAccess
  private let way: WritingWay
  private let settings: Settings
  /// The write of the post, or of one of its thread.
  private let id: Int

  init(_ id: Int, _ access: ServiceAccess, _ way: WritingWay, _ settings: Settings) {
    (self.id, self.access, self.way, self.settings) = (id, access, way, settings)
  }

  func run() throws(ToolError) -> ExitStatus {
    let outbox = try Outbox(service: access.service, base: access.base, account: access.outboxAccount())
    let posts = try outbox.lastPosts(of: id)
    guard let last = posts.last else {
      throw .noInput("there is nothing to take back: the outbox has no post of this account of the last 90 days")
    }
    let known = try outbox.knownAccount()?.username
    let who = access.account ?? known
    if let open = posts.first(where: { $0.state == .sending || $0.state == .unsettled }) {
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
      let text = Printable.line(try outbox.textNow(ofPost: last.result, outbox.owner, last.text), limit: 60)
      let place = access.service + (who.map { ":\($0)" } ?? "")
      let verb = waiting.count == posts.count ? "drop" : "delete"
      guard try Question.ask("\(verb) \(count)'\(text)' at \(place), of \(LocalMoment.text(rfc3339: last.createdAt))?")
      else {
        Diagnostics.note("nothing was changed")
        return .done
      }
    }
    if way.isDryRun {
      var output = RecordWriter()
      for id in waiting { output.buffer.append("drop write \(id)\n") }
      try output.flush()
    } else {
      try outbox.drop(waiting, again: "'tw-post undo'")
      try report(gone)
    }
    if made.isEmpty { return .done }
    var way = way
    way.needsNoQuestion = true
    return try ChangeRun(.delete, access, way, settings).run(made)
  }

  /// Prints the deletions that were done and cut off.
  private func report(_ ids: [Int]) throws(ToolError) {
    if ids.isEmpty { return }
    let session = try WritingSession(access, way, settings)
    var records = WrittenRecords(access)
    for id in ids { try session.report(id, to: &records) }
  }
}
