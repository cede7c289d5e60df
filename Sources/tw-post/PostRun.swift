import Libc
import TweetCLI
import TweetCore
import TweetServices

/// Makes a post, or several that answer each other.
struct PostRun {
  let access: ServiceAccess
  let way: WritingWay
  private let isLong: Bool
  private let isThread: Bool
  private let isNumbered: Bool
  private let settings: Settings

  init(_ access: ServiceAccess, _ way: WritingWay, _ settings: Settings, isLong: Bool, isThread: Bool, isNumbered: Bool)
  {
    self.access = access
    self.way = way
    self.settings = settings
    self.isLong = isLong
    self.isThread = isThread
    self.isNumbered = isNumbered
  }

  /// - Parameter draft: the post without its text.
  func run(_ draft: PostDraft, _ source: PostText.Source) throws(ToolError) -> ExitStatus {
    // Before somebody writes a text in an editor.
    let rules = try access.postRules(way)
    try draft.check(by: rules, of: access.service)
    let limit = try TextLimit(rules, of: access.service, isLong: isLong)
    let session = try WritingSession(access, way, settings)
    try session.requireScopes(for: .post(draft))
    let prepared = try session.prepared(draft)
    return try source.text { (text) throws(ToolError) in
      if case .none = source {
      } else if draft.editOf != nil, text.isEmpty {
        throw .badData("the text is empty: without a text the post keeps its own, and 'delete' removes it")
      }
      return try post(prepared, text, limit, rules, session)
    }
  }

  private func post(
    _ draft: PostDraft, _ text: String, _ limit: TextLimit, _ rules: any PostRules, _ session: WritingSession
  ) throws(ToolError) -> ExitStatus {
    let names = session.api.text(of: draft)
    let room = limit.lowered(by: names.isEmpty ? 0 : try limit.length(of: names + " "))
    let texts = isThread ? try ThreadSplitter(room, isNumbered: isNumbered).split(text) : [text]
    var draft = draft
    draft.keyMemory = rules.keyMemory
    var drafts = try draft.posts(with: texts)
    for part in drafts {
      try PostText.check(part.text, limit, mayBeBlank: !part.media.isEmpty || part.editOf != nil)
      try PostText.check(session.api.text(of: part), limit, mayBeBlank: true)
    }
    var pages = CardPages()
    let cardPicture = try CardPage.read(for: &drafts[0], rules, way, in: &pages, caFile: access.caFile)
    if way.isDryRun {
      for part in drafts {
        try part.tryFiles(rules.mediaLimits, keepsMetadata: way.keepsMetadata, service: access.service)
      }
      guard isatty(1) == 1 else { return try print(drafts, session) }
      let particulars = try DryRun.particulars(of: drafts.first, at: CrossTarget(access), way)
      return try DryRun.print(drafts.map(session.api.text), limit, particulars)
    }
    let ids = try session.queue(
      drafts, isChain: isThread, isNew: way.isLater, cardPicture: cardPicture, rules.mediaLimits)
    if way.isLater {
      let numbers = ids.map(String.init).joined(separator: ", ")
      Diagnostics.note("in the outbox as \(numbers); 'tw-post flush' sends it\(way.dueWords)")
      return .done
    }
    let result = Result { () throws(ToolError) in try carryOut(ids, session) }
    if drafts.contains(where: { !$0.files.isEmpty }) { session.removeUnusedFiles() }
    return try result.get()
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
        try giveUp(id, from: index, of: ids, session, error)
        if index > 0, error != .readerGone {
          Diagnostics.warn("\(index) of \(ids.count) posts are made; 'tw-post flush' posts the others")
        }
        throw error
      }
    }
    return .done
  }

  /// What was surely not posted is not kept: the caller sees that it failed and tries again. The rest of a thread is
  /// kept, since its beginning can be read already.
  private func giveUp(
    _ id: Int, from index: Int, of ids: [Int], _ session: WritingSession, _ error: ToolError
  ) throws(ToolError) {
    let state = try session.outbox.entry(id)?.state
    if state == .refused { try session.outbox.setReported(id) }
    if index == 0, state != .unsettled { try session.outbox.removeQueued(ids) }
    if index == 0, state == .queued, error.status == .tryLater { WritingSession.noteNotKept() }
  }

  private func print(_ drafts: [PostDraft], _ session: WritingSession) throws(ToolError) -> ExitStatus {
    // The service need not be there.
    let account = WritingAccount(id: access.userID ?? "", username: access.account ?? "", object: "{}")
    // What the uploads will be called is not known: their paths stand in their place.
    let requests = drafts.map {
      session.api.request(.post($0), WriteParts(media: $0.media.map(\.path), key: session.lastingKey()), by: account)
    }
    try DryRun.print(requests)
    if way.isLater { Diagnostics.note(way.sendingWords) }
    return .done
  }
}

