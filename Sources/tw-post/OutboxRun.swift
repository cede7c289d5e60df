import ArgumentParser
import SQLite
import TweetCLI
import TweetCore
import TweetServices

/// Shows what is in the outbox, changes it, removes from it, and lets it be sent again.
enum OutboxRun {
  private enum Verb: String, CaseIterable { case show, edit, drop, retry, reschedule }

  /// - Parameters:
  ///   - operands: none, or a verb and numbers of writes.
  ///   - needsNoQuestion: whether writes are removed without a question.
  ///   - wanted: the accounts whose copies of a crosspost alone are edited.
  ///   - targets: finds the account of a write.
  static func run(
    _ operands: [String], needsNoQuestion: Bool, at wanted: [CrossTarget]?, _ targets: CrossTargets
  ) throws(ToolError) -> ExitStatus {
    let verb = operands.first.flatMap(Verb.init)
    let words = verb == .reschedule ? operands.dropFirst().dropLast() : operands.dropFirst()
    guard operands.isEmpty || verb != nil && !words.isEmpty && words.allSatisfy({ range($0) != nil }) else {
      throw .usage(
        "'outbox' takes nothing, or 'show', 'edit', 'drop' or 'retry' and the numbers of writes, or 'reschedule', "
          + "numbers and a time")
    }
    guard Database.exists(Outbox.usualPath) else {
      if let first = words.first, first != all { throw .noInput("write \(first) is not in the outbox") }
      return .done
    }
    let outbox = try Outbox(service: "", base: "", account: "")
    guard let verb else {
      try print(outbox)
      return .done
    }
    let numbers = try numbers(words, of: outbox) { (line) throws(ToolError) in
      switch verb {
      case .show, .drop: return true
      case .edit, .reschedule: return line.state == Outbox.State.queued.rawValue
      // Of what may have been done a person says so one by one.
      case .retry:
        guard line.state == Outbox.State.refused.rawValue else { return false }
        return try !outbox.isTakenBack(groupOf: line.id)
      }
    }
    switch verb {
    case .show: for number in numbers { try show(number, outbox) }
    case .edit: for number in numbers { try edit(number, outbox, at: wanted?.map(\.owner), targets) }
    case .drop: try drop(numbers, outbox, needsNoQuestion)
    case .retry: try retry(numbers, outbox)
    case .reschedule: try reschedule(numbers, to: time(operands[operands.count - 1]), outbox)
    }
    return .done
  }

  // MARK: Numbers

  private static let all = "all"

  /// The numbers that a word stands for: `5`, `5-9` or `all`.
  private static func range(_ word: String) -> ClosedRange<Int>? {
    if word == all { return 1...Int.max }
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard (1...2).contains(ends.count), ends[0] > 0, ends[0] <= ends[ends.count - 1] else { return nil }
    return ends[0]...ends[ends.count - 1]
  }

  /// - Parameter isMeant: whether a write is one that `all` and ranges stand for.
  private static func numbers(
    _ words: ArraySlice<String>, of outbox: borrowing Outbox, isMeant: (Outbox.Line) throws(ToolError) -> Bool
  ) throws(ToolError) -> [Int] {
    var numbers: [Int] = []
    for word in words {
      guard let range = range(word), Int(word) == nil else {
        numbers.append(Int(word) ?? 0)
        continue
      }
      var found: [Int] = []
      for line in try outbox.lines() where range.contains(line.id) {
        if try isMeant(line) { found.append(line.id) }
      }
      if found.isEmpty, word != all { throw .noInput("the outbox has no such write in \(word)") }
      numbers += found
    }
    if numbers.isEmpty { Diagnostics.note("the outbox has no such write") }
    var seen: Set<Int> = []
    return numbers.filter { seen.insert($0).inserted }
  }

  private static func time(_ text: String) throws(ToolError) -> Timestamp {
    do { return try DueTime.parse(text) } catch {
      throw .usage((error as? ValidationError)?.message ?? "'\(text)' is not a time")
    }
  }

