import SQLite
import TweetCLI
import TweetCore
import TweetServices

/// Shows what is in the outbox, removes from it, and lets it be sent again.
enum OutboxRun {
  /// - Parameter operands: none, or `drop` or `retry` and numbers.
  static func list(_ operands: [String]) throws(ToolError) -> ExitStatus {
    let numbers = operands.dropFirst().compactMap { Int($0) }
    let isWhole = !numbers.isEmpty && numbers.count == operands.count - 1
    guard operands.isEmpty || ["drop", "retry"].contains(operands[0]) && isWhole else {
      throw .usage("'outbox' takes nothing, or 'drop' or 'retry' and the numbers of writes")
    }
    guard Database.exists(Outbox.usualPath) else {
      if let first = numbers.first { throw .noInput("write \(first) is not in the outbox") }
      return .done
    }
    let outbox = try Outbox(service: "", base: "", account: "")
    if operands.isEmpty { return try print(outbox) }
    let isDrop = operands[0] == "drop"
    // While a request is under way its write may not vanish.
    return try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      for number in numbers {
        guard try isDrop ? outbox.drop(number) : outbox.retry(number) else {
          throw .noInput("write \(number) is not in the outbox" + (isDrop ? "" : ", or it is done"))
        }
      }
      try outbox.removeUnusedFiles()
      return .done
    }
  }

  private static func print(_ outbox: borrowing Outbox) throws(ToolError) -> ExitStatus {
    var output = RecordWriter()
    for line in try outbox.lines() {
      let text = PostDraft(json: line.target)?.text ?? line.target
      let account = "\(line.service):\(line.account)"
      let words = [String(line.id), line.state, line.createdAt, account, line.action, text, line.note ?? ""]
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
    return .done
  }
}
