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

  /// - Parameters:
  ///   - operands: none, or a verb and numbers of writes.
  ///   - needsNoQuestion: whether writes are removed without a question.
  ///   - wanted: finds the accounts whose copies of a crosspost alone are edited.
  /// - Throws: `ToolError.usage` if accounts are named for something else.
  static func run(
    _ operands: [String], needsNoQuestion: Bool, at wanted: () throws(ToolError) -> [CrossTarget]?
  ) throws(ToolError) -> ExitStatus {
    let wanted = try wanted()?.map(\.owner)
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
    case .edit: for number in numbers { try edit(number, outbox, at: wanted) }
    case .drop: try drop(numbers, outbox, needsNoQuestion)
    case .retry: try retry(numbers, outbox)
    }
    return .done
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
    var lines: [String] = []
    for id in dropped { lines.append(try line(id, outbox)) }
    if !needsNoQuestion {
      let what = lines.count == 1 ? lines[0] : "\(lines.count) writes, \(lines.joined(separator: ", "))"
      guard try Question.ask("drop \(what)?") else { return Diagnostics.note("nothing was changed") }
    }
    // While a request is under way its write may not vanish.
    try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in
      try outbox.drop(dropped)
      try outbox.removeUnusedFiles()
    }
    for line in lines { Diagnostics.note("dropped \(line)") }
  }

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

  /// Prints the text of a post, or what else is to be done.
  private static func show(_ number: Int, _ outbox: borrowing Outbox) throws(ToolError) {
    guard let write = try outbox.written(number) else { throw .noInput("write \(number) is not in the outbox") }
    var output = RecordWriter()
    let text = PostDraft(json: write.target)?.text ?? "\(write.action) \(write.owner.service):\(write.target)"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      output.buffer.append(Printable.line(String(line), limit: .max) + "\n")
    }
    try output.flush()
    guard let group = try outbox.group(of: number) else { return }
    for copy in try outbox.copies(of: group) {
      let place = copy.address ?? copy.note ?? ""
      Diagnostics.note(
        "\(copy.id == number ? "this is" : "another copy is") write \(copy.id), \(copy.state.rawValue) at "
          + "\(copy.owner.service):\(copy.owner.account)" + (place.isEmpty ? "" : ": \(place)"))
    }
  }

  /// Opens the text of a post that waits in the person's editor. Copies of it that wait and have the same text get the
  /// new one too.
  private static func edit(
    _ number: Int, _ outbox: borrowing Outbox, at wanted: [Outbox.Owner]?
  ) throws(ToolError) {
    guard let write = try outbox.written(number), write.state == .queued, let old = PostDraft(json: write.target) else {
      throw .noInput("write \(number) is no post that waits in the outbox: 'tw-post outbox' lists them")
    }
    var posts = [(id: number, service: write.owner.service, old: old)]
    if let group = try outbox.group(of: number) {
      let copies = try outbox.copies(of: group).compactMap { copy in
        copy.draft.flatMap { $0.text == old.text && copy.state == .queued ? (copy, $0) : nil }
      }.filter { copy, _ in wanted.map { $0.contains(copy.owner) } ?? true }
      posts = copies.map { ($0.id, $0.owner.service, $1) }
    }
    if posts.isEmpty { throw .noInput("no copy of write \(number) waits at these accounts") }
    var editor = try TextEditor(old.text)
    guard let text = try editor.edit() else { return Diagnostics.note("write \(number) stays as it is") }
    do throws(ToolError) {
      for post in posts { try check(text, post.service, post.old) }
      let changes = posts.map { post in
        var new = post.old
        new.text = text
        return (id: post.id, old: post.old, new: new)
      }
      // Whoever sends it holds the lock.
      try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in try outbox.replace(changes) }
      if posts.count > 1 {
        let numbers = posts.map { String($0.id) }.joined(separator: ", ")
        Diagnostics.note("the copies \(numbers) have the new text; with --to the others keep theirs")
      }
      editor.removeFile()
    } catch {
      Diagnostics.warn("your text is in '\(editor.path)'")
      throw error
    }
  }

  /// Checks a text that is to replace another one at a service. No request is made.
  private static func check(_ text: String, _ service: String, _ old: PostDraft) throws(ToolError) {
    guard let api = ServiceAPIs.named(service) else {
      throw .configuration("service '\(service)' is not one this version knows (\(Services.names))")
    }
    let rules = try ServiceAccess(api, base: api.service.usualBase ?? "", token: Secret("")).writing()
    // Where each server has rules of its own, it says what is too long.
    guard rules.rulesRequest == nil else { return }
    let longest = try TextLimit(rules, of: service, isLong: false)
    // A post that was allowed to be long stays that.
    let isLong = try longest.length(of: old.text) > longest.longest
    try PostText.check(text, TextLimit(rules, of: service, isLong: isLong), mayBeBlank: !old.media.isEmpty)
  }

  private static func print(_ outbox: borrowing Outbox) throws(ToolError) {
    var output = RecordWriter()
    for line in try outbox.lines() {
      let text = PostDraft(json: line.target)?.text ?? line.target
      let account = "\(line.service):\(line.account)"
      let words =
        [
          String(line.id), line.state, line.createdAt, account, line.action, text,
          line.note ?? line.dueAt.map { "for \($0.rfc3339)" } ?? "",
        ] + (line.group.map { ["copy of \($0)"] } ?? [])
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
  }
}
