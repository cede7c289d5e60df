import TweetCLI
import TweetCore
import TweetServices

/// Makes a post, or several that answer each other.
struct PostRun {
  private let access: ServiceAccess
  private let way: WritingWay
  private let limit: Int
  private let isThread: Bool

  init(_ access: ServiceAccess, _ way: WritingWay, limit: Int, isThread: Bool) {
    self.access = access
    self.way = way
    self.limit = limit
    self.isThread = isThread
  }

  /// - Parameter draft: the post without its text.
  func run(_ draft: PostDraft, _ source: PostText.Source) throws(ToolError) -> ExitStatus {
    switch source {
    case .word(let text): return try post(draft, PostText.trimmed(text))
    case .input: return try post(draft, try PostText.readInput())
    case .editor(let text):
      var editor = try TextEditor(text)
      guard let written = try editor.edit() else {
        Diagnostics.note("nothing was posted: the text is empty or unchanged")
        return .done
      }
      do throws(ToolError) {
        let status = try post(draft, written)
        editor.removeFile()
        return status
      } catch {
        if error == .readerGone { throw error }
        Diagnostics.warn("your text is in '\(editor.path)'")
        throw error
      }
    }
  }

  private func post(_ draft: PostDraft, _ text: String) throws(ToolError) -> ExitStatus {
    let texts = isThread ? try ThreadSplitter(limit: limit).split(text) : [text]
    var drafts: [PostDraft] = []
    for (index, text) in texts.enumerated() {
      try PostText.check(text, limit: limit)
      var part = draft
      part.text = text
      // The others answer the one before them.
      if index > 0 { part = PostDraft(text: text) }
      drafts.append(part)
    }
    let session = try WritingSession(access, way)
    if way.isDryRun { return try print(drafts, session) }
    let command = drafts.map(\.json).joined(separator: "\n")
    let cutOff = way.isLater ? [] : try session.outbox.cutOff(command: command)
    if !cutOff.isEmpty { Diagnostics.note("going on with the same post, which was cut off before") }
    let ids =
      cutOff.isEmpty
      ? try session.outbox.add(drafts.map { .post($0) }, command: command, isChain: isThread) : cutOff
    if way.isLater {
      Diagnostics.note("in the outbox as \(ids.map(String.init).joined(separator: ", ")); 'tw-post flush' sends it")
      return .done
    }
    return try carryOut(ids, session)
  }

  private func carryOut(_ ids: [Int], _ session: WritingSession) throws(ToolError) -> ExitStatus {
    var records = WrittenRecords(access)
    for (index, id) in ids.enumerated() {
      do throws(ToolError) {
        switch try session.carryOut(id) {
        case .done: try session.report(id, to: &records)
        case .refused(let error): throw error
        }
      } catch {
        try giveUp(id, from: index, of: ids, session)
        if index > 0, error != .readerGone {
          Diagnostics.warn("\(index) of \(ids.count) posts are made; 'tw-post flush' posts the others")
        }
        throw error
      }
    }
    return .done
  }

  /// What was surely not posted is not kept: the caller sees that it failed and tries again. The rest of a thread is kept, since
  /// its beginning can be read already.
  private func giveUp(_ id: Int, from index: Int, of ids: [Int], _ session: WritingSession) throws(ToolError) {
    let state = try session.outbox.entry(id)?.state
    if state == .refused { try session.outbox.setReported(id) }
    if index == 0, state != .unsettled { try session.outbox.removeQueued(ids) }
  }

  private func print(_ drafts: [PostDraft], _ session: WritingSession) throws(ToolError) -> ExitStatus {
    // The requests of posts do not name the account.
    let account = WritingAccount(id: "", username: "", object: "{}")
    // What the uploads will be called is not known: their paths stand in their place.
    let requests = drafts.map {
      session.api.request(.post($0), target: "", media: $0.media.map(\.path), by: account)
    }
    try DryRun.print(requests)
    return .done
  }
}

extension WritingSession {
  /// Prints the record of a post that was made.
  func report(_ id: Int, to records: inout WrittenRecords) throws(ToolError) {
    guard let entry = try outbox.entry(id), case .post(var draft) = entry.action else { return }
    if let before = entry.follows { draft.replyTo = try outbox.entry(before)?.result }
    if let result = entry.result {
      try records.write(document: api.document(of: draft, id: result, by: account()))
    } else {
      Diagnostics.note("the service has the post already, and does not say which it is")
    }
    try outbox.setReported(id)
  }
}
