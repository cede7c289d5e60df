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
  private let others: CrossTargets?

  /// What one account changes.
  private struct Part {
    let session: WritingSession
    var targets: [Target]
  }

  /// Far more than a service allows in a day.
  private static let mostTargets = 10_000

  /// - Parameters:
  ///   - labels: how a person knows what is named by numbers, by the operands in their place.
  ///   - others: finds the accounts for what a list names of other services; `nil` if only `access` is meant.
  init(
    _ change: PostChange, _ access: ServiceAccess, _ way: WritingWay, _ settings: Settings,
    labels: [String: String] = [:], others: CrossTargets? = nil
  ) {
    (self.change, self.access, self.way, self.settings) = (change, access, way, settings)
    (self.labels, self.others) = (labels, others)
  }

  func run(_ operands: [String]) throws(ToolError) -> ExitStatus {
    let isList = operands.isEmpty || operands == ["-"]
    if way.repeats, !isList { throw .usage("--again is for a list on standard input: what is named is done anyway") }
    if operands.isEmpty, isatty(0) == 1 {
      throw .usage("'\(change.rawValue)' needs a \(change.isOfAccount ? "name" : "tweet"), or a list on standard input")
    }
    let (named, bad) = try targets(operands, isList)
    var parts: [Part] = []
    for (access, targets) in named where !targets.isEmpty {
      let session = try WritingSession(access, way, settings)
      try session.requireScopes(for: .change(change, ""))
      var wanted: [Target] = []
      for target in targets {
        if isList, !way.repeats, try session.outbox.isDone(change, target.name) { continue }
        wanted.append(target)
      }
      parts.append(Part(session: session, targets: wanted))
    }
    let (all, count) = (named.reduce(0) { $0 + $1.targets.count }, parts.reduce(0) { $0 + $1.targets.count })
    if all > count { Diagnostics.note("\(all - count) of \(all) were done before; --again does them too") }
    let status: ExitStatus = bad > 0 ? .someBad : .done
    parts.removeAll { $0.targets.isEmpty }
    if parts.isEmpty { return status }
    if way.isDryRun { return try print(parts) }
    // A number is soon mistyped, and a tweet that is deleted does not come back.
    let isRisky = change == .delete && parts.contains { $0.targets.contains { $0.label != nil } }
    if count > 1 || isRisky, !way.needsNoQuestion {
      var names: [String] = []
      for part in parts {
        let place = parts.count > 1 ? " at \(part.session.access.service)" : ""
        names.append("@\(try part.session.account().username)\(place)")
      }
      guard try way.mayChange("\(change.rawValue) \(count) as \(names.joined(separator: ", "))?") else { return .done }
    }
    var queued: [[Int]] = []
    for part in parts {
      queued.append(
        try part.session.outbox.add(
          part.targets.map { .change(change, $0.name) }, command: "", due: way.dueAt, notAfter: way.notAfter))
    }
    if way.isLater {
      Diagnostics.note("\(count) in the outbox; 'tw-post flush' sends them\(way.dueWords)")
      return status
    }
    var (allDone, failure): (Bool, ToolError?) = (true, nil)
    for (index, part) in parts.enumerated() {
      do throws(ToolError) {
        if try !carryOut(part, queued[index], isOne: count == 1) { allDone = false }
      } catch {
        // What one service cannot do now stops no other.
        guard parts.count > 1, !error.isOfThisMachine, Interruption.signal == nil else {
          for (part, ids) in zip(parts, queued) { try part.session.outbox.removeQueued(ids) }
          throw error
        }
        Diagnostics.warn("\(part.session.access.service): \(error.message ?? "failed")")
        failure = failure ?? error
      }
    }
    return failure?.status ?? (allDone ? status : .someBad)
  }

  /// - Parameter isOne: whether nothing else is changed.
  /// - Returns: whether all are done.
  private func carryOut(_ part: Part, _ ids: [Int], isOne: Bool) throws(ToolError) -> Bool {
    let (session, targets) = (part.session, part.targets)
    var records = WrittenRecords(session)
    var allDone = true
    for (index, id) in ids.enumerated() {
      do throws(ToolError) {
        switch try session.carryOut(id) {
        case .done:
          try records.report(id, record: targets[index].record, label: targets[index].label)
        case .refused(let error):
          try session.outbox.setReported(id)
          // What one post is refused for, others may not be; but what the account may not do, it may never.
          guard !isOne, error.status != .notAllowed else { throw error }
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

  private func print(_ parts: [Part]) throws(ToolError) -> ExitStatus {
    var requests: [HTTPRequest] = []
    for part in parts {
      let (session, account) = (part.session, try part.session.account())
      for target in part.targets {
        let id = change.isOfAccount ? try session.user(target.name).id : target.name
        requests.append(
          session.api.request(
            .change(change, target.name), WriteParts(target: id, key: session.lastingKey()), by: account))
      }
    }
    try DryRun.print(requests)
    if way.isLater { Diagnostics.note(way.sendingWords) }
    return .done
  }

  // MARK: Targets

  /// - Returns: what each account is to change, each once, and how many lines named nothing.
  private func targets(
    _ operands: [String], _ isList: Bool
  ) throws(ToolError) -> ([(access: ServiceAccess, targets: [Target])], bad: Int) {
    var (found, bad, seen): ([[Target]], Int, Set<String>) = ([[]], 0, [])
    func append(_ target: Target, _ index: Int = 0) throws(ToolError) {
      guard seen.insert("\(index) \(target.name)").inserted else { return }
      guard seen.count <= Self.mostTargets else { throw .badData("more than \(Self.mostTargets) are named") }
      while found.count <= index { found.append([]) }
      found[index].append(target)
    }
    if !isList {
      let posts = NamedPosts(access, waits: way.waits)
      for operand in operands {
        let name = change.isOfAccount ? try Self.name(operand, access) : try posts.id(operand)
        try append(Target(name: name, label: labels[operand]))
      }
      return ([(access, found[0])], 0)
    }
    Diagnostics.noteKeyboard()
    let accounts = ListAccounts(access, others, change, waits: way.waits)
    let reader = try accounts.reader()
    while true {
      if Interruption.signal != nil { throw Exchange.interrupted }
      let item = accounts.next(reader)
      if let failure = accounts.failure { throw failure }
      switch item {
      case .id(let name, _):
        let record = change.isOfAccount ? nil : reader.record
        try append(Target(name: name, record: record, label: accounts.labels[name]), accounts.current)
      case .bad(let reason, let line):
        Diagnostics.warn("line \(line): \(reason)")
        bad += 1
      case nil:
        if reader.isAtEnd { return (zip(accounts.all, found).map { ($0, $1) }, bad) }
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