  /// Has writes sent at another time: of a thread all posts, of a crosspost all copies.
  private static func reschedule(
    _ numbers: [Int], to due: Timestamp, _ outbox: borrowing Outbox
  ) throws(ToolError) {
    var ids: [Int] = []
    for number in numbers {
      guard try outbox.written(number)?.state == .queued else { throw .noInput("write \(number) does not wait") }
      let group = try outbox.group(of: number)
      let whole: [Int]
      if let group { whole = try outbox.copies(of: group).map(\.id) } else { whole = try outbox.thread(of: number) }
      ids += whole.filter { !ids.contains($0) }
    }
    if ids.isEmpty { return }
    // Whoever sends one holds the lock.
    let moved = try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in try outbox.reschedule(ids, to: due) }
    let names = moved.map { String($0) }.joined(separator: ", ")
    Diagnostics.note("'tw-post flush' sends write \(names) from \(LocalMoment.text(due)) on")
  }

  /// Removes writes. A thread is one thing: with one of its posts go all that are not posted yet.
  private static func drop(
    _ numbers: [Int], _ outbox: borrowing Outbox, _ needsNoQuestion: Bool
  ) throws(ToolError) {
    var dropped: [Int] = []
    for number in numbers {
      guard try outbox.written(number) != nil else { throw .noInput("write \(number) is not in the outbox") }
      for id in try outbox.thread(of: number) where !dropped.contains(id) {
        let state = try outbox.written(id)?.state
        if id == number || state != .done { dropped.append(id) }
      }
    }
    if dropped.isEmpty { return }
    var lines: [String] = []
    for id in dropped { lines.append(try line(id, outbox)) }
    if !needsNoQuestion {
      let rest = lines.count > Self.mostNamed ? " and \(lines.count - Self.mostNamed) more" : ""
      let named = lines.prefix(Self.mostNamed).joined(separator: ", ") + rest
      let what = lines.count == 1 ? lines[0] : "\(lines.count) writes, \(named)"
      guard try Question.ask("drop \(what)?") else { return Diagnostics.note("nothing was changed") }
    }
    // While a request is under way its write may not vanish.
    try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      try outbox.drop(dropped)
      try outbox.removeUnusedFiles()
    }
    for line in lines { Diagnostics.note("dropped \(line)") }
  }

  /// Writes that a question names: more are not read.
  private static let mostNamed = 8

  /// A write as questions and messages name it.
  private static func line(_ id: Int, _ outbox: borrowing Outbox) throws(ToolError) -> String {
    guard let write = try outbox.written(id) else { return "write \(id)" }
    let text = Printable.line(PostDraft(json: write.target)?.text ?? "\(write.action) \(write.target)", limit: 60)
    return "write \(id) at \(write.owner.service):\(write.owner.account) '\(text)'"
  }

  private static func retry(_ numbers: [Int], _ outbox: borrowing Outbox) throws(ToolError) {
    try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      for number in numbers {
        guard try !outbox.isTakenBack(groupOf: number) else {
          throw .refused(
            "write \(number) is a copy of a post that was taken back; 'tw-post outbox drop \(number)' removes it")
        }
        let again = try outbox.retry(number)
        if again.isEmpty { throw .noInput("write \(number) is not in the outbox, or it is done") }
        if again.count > 1 {
          Diagnostics.note("the thread waits again: writes \(again.map { String($0) }.joined(separator: ", "))")
        }
      }
    }
  }

  private static func print(_ outbox: borrowing Outbox) throws(ToolError) {
    var output = RecordWriter()
    for line in try outbox.lines() {
      let text = PostDraft(json: line.target)?.text ?? line.target
      let account = "\(line.service):\(line.account)"
      let words =
        [
          String(line.id), line.state, LocalMoment.text(rfc3339: line.createdAt), account, line.action, text,
          line.note ?? line.times,
        ] + (line.group.map { ["copy of \($0)"] } ?? [])
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
  }
}
