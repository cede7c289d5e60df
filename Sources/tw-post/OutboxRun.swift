import TweetCLI
import TweetCore
import TweetServices
import TweetStore

/// Shows what is in the outbox, removes from it, and sends what waits there.
enum OutboxRun {
  /// - Parameter operands: none, or `drop` and numbers.
  static func list(_ operands: [String]) throws(ToolError) -> ExitStatus {
    let numbers = operands.dropFirst().compactMap { Int($0) }
    guard operands.isEmpty || operands[0] == "drop" && !numbers.isEmpty && numbers.count == operands.count - 1 else {
      throw .usage("'outbox' takes nothing, or 'drop' and the numbers of writes")
    }
    guard Database.exists(Outbox.usualPath) else {
      if let first = numbers.first { throw .noInput("write \(first) is not in the outbox") }
      return .done
    }
    let outbox = try Outbox(service: "", base: "", account: "")
    if operands.isEmpty { return try print(outbox) }
    // While a request is under way its write may not vanish.
    return try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      for number in numbers where try !outbox.drop(number) {
        throw .noInput("write \(number) is not in the outbox")
      }
      try outbox.removeUnusedFiles()
      return .done
    }
  }

  private static func print(_ outbox: borrowing Outbox) throws(ToolError) -> ExitStatus {
    var output = RecordWriter()
    for line in try outbox.lines() {
      let text = PostDraft(json: line.target)?.text ?? line.target
      let words = [String(line.id), line.state, line.createdAt, line.service, line.action, text, line.note ?? ""]
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
    return .done
  }

  /// Sends what waits, in order. What the service refuses stays in the list, with the reason, until it is dropped.
  static func flush(_ session: WritingSession) throws(ToolError) -> ExitStatus {
    let result = Result { () throws(ToolError) in try send(session) }
    session.removeUnusedFiles()
    return try result.get()
  }

  private static func send(_ session: WritingSession) throws(ToolError) -> ExitStatus {
    var records = WrittenRecords(session.access)
    var failure: ToolError?
    for id in try session.outbox.open(at: session.clock.now()) {
      if Interruption.signal != nil { throw Exchange.interrupted }
      switch try session.carryOut(id) {
      case .done: try session.report(id, to: &records)
      case .refused(let error):
        Diagnostics.warn("write \(id): \(error.message ?? "refused")")
        failure = failure ?? error
      }
    }
    return failure?.status ?? .done
  }
}
