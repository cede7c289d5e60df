import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetServices

/// Shows one write of the outbox, and has its text changed.
extension OutboxRun {
  /// Opens the text of a post that waits in the person's editor. Copies of it that wait and have the same text get the
  /// new one too.
  static func edit(
    _ number: Int, _ outbox: borrowing Outbox, at wanted: [Outbox.Owner]?, _ targets: CrossTargets
  ) throws(ToolError) {
    guard let write = try outbox.written(number), write.state == .queued, let old = PostDraft(json: write.target) else {
      throw .noInput("write \(number) is no post that waits in the outbox: 'tw-post outbox' lists them")
    }
    var posts = [(id: number, owner: write.owner, old: old)]
    if let group = try outbox.group(of: number) {
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
    var editor = try TextEditor(old.text)
    guard let text = try editor.edit() else { return Diagnostics.note("write \(number) stays as it is") }
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
  static func show(_ number: Int, _ outbox: borrowing Outbox) throws(ToolError) {
    guard let write = try outbox.lines(number).first else { throw .noInput("write \(number) is not in the outbox") }
    var output = RecordWriter()
    let draft = PostDraft(json: write.target)
    let text = draft?.text ?? "\(write.action) \(write.service):\(write.target)"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      output.buffer.append(Printable.line(String(line), limit: .max) + "\n")
    }
    try output.flush()
    let group = try outbox.group(of: number)
    for copy in try group.map({ (group) throws(ToolError) in try outbox.copies(of: group) }) ?? [] {
      let place = copy.address ?? copy.note ?? ""
      Diagnostics.note(
        "\(copy.id == number ? "this is" : "another copy is") write \(copy.id), \(copy.state.rawValue) at "
          + "\(copy.owner.service):\(copy.owner.account)" + (place.isEmpty ? "" : ": \(place)"))
    }
    if group == nil {
      let reason = write.note.map { ": \($0)" } ?? ""
      Diagnostics.note("this is write \(number), \(write.state) at \(write.service):\(write.account)\(reason)")
    }
    var facts = ["asked for: \(LocalMoment.text(rfc3339: write.createdAt))"]
    if !write.times.isEmpty { facts.append("to be sent: \(write.times)") }
    let thread = try outbox.thread(of: number)
    if let index = thread.firstIndex(of: number), thread.count > 1 {
      facts.append("thread: post \(index + 1) of \(thread.count)")
    }
    if let before = write.follows { facts.append("answers: write \(before)") }
    for fact in facts + (draft?.particulars(at: write.service) ?? []) { Diagnostics.note(fact) }
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
