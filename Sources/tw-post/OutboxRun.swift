import KnownAPIs
import KnownServices
import SQLite
import TweetCLI
import TweetCore
import TweetServices
import TweetSources

/// Shows what is in the outbox, changes it, removes from it, and lets it be sent again.
enum OutboxRun {
  private enum Verb: String, CaseIterable { case show, edit, drop, retry }

  /// - Parameter operands: none, or a verb and numbers of writes.
  static func run(_ operands: [String]) throws(ToolError) -> ExitStatus {
    let numbers = operands.dropFirst().compactMap { Int($0) }
    let verb = operands.first.flatMap(Verb.init)
    guard operands.isEmpty || verb != nil && !numbers.isEmpty && numbers.count == operands.count - 1 else {
      throw .usage("'outbox' takes nothing, or 'show', 'edit', 'drop' or 'retry' and the numbers of writes")
    }
    guard Database.exists(Outbox.usualPath) else {
      if let first = numbers.first { throw .noInput("write \(first) is not in the outbox") }
      return .done
    }
    let outbox = try Outbox(service: "", base: "", account: "")
    switch verb {
    case nil: try print(outbox)
    case .show: for number in numbers { try show(number, outbox) }
    case .edit: for number in numbers { try edit(number, outbox) }
    case .drop: try change(numbers, outbox, isDrop: true)
    case .retry: try change(numbers, outbox, isDrop: false)
    }
    return .done
  }

  private static func change(
    _ numbers: [Int], _ outbox: borrowing Outbox, isDrop: Bool
  ) throws(ToolError) {
    // While a request is under way its write may not vanish.
    try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      for number in numbers {
        guard try isDrop ? outbox.drop(number) : outbox.retry(number) else {
          throw .noInput("write \(number) is not in the outbox" + (isDrop ? "" : ", or it is done"))
        }
      }
      try outbox.removeUnusedFiles()
    }
  }

  /// Prints the text of a post, or what else is to be done.
  private static func show(_ number: Int, _ outbox: borrowing Outbox) throws(ToolError) {
    guard let write = try outbox.written(number) else { throw .noInput("write \(number) is not in the outbox") }
    var output = RecordWriter()
    let text = PostDraft(json: write.target)?.text ?? "\(write.action) \(write.service):\(write.target)"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      output.buffer.append(Printable.line(String(line), limit: .max) + "\n")
    }
    try output.flush()
  }

  /// Opens the text of a post that waits in the person's editor.
  private static func edit(_ number: Int, _ outbox: borrowing Outbox) throws(ToolError) {
    guard let write = try outbox.written(number), write.state == .queued, let old = PostDraft(json: write.target) else {
      throw .noInput("write \(number) is no post that waits in the outbox: 'tw-post outbox' lists them")
    }
    guard let api = ServiceAPIs.named(write.service) else {
      throw .configuration("service '\(write.service)' is not one this version knows (\(Services.names))")
    }
    var editor = try TextEditor(old.text)
    guard let text = try editor.edit() else { return Diagnostics.note("write \(number) stays as it is") }
    do throws(ToolError) {
      // Rules are the same for everybody; no request is made.
      let rules = try ServiceAccess(api, base: api.service.usualBase ?? "", token: Secret("")).writing()
      // Where each server has rules of its own, it says what is too long.
      if rules.rulesRequest == nil {
        let longest = try TextLimit(rules, of: write.service, isLong: false)
        // A post that was allowed to be long stays that.
        let isLong = try longest.length(of: old.text) > longest.longest
        try PostText.check(text, TextLimit(rules, of: write.service, isLong: isLong), mayBeBlank: !old.media.isEmpty)
      }
      var new = old
      new.text = text
      // Whoever sends it holds the lock.
      let isReplaced = try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
        try outbox.replace(number, old, by: new)
      }
      guard isReplaced else { throw .tryLater("write \(number) was sent or changed meanwhile") }
      editor.removeFile()
    } catch {
      Diagnostics.warn("your text is in '\(editor.path)'")
      throw error
    }
  }

  private static func print(_ outbox: borrowing Outbox) throws(ToolError) {
    var output = RecordWriter()
    for line in try outbox.lines() {
      let text = PostDraft(json: line.target)?.text ?? line.target
      let account = "\(line.service):\(line.account)"
      let words = [
        String(line.id), line.state, line.createdAt, account, line.action, text,
        line.note ?? line.dueAt.map { "for \($0.rfc3339)" } ?? "",
      ]
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
  }
}
