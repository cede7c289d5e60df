import ArgumentParser
import SQLite
import ServiceClients
import Services
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
    let outbox = try Outbox()
    guard let verb else {
      try print(outbox)
      return .done
    }
    let numbers = try numbers(words, of: outbox) { (write) throws(ToolError) in
      switch verb {
      case .show, .drop: return true
      case .edit, .reschedule: return write.state == .queued
      // Of what may have been done a person says so one by one.
      case .retry:
        guard write.state == .refused else { return false }
        return try !outbox.isTakenBack(groupOf: write.id)
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
    _ words: ArraySlice<String>, of outbox: borrowing Outbox, isMeant: (OutboxEntry) throws(ToolError) -> Bool
  ) throws(ToolError) -> [Int] {
    var numbers: [Int] = []
    for word in words {
      guard let range = range(word), Int(word) == nil else {
        numbers.append(Int(word) ?? 0)
        continue
      }
      var found: [Int] = []
      for write in try outbox.unfinished() where range.contains(write.id) {
        if try isMeant(write) { found.append(write.id) }
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
      guard let write = try outbox.entry(number), write.state == .queued else {
        throw .noInput("write \(number) does not wait")
      }
      let copies = try write.group.map { (group) throws(ToolError) in try outbox.copies(of: group).map(\.id) }
      let whole = if let copies { copies } else { try outbox.thread(of: number) }
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
      guard try outbox.entry(number) != nil else { throw .noInput("write \(number) is not in the outbox") }
      for id in try outbox.thread(of: number) where !dropped.contains(id) {
        let state = try outbox.entry(id)?.state
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
    guard let write = try outbox.entry(id) else { return "write \(id)" }
    let text = Printable.line(write.draft?.text ?? "\(write.verb) \(write.target)", limit: 60)
    return "write \(id) at \(write.owner.name) '\(text)'"
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
    for write in try outbox.unfinished() {
      let words =
        [
          String(write.id), write.state.rawValue, LocalMoment.text(write.createdAt), write.owner.name, write.verb,
          write.text, write.note ?? write.times,
        ] + (write.group.map { ["copy of \($0)"] } ?? [])
      output.buffer.append(words.map { Printable.line($0) }.joined(separator: "\t"))
      try output.endLine()
    }
    try output.flush()
  }

  // MARK: One write

  /// Opens the text of a post that waits in the person's editor. Copies of it that wait and have the same text get the
  /// new one too.
  private static func edit(
    _ number: Int, _ outbox: borrowing Outbox, at wanted: [Outbox.Owner]?, _ targets: CrossTargets
  ) throws(ToolError) {
    guard let write = try outbox.entry(number), write.state == .queued, let old = write.draft else {
      throw .noInput("write \(number) is not a post that waits in the outbox: 'tw-post outbox' lists them")
    }
    var posts = [(id: number, owner: write.owner, old: old)]
    if let group = write.group {
      let copies = try outbox.copies(of: group).compactMap { copy in
        copy.draft.flatMap { $0.text == old.text && copy.state == .queued ? (copy, $0) : nil }
      }.filter { copy, _ in wanted.map { $0.contains(copy.owner) } ?? true }
      posts = copies.map { ($0.id, $0.owner, $1) }
    }
    if posts.isEmpty { throw .noInput("no copy of write \(number) waits at these accounts") }
    let thread = try outbox.thread(of: number)
    if let index = thread.firstIndex(of: number), thread.count > 1 {
      Diagnostics.note(
        "write \(number) is post \(index + 1) of \(thread.count) of a thread; the others stay as they are")
    }
    let editor = try PostText.editor(of: old.text)
    guard let text = try PostText.written(in: editor, from: old.text) else {
      return Diagnostics.note("write \(number) stays as it is")
    }
    do throws(ToolError) {
      for post in posts { try check(text, post.owner, post.old, targets) }
      let changes = posts.map { post in
        var new = post.old
        new.text = text
        return (id: post.id, old: post.old, new: new)
      }
      // Whoever sends it holds the lock.
      try FileLock.hold(outbox.lockPath) { (_) throws(ToolError) in try outbox.replace(changes) }
      Diagnostics.note("write \(number): \(difference(PostText.trimmed(old.text), text))")
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

  /// What was changed, with a little of what stands around it.
  private static func difference(_ old: String, _ new: String) -> String {
    let (old, new) = (Array(old), Array(new))
    let most = min(old.count, new.count)
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = min(zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count, most - start)
    let (before, behind) = (max(0, start - around), max(0, end - around))
    let texts = [old, new].map { text in
      let part = Printable.line(String(text[before..<text.count - behind]), limit: 60)
      return "'\(before > 0 ? "…" : "")\(part)\(behind > 0 ? "…" : "")'"
    }
    return texts.joined(separator: " → ")
  }

  private static let around = 12

  /// Checks a text that is to replace another one at an account. A server with rules of its own is asked for them.
  private static func check(
    _ text: String, _ owner: Outbox.Owner, _ old: PostDraft, _ targets: CrossTargets
  ) throws(ToolError) {
    guard let api = ServiceAPIs.named(owner.service) else {
      throw .configuration("service '\(owner.service)' is not one this version knows (\(Services.names))")
    }
    var access = ServiceAccess(api, base: owner.base, token: Secret(""))
    let writing = try access.writing()
    var rules: any PostRules = writing
    if writing.rulesRequest != nil {
      do throws(ToolError) {
        access = try targets.target(of: owner).access
        rules = try access.postRules(way, needsService: false)
      } catch {
        guard error.status == .notAllowed else { throw error }
      }
      guard !(rules is any WriteAPI) else {
        return Diagnostics.note("\(owner.service) does not say how long a post may be there: flush finds out")
      }
    }
    // A post that was allowed to be long stays that.
    let usual = try TextLimit(rules, of: owner.service, isLong: false)
    let isLong = try usual.length(of: old.text) > usual.longest
    let limit = try TextLimit.longest(rules, of: owner.service, isLong: isLong)
    var new = old
    new.text = text
    try PostText.check(text, limit, mayBeBlank: !old.media.isEmpty)
    // With the names that an answer begins with.
    try PostText.check(writing.text(of: new), limit, mayBeBlank: true)
  }

  /// Nothing is sent now.
  private static let way = WritingWay(
    waits: false, isLater: true, isDryRun: false, needsNoQuestion: true, keepsMetadata: false)

  /// Prints the text of a post, or what else is to be done; messages say what belongs to it.
  private static func show(_ number: Int, _ outbox: borrowing Outbox) throws(ToolError) {
    guard let write = try outbox.entry(number) else { throw .noInput("write \(number) is not in the outbox") }
    var output = RecordWriter()
    let (draft, service) = (write.draft, write.owner.service)
    let text = draft?.text ?? "\(write.verb) \(service):\(write.target)"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      output.buffer.append(Printable.line(String(line), limit: .max) + "\n")
    }
    try output.flush()
    let copies = try write.group.map { (group) throws(ToolError) in try outbox.copies(of: group) }
    for copy in copies ?? [write] {
      let place = copy.address ?? copy.note ?? ""
      Diagnostics.note(
        "\(copy.id == number ? "this is" : "another copy is") write \(copy.id), \(copy.state.rawValue) at "
          + copy.owner.name + (place.isEmpty ? "" : ": \(place)"))
    }
    var facts = ["asked for: \(LocalMoment.text(write.createdAt))"]
    if !write.times.isEmpty { facts.append("to be sent: \(write.times)") }
    let thread = try outbox.thread(of: number)
    if let index = thread.firstIndex(of: number), thread.count > 1 {
      facts.append("thread: post \(index + 1) of \(thread.count)")
    }
    if let before = write.follows { facts.append("answers: write \(before)") }
    for fact in facts + (draft?.particulars(at: service) ?? []) { Diagnostics.note(fact) }
  }
}

extension PostDraft {
  /// What belongs to the post besides its text, a line each, for people.
  func particulars(at service: String) -> [String] {
    let names = [("answers", replyTo), ("quotes", quoteOf), ("edits", editOf)]
    var lines = names.compactMap { name, id in id.flatMap { $0.isEmpty ? nil : "\(name): \(service):\($0)" } }
    let others = [
      ("warning", warning), ("visibility", visibility?.rawValue), ("may answer", repliers?.rawValue),
      ("may quote", quoters?.rawValue), ("language", languages.isEmpty ? nil : languages.joined(separator: ", ")),
      ("card", card?.address),
    ]
    lines += others.compactMap { name, value in value.map { "\(name): \($0.isEmpty ? "none" : $0)" } }
    if isSensitive { lines.append("pictures: covered") }
    if let poll { lines += poll.options.map { "choice: \($0)" } + ["poll: \(poll.minutes) minutes"] }
    lines += media.map { "picture: \($0.path): \($0.altText ?? "no description")" }
    lines += altTexts.map { "description: \($0)" }
    return lines.map { Printable.line($0, limit: .max) }
  }
}
