import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Changes what is there: likes, retweets, bookmarks, deletes, follows. Those that are read from standard input are
/// changed once: a list that was cut off can be given again.
struct ChangeRun {
  private struct Target {
    let name: String
    /// The record that named it.
    var record: [UInt8]?
    /// How a person knows it who named it by its number.
    var label: String?
  }

  private let change: PostChange
  private let access: ServiceAccess
  private let way: WritingWay
  private let settings: Settings
  private let labels: [String: String]

  /// Far more than a service allows in a day.
  private static let mostTargets = 10_000

  /// - Parameter labels: how a person knows what is named by numbers, by the operands in their place.
  init(
    _ change: PostChange, _ access: ServiceAccess, _ way: WritingWay, _ settings: Settings,
    labels: [String: String] = [:]
  ) {
    self.labels = labels
    self.change = change
    self.access = access
    self.way = way
    self.settings = settings
  }

  func run(_ operands: [String]) throws(ToolError) -> ExitStatus {
    let isList = operands.isEmpty || operands == ["-"]
    if operands.isEmpty, isatty(0) == 1 {
      throw .usage("'\(change.rawValue)' needs a \(change.isOfAccount ? "name" : "tweet"), or a list on standard input")
    }
    let (named, bad) = try targets(operands, isList)
    let session = try WritingSession(access, way, settings)
    try session.requireScopes(for: .change(change, ""))
    var wanted: [Target] = []
    for target in named {
      if isList, try session.outbox.isDone(change, target.name) { continue }
      wanted.append(target)
    }
    let before = named.count - wanted.count
    if before > 0 { Diagnostics.note("\(before) of \(named.count) were done before") }
    let status: ExitStatus = bad > 0 ? .someBad : .done
    if wanted.isEmpty { return status }
    if way.isDryRun { return try print(wanted, session) }
    // A number is soon mistyped, and a tweet that is deleted does not come back.
    let isRisky = change == .delete && wanted.contains { $0.label != nil }
    if wanted.count > 1 || isRisky, !way.needsNoQuestion {
      guard try Question.ask("\(change.rawValue) \(wanted.count) as @\(session.account().username)?") else {
        Diagnostics.note("nothing was changed")
        return .done
      }
    }
    let ids = try session.outbox.add(wanted.map { .change(change, $0.name) }, command: "", due: way.dueAt)
    if way.isLater {
      Diagnostics.note("\(ids.count) in the outbox; 'tw-post flush' sends them\(way.dueWords)")
      return status
    }
    let allDone = try carryOut(wanted, ids, session)
    return allDone ? status : .someBad
  }

  /// - Returns: whether all are done.
  private func carryOut(_ targets: [Target], _ ids: [Int], _ session: WritingSession) throws(ToolError) -> Bool {
    var records = WrittenRecords(access)
    var allDone = true
    for (index, id) in ids.enumerated() {
      do throws(ToolError) {
        switch try session.carryOut(id) {
        case .done:
          try session.report(id, record: targets[index].record, label: targets[index].label, to: &records)
        case .refused(let error):
          try session.outbox.setReported(id)
          // What one post is refused for, others may not be; but what the account may not do, it may never.
          guard ids.count > 1, error.status != .notAllowed else { throw error }
          Diagnostics.warn("\(targets[index].name): \(error.message ?? "")")
          allDone = false
        }
      } catch {
        try session.outbox.removeQueued(ids)
        if ids.count > 1, error != .readerGone {
          Diagnostics.warn("\(index) of \(ids.count) are done; the same command does the others")
        }
        throw error
      }
    }
    return allDone
  }

  private func print(_ targets: [Target], _ session: WritingSession) throws(ToolError) -> ExitStatus {
    let account = try session.account()
    var requests: [HTTPRequest] = []
    for target in targets {
      let id = change.isOfAccount ? try session.user(target.name).id : target.name
      requests.append(
        session.api.request(
          .change(change, target.name), WriteParts(target: id, key: session.lastingKey()), by: account))
    }
    try DryRun.print(requests)
    return .done
  }

  // MARK: Targets

  /// - Returns: what is to be changed, each once, and how many lines named nothing.
  private func targets(_ operands: [String], _ isList: Bool) throws(ToolError) -> ([Target], bad: Int) {
    var (found, seen, bad): ([Target], Set<String>, Int) = ([], [], 0)
    func append(_ target: Target) throws(ToolError) {
      guard seen.insert(target.name).inserted else { return }
      guard found.count < Self.mostTargets else { throw .badData("more than \(Self.mostTargets) are named") }
      found.append(target)
    }
    let posts = NamedPosts(access, waits: way.waits)
    if !isList {
      for operand in operands {
        let name = change.isOfAccount ? try Self.name(operand, access) : try posts.id(operand)
        try append(Target(name: name, label: labels[operand]))
      }
      return (found, 0)
    }
    Diagnostics.noteKeyboard()
    let reader = try posts.reader(ofNames: change.isOfAccount)
    while true {
      if Interruption.signal != nil { throw Exchange.interrupted }
      let item = change.isOfAccount ? reader.nextName() : reader.next()
      if let failure = posts.failure { throw failure }
      switch item {
      case .id(let name, _): try append(Target(name: name, record: change.isOfAccount ? nil : reader.record))
      case .bad(let reason, let line):
        Diagnostics.warn("line \(line): \(reason)")
        bad += 1
      case nil:
        if reader.isAtEnd { return (found, bad) }
        try reader.fill()
      }
    }
  }

  private static func name(_ operand: String, _ access: ServiceAccess) throws(ToolError) -> String {
    switch IDReader(texts: [operand], service: access.api.service, base: access.base).nextName() {
    case .id(let name, _): return name
    case .bad(let reason, _): throw .usage(reason)
    case nil: throw .usage("'\(operand)' is not the name of an account")
    }
  }
}
