import Libc
import TweetCLI
import TweetCore
import TweetServices

/// Makes a post, or several that answer each other: at one account, or at each of several, split by what a post may be
/// there.
struct PostRun {
  /// What a post answers or quotes at each of the targets: a copy there of the same post.
  struct Link {
    let verb: Verb
    let copies: [Outbox.Owner: OutboxEntry]
  }

  /// What a target gets.
  private struct Plan {
    let target: CrossTarget
    /// The post without its text.
    var draft: PostDraft
    var rules: (any PostRules)?
    var limit: TextLimit?
    /// That which was needed before there was a text.
    var session: WritingSession?
    var texts: [String] = []
    var drafts: [PostDraft] = []
    /// The picture of the first post's card.
    var cardPicture: [UInt8]?
    /// Why it cannot be posted there.
    var faults: [ToolError] = []
  }

  let targets: [CrossTarget]
  /// Whether `--to` names the targets. Messages say then which of them is meant, and each counts for itself.
  let isGroup: Bool
  let way: WritingWay
  let settings: Settings
  let isLong: Bool
  let isThread: Bool
  let isNumbered: Bool
  var link: Link?

  /// - Parameter draft: the post without its text.
  func run(_ draft: PostDraft, _ source: PostText.Source) throws(ToolError) -> ExitStatus {
    // Before somebody writes a text in an editor.
    var plans: [Plan] = []
    for target in targets { plans.append(try plan(target, draft)) }
    try refuse(plans)
    return try source.text { (text) throws(ToolError) in
      if case .none = source {
      } else if draft.editOf != nil, text.isEmpty {
        throw .badData("the text is empty: without a text the post keeps its own, and 'delete' removes it")
      }
      var plans = plans
      var pages = CardPages()
      for index in plans.indices { try fill(&plans[index], text, &pages) }
      try refuse(plans)
      return way.isDryRun ? try print(plans) : try post(plans)
    }
  }

  // MARK: What each target can take

  private func plan(_ target: CrossTarget, _ draft: PostDraft) throws(ToolError) -> Plan {
    var plan = Plan(target: target, draft: draft)
    let (access, service) = (target.access, target.access.service)
    do throws(ToolError) {
      // A service that is not there now keeps no other from its copy.
      let rules = try access.postRules(way, needsService: !isGroup)
      plan.rules = rules
      plan.draft.keyMemory = rules.keyMemory
      var asked: PostDraft
      if isGroup {
        // A card is made of a link by the service itself where a post brings none.
        for part in plan.draft.leaveHints(by: rules) where part != .card {
          Diagnostics.note("\(target.name) has no \(part.rawValue): the post goes there without it")
        }
        if let link { try follow(link, &plan) }
        asked = plan.draft
        // What is answered may have no name yet. Here it is only that there is one: some things go with no answer.
        if link?.verb == .reply { asked.replyTo = "" }
      } else {
        asked = plan.draft
        try asked.check(by: rules, of: service)
      }
      plan.limit =
        try isGroup
        ? TextLimit.longest(rules, of: service, isLong: isLong) : TextLimit(rules, of: service, isLong: isLong)
      try access.require(access.writing().scopes(for: .post(asked)), for: "'\(WriteAction.post(asked).name)'")
      if isGroup {
        plan.faults = asked.parts.filter { !rules.postParts.contains($0) }.map {
          .usage("service '\(service)' has no \($0.rawValue)")
        }
        if plan.faults.isEmpty { try asked.check(by: rules, of: service) }
      } else {
        let session = try WritingSession(access, way, settings)
        plan.draft = try session.prepared(plan.draft)
        plan.session = session
      }
    } catch {
      if Interruption.signal != nil { throw error }
      plan.faults.append(error)
    }
    return plan
  }