extension PostDraft {
  /// The posts of a thread, of which this one without its text is the first. The others answer the one before them, and
  /// are seen by the same people.
  ///
  /// - Throws: `ToolError.usage` for a picture of a post that the thread does not have.
  func posts(with texts: [String]) throws(ToolError) -> [PostDraft] {
    if let file = media.first(where: { !(1...max(1, texts.count)).contains($0.post) }) {
      let count = texts.count == 1 ? "one post" : "\(texts.count) posts"
      throw .usage("'\(file.path)' is for post \(file.post), and the thread has \(count)")
    }
    return texts.enumerated().map { index, text in
      var part = self
      part.text = text
      if index > 0 {
        (part.replyTo, part.quoteOf, part.poll, part.repliers, part.card) = (nil, nil, nil, nil, nil)
        part.continues = true
      }
      part.media = media.filter { $0.post == index + 1 }
      return part
    }
  }
}

extension ServiceAccess {
  /// What a post may be. Where nothing is sent now, the service need not be there.
  ///
  /// - Parameter needsService: whether it is an error in any case if the service is not there.
  func postRules(_ way: WritingWay, needsService: Bool = true) throws(ToolError) -> any PostRules {
    let api = try writing()
    guard let request = api.rulesRequest else { return api }
    do throws(ToolError) {
      return try Exchange(waits: way.waits).ask(request, refusal: api.refusal, read: api.rules)
    } catch {
      guard way.isLater || way.isDryRun || !needsService, error.status == .tryLater, Interruption.signal == nil else {
        throw error
      }
      return api
    }
  }
}

extension WritingSession {
  /// Removes the copies of files that are not needed any more. What was posted is posted even if that fails.
  func removeUnusedFiles() {
    do throws(ToolError) { try outbox.removeUnusedFiles() } catch { Diagnostics.report(error) }
  }

  /// Says what becomes of a post that could not be sent, and that somebody may wait for.
  static func noteNotKept() { Diagnostics.note("not posted, not kept: --later keeps it") }

  /// Puts posts into the outbox, with copies of the files that they show.
  ///
  /// - Parameters:
  ///   - isChain: whether each answers the one before.
  ///   - isNew: whether they are other posts than those of the same command that was cut off before.
  ///   - cardPicture: that of the first post's card.
  ///   - limits: what the service takes.
  /// - Returns: the ids of the writes.
  fileprivate func queue(
    _ drafts: [PostDraft], isChain: Bool, isNew: Bool, cardPicture: [UInt8]?, _ limits: MediaLimits?
  ) throws(ToolError) -> [Int] {
    guard drafts.contains(where: { !$0.files.isEmpty }) else { return try add(drafts, isChain: isChain, isNew: isNew) }
    return try outbox.files.hold { () throws(ToolError) in
      try add(
        copyingFiles(of: drafts, cardPicture: cardPicture, limits), isChain: isChain, isNew: isNew)
    }
  }

  /// Copies the files that drafts show into the outbox. The caller holds the lock of the copies.
  /// - Parameters:
  ///   - cardPicture: that of the first post's card.
  ///   - limits: what the service takes.
  func copyingFiles(
    of drafts: [PostDraft], cardPicture: [UInt8]?, _ limits: MediaLimits?
  ) throws(ToolError) -> [PostDraft] {
    try outbox.files.copy(
      filesOf: drafts, cardPicture: cardPicture, keepsMetadata: way.keepsMetadata, limits, service: access.service)
  }

  private func add(_ drafts: [PostDraft], isChain: Bool, isNew: Bool) throws(ToolError) -> [Int] {
    let command = drafts.map(\.asked.json).joined(separator: "\n")
    let cutOff = isNew ? [] : try outbox.cutOff(command: command)
    if cutOff.isEmpty {
      return try outbox.add(
        drafts.map { .post($0) }, command: command, isChain: isChain, due: way.dueAt, notAfter: way.notAfter)
    }
    Diagnostics.note("going on with the same post, which was cut off before")
    return cutOff
  }
}
