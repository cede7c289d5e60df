import TweetCLI
import TweetCore
import TweetServices

/// Carries out the writes of a group, one account after the other. What one account cannot do now, or never, stops no
/// other.
struct GroupRun {
  struct Part {
    let target: CrossTarget
    let session: WritingSession
    /// Its writes, each of which may answer the one before.
    let ids: [Int]
  }

  private enum Ending {
    case done
    case refused(ToolError)
    case waits(ToolError)
  }

  let parts: [Part]

  /// - Returns: 75 if something waits, 1 if something was refused, 0 if all is done. If nothing at all was done, what
  ///   the first failure has; then nothing is kept, as of a single post.
  func run() throws(ToolError) -> ExitStatus {
    var endings: [Ending] = []
    for part in parts { endings.append(try carryOut(part)) }
    let isBegun = try isBegun()
    if !isBegun { for part in parts { try part.session.outbox.removeQueued(part.ids) } }
    // Each record names the other copies, so all addresses are known before the first.
    for index in parts.indices {
      try attempt(index, &endings) { (part, records) throws(ToolError) in
        for id in part.ids { try records.keepAddress(of: id) }
      }
    }
    for index in parts.indices {
      try attempt(index, &endings) { (part, records) throws(ToolError) in
        for id in part.ids where try part.session.outbox.entry(id)?.state == .done {
          try records.report(id)
        }
      }
    }
    for (part, ending) in zip(parts, endings) { try tell(ending, part, isKept: isBegun) }
    return status(endings, isBegun: isBegun)
  }

  private func carryOut(_ part: Part) throws(ToolError) -> Ending {
    for id in part.ids {
      if Interruption.signal != nil { return .waits(Exchange.interrupted) }
      do throws(ToolError) {
        if case .refused(let error) = try part.session.carryOut(id) { return .refused(error) }
      } catch {
        if error.isOfThisMachine { throw error }
        return .waits(error)
      }
    }
    return .done
  }

  /// Does something about a part that is done. If its service cannot be asked now, the same command does it later.
  private func attempt(
    _ index: Int, _ endings: inout [Ending],
    _ body: (Part, inout WrittenRecords) throws(ToolError) -> Void
  ) throws(ToolError) {
    var records = WrittenRecords(parts[index].session)
    do throws(ToolError) {
      try body(parts[index], &records)
    } catch {
      if error.isOfThisMachine { throw error }
      if case .done = endings[index] { endings[index] = .waits(error) }
    }
  }

  /// Whether a write of the group is there, or may be.
  private func isBegun() throws(ToolError) -> Bool {
    for part in parts {
      for id in part.ids {
        switch try part.session.outbox.entry(id)?.state {
        case .done, .sending, .unsettled: return true
        case .queued, .refused, nil: break
        }
      }
    }
    return false
  }

  private func tell(_ ending: Ending, _ part: Part, isKept: Bool) throws(ToolError) {
    switch ending {
    case .done: break
    case .refused(let error):
      var refused: [Int] = []
      for id in part.ids where try part.session.outbox.entry(id)?.state == .refused { refused.append(id) }
      // Where the others are made, it stays in the list like what waits.
      if !isKept { for id in refused { try part.session.outbox.setReported(id) } }
      let hint = isKept ? refused.first.map { "; 'tw-post outbox retry \($0)' and 'flush' ask again" } : nil
      Diagnostics.warn("\(part.target.name): refused: \(error.message ?? "")\(hint ?? "")")
    case .waits(let error):
      let hint = isKept ? "; it waits in the outbox, and 'tw-post flush' sends it" : ""
      Diagnostics.warn("\(part.target.name): \(error.message ?? "not done")\(hint)")
    }
  }

  private func status(_ endings: [Ending], isBegun: Bool) -> ExitStatus {
    var (refused, waiting): ([ToolError], [ToolError]) = ([], [])
    for ending in endings {
      switch ending {
      case .done: break
      case .refused(let error): refused.append(error)
      case .waits(let error): waiting.append(error)
      }
    }
    guard isBegun else { return (waiting + refused).first?.status ?? .done }
    return !waiting.isEmpty ? .tryLater : refused.isEmpty ? .done : .someBad
  }
}

extension ToolError {
  /// Whether this machine or this program is in trouble, and not a service or what it is asked for.
  var isOfThisMachine: Bool {
    switch self {
    case .bug, .cannotCreate, .inputOutput, .readerGone: true
    default: false
    }
  }
}