  /// Has a draft quote the copy that its target has. What it answers, its write says.
  private func follow(_ link: Link, _ plan: inout Plan) throws(ToolError) {
    guard let copy = link.copies[plan.target.owner] else {
      throw .usage("the post that is named has no copy here, or none that stands where it does in its thread")
    }
    switch copy.state {
    case .refused: throw .usage("the copy that is named was refused here")
    case .done where copy.isGone || copy.result == nil: throw .usage("the copy that is named is gone here")
    case .done: if link.verb == .quote { plan.draft.quoteOf = copy.result }
    case .queued, .sending, .unsettled:
      if link.verb == .quote { throw .tryLater("the copy that is named is not posted here yet") }
    }
  }

  private func fill(_ plan: inout Plan, _ text: String, _ pages: inout CardPages) throws(ToolError) {
    guard let limit = plan.limit, let rules = plan.rules else { return }
    let api = try plan.target.access.writing()
    do throws(ToolError) {
      let names = api.text(of: plan.draft)
      let room = limit.lowered(by: names.isEmpty ? 0 : try limit.length(of: names + " "))
      plan.texts = isThread ? try ThreadSplitter(room, isNumbered: isNumbered).split(text) : [text]
      plan.drafts = try plan.draft.posts(with: plan.texts)
    } catch {
      plan.faults.append(error)
    }
    for part in plan.drafts {
      do throws(ToolError) {
        try PostText.check(part.text, limit, mayBeBlank: !part.media.isEmpty || part.editOf != nil)
        // With the names that an answer begins with.
        try PostText.check(api.text(of: part), limit, mayBeBlank: true)
      } catch {
        plan.faults.append(error)
      }
    }
    // Only for a post that can be made.
    guard plan.faults.isEmpty else { return }
    do throws(ToolError) {
      plan.cardPicture = try pages.complete(&plan.drafts[0], rules, way, caFile: plan.target.access.caFile)
      for part in way.isDryRun ? plan.drafts : [] {
        try part.prepareFiles(rules.mediaLimits, keepsMetadata: way.keepsMetadata, service: plan.target.access.service)
      }
    } catch {
      plan.faults.append(error)
    }
  }

  /// Refuses the whole if one target cannot have it: what a post loses on its way its author decides. A trial shows
  /// what the others would get.
  private func refuse(_ plans: [Plan]) throws(ToolError) {
    let bad = plans.filter { !$0.faults.isEmpty }
    guard let fault = bad.first?.faults.first, !isGroup || !way.isDryRun else { return }
    if !isGroup { throw fault }
    warn(of: bad)
    let names = bad.map(\.target.name).joined(separator: ", ")
    let message = "nothing was posted: leave out what \(names) cannot take, or leave \(names) out of --to"
    throw ToolError(fault.status, message) ?? .usage(message)
  }

  private func warn(of plans: [Plan]) {
    for plan in plans {
      for fault in plan.faults { Diagnostics.warn("\(plan.target.name): \(fault.message ?? "failed")") }
    }
  }

  private func print(_ plans: [Plan]) throws(ToolError) -> ExitStatus {
    for plan in plans {
      guard let limit = plan.limit else { continue }
      let api = try plan.target.access.writing()
      if isGroup || isatty(1) == 1 {
        let particulars = DryRun.particulars(of: plan.drafts.first, at: plan.target, way)
        let texts = isGroup ? plan.texts : plan.drafts.map(api.text)
        try DryRun.print(texts, limit, at: isGroup ? plan.target.name : nil, particulars)
      } else {
        // The service need not be there.
        let account = WritingAccount(
          id: plan.target.access.userID ?? "", username: plan.target.access.account ?? "", object: "{}")
        // What the uploads will be called is not known: their paths stand in their place.
        let requests = plan.drafts.map { draft in
          let parts = WriteParts(media: draft.media.map(\.path), key: plan.session?.lastingKey())
          return api.request(.post(draft), parts, by: account)
        }
        try DryRun.print(requests)
      }
    }
    if way.isLater, isatty(1) == 0 { Diagnostics.note(way.sendingWords) }
    warn(of: plans)
    return plans.lazy.compactMap(\.faults.first).first?.status ?? .done
  }

  // MARK: Sending

  private func post(_ plans: [Plan]) throws(ToolError) -> ExitStatus {
    var sessions: [WritingSession] = []
    for plan in plans {
      let session = if let open = plan.session { open } else { try WritingSession(plan.target.access, way, settings) }
      sessions.append(session)
    }
    guard let first = sessions.first else { throw .bug("a post has no target") }
    let (ids, goesOn, refused) = try add(plans, first)
    if !refused.isEmpty {
      let numbers = refused.map { String($0) }.joined(separator: ", ")
      Diagnostics.note("going on with the same post: what was refused of it is asked for again (write \(numbers))")
    } else if goesOn {
      Diagnostics.note("going on with the same post, which was cut off before")
    }
    if way.isLater {
      let numbers = ids.joined().map { String($0) }.joined(separator: ", ")
      Diagnostics.note("in the outbox as \(numbers); 'tw-post flush' sends it\(way.dueWords)")
      return .done
    }
    let result = Result { () throws(ToolError) in
      guard isGroup else { return try carryOut(ids[0], first) }
      return try GroupRun(
        parts: plans.indices.map { GroupRun.Part(target: plans[$0].target, session: sessions[$0], ids: ids[$0]) }
      ).run()
    }
    if hasFiles(plans) { first.removeUnusedFiles() }
    let status = try result.get()
    if status == .tryLater, let id = ids.joined().first, try first.outbox.entry(id) == nil { noteNotKept() }
    return status
  }

  /// Puts the posts into the outbox, with copies of the files that they show.
  private func add(
    _ plans: [Plan], _ session: WritingSession
  ) throws(ToolError) -> (ids: [[Int]], goesOn: Bool, refused: [Int]) {
    func add(_ plans: [Plan]) throws(ToolError) -> (ids: [[Int]], goesOn: Bool, refused: [Int]) {
      try session.outbox.add(
        plans.map(batch), isGroup: isGroup, isNew: way.isLater, due: way.dueAt, notAfter: way.notAfter)
    }
    guard hasFiles(plans) else { return try add(plans) }
    let files = session.outbox.files
    return try files.hold { () throws(ToolError) in
      var copied = plans
      for (index, plan) in plans.enumerated() {
        copied[index].drafts = try files.copy(
          filesOf: plan.drafts, cardPicture: plan.cardPicture, keepsMetadata: way.keepsMetadata,
          plan.rules?.mediaLimits, service: plan.target.access.service)
      }
      return try add(copied)
    }
  }

  private func hasFiles(_ plans: [Plan]) -> Bool { plans.contains { $0.drafts.contains { !$0.files.isEmpty } } }

  private func batch(_ plan: Plan) -> Outbox.Batch {
    var command = plan.drafts.map(\.asked.json).joined(separator: "\n")
    let answered = link?.verb == .reply ? link?.copies[plan.target.owner]?.id : nil
    // What its copy is called may not be known yet, and the same command must be known by then.
    if let answered { command = "reply to write \(answered)\n\(command)" }
    return Outbox.Batch(
      owner: plan.target.owner, actions: plan.drafts.map { .post($0) }, command: command, isChain: isThread,
      follows: answered)
  }

  /// Makes the posts of one account, and prints each at once.
  private func carryOut(_ ids: [Int], _ session: WritingSession) throws(ToolError) -> ExitStatus {
    var records = WrittenRecords(session)
    for (index, id) in ids.enumerated() {
      do throws(ToolError) {
        switch try session.carryOut(id) {
        case .done: try records.report(id)
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
    if index == 0, state == .queued, error.status == .tryLater { noteNotKept() }
  }

  /// Says what becomes of a post that could not be sent, and that somebody may wait for.
  private func noteNotKept() { Diagnostics.note("not posted, not kept: --later keeps it") }
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
