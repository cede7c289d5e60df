import Libc
import TweetCLI
import TweetCore
import TweetServices

/// Makes one post at several accounts, or a thread at each, split by what a post may be there.
struct CrosspostRun {
  /// What a post answers or quotes at each of the targets: a copy there of the same post.
  struct Link {
    let verb: Verb
    let copies: [Outbox.Owner: Outbox.Copy]
  }

  /// What a target gets.
  private struct Plan {
    let target: CrossTarget
    var rules: (any PostRules)?
    var limit: TextLimit?
    var texts: [String] = []
    var drafts: [PostDraft] = []
    /// The picture of the first post's card.
    var cardPicture: [UInt8]?
    /// Why it cannot be posted there.
    var faults: [ToolError] = []
  }

  let targets: [CrossTarget]
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
    if !way.isDryRun { try refuse(plans) }
    return try source.text { (text) throws(ToolError) in
      var plans = plans
      var pages = CardPages()
      for index in plans.indices { try fill(&plans[index], draft, text, &pages) }
      if way.isDryRun { return try print(plans) }
      try refuse(plans)
      return try post(plans)
    }
  }

  // MARK: What each target can take

  private func plan(_ target: CrossTarget, _ draft: PostDraft) throws(ToolError) -> Plan {
    var plan = Plan(target: target)
    var draft = draft
    do throws(ToolError) {
      // A service that is not there now keeps no other from its copy.
      let rules = try target.access.postRules(way, needsService: false)
      plan.rules = rules
      // A card is made of a link by the service itself where a post brings none.
      for part in draft.leaveHints(by: rules) where part != .card {
        Diagnostics.note("\(target.name) has no \(part.rawValue): the post goes there without it")
      }
      if let link {
        try check(link, target)
        // What it is called may not be known yet. Here it is only that there is one: some things go with no answer or
        // quote.
        let id = link.copies[target.owner]?.result ?? ""
        if link.verb == .quote { draft.quoteOf = id } else { draft.replyTo = id }
      }
      plan.limit = try TextLimit.longest(rules, of: target.access.service, isLong: isLong)
      try target.access.require(
        target.access.writing().scopes(for: .post(draft)), for: "'\(WriteAction.post(draft).name)'")
      for part in draft.parts where !rules.postParts.contains(part) {
        plan.faults.append(.usage("service '\(target.access.service)' has no \(part.rawValue)"))
      }
      if plan.faults.isEmpty { try draft.check(by: rules, of: target.access.service) }
    } catch {
      if Interruption.signal != nil { throw error }
      plan.faults.append(error)
    }
    return plan
  }

  private func check(_ link: Link, _ target: CrossTarget) throws(ToolError) {
    guard let copy = link.copies[target.owner] else {
      throw .usage("the post that is named has no copy here, or none that stands where it does in its thread")
    }
    switch copy.state {
    case .refused: throw .usage("the copy that is named was refused here")
    case .done where copy.isGone || copy.result == nil: throw .usage("the copy that is named is gone here")
    case .done: break
    case .queued, .sending, .unsettled:
      if link.verb == .quote { throw .tryLater("the copy that is named is not posted here yet") }
    }
  }

  private func fill(
    _ plan: inout Plan, _ draft: PostDraft, _ text: String, _ pages: inout CardPages
  ) throws(ToolError) {
    guard let limit = plan.limit, let rules = plan.rules else { return }
    var draft = draft
    draft.keyMemory = rules.keyMemory
    _ = draft.leaveHints(by: rules)
    if link?.verb == .quote { draft.quoteOf = link?.copies[plan.target.owner]?.result }
    do throws(ToolError) {
      plan.texts = isThread ? try ThreadSplitter(limit, isNumbered: isNumbered).split(text) : [text]
      plan.drafts = try draft.posts(with: plan.texts)
    } catch {
      plan.faults.append(error)
    }
    for part in plan.drafts {
      do throws(ToolError) {
        try PostText.check(part.text, limit, mayBeBlank: !part.media.isEmpty)
      } catch {
        plan.faults.append(error)
      }
    }
    // Only for a post that can be made.
    if plan.faults.isEmpty { try prepareFiles(&plan, rules, &pages) }
  }

  /// Reads the page of a card, and says how files are made smaller.
  private func prepareFiles(
    _ plan: inout Plan, _ rules: any PostRules, _ pages: inout CardPages
  ) throws(ToolError) {
    guard !plan.drafts.isEmpty else { return }
    do throws(ToolError) {
      plan.cardPicture = try CardPage.read(
        for: &plan.drafts[0], rules, way, in: &pages, caFile: plan.target.access.caFile)
      if way.isDryRun {
        for part in plan.drafts {
          try part.tryFiles(
            rules.mediaLimits, keepsMetadata: way.keepsMetadata, service: plan.target.access.service)
        }
      }
    } catch {
      plan.faults.append(error)
    }
  }

  /// Refuses the whole if one target cannot have it: what a post loses on its way its author decides.
  private func refuse(_ plans: [Plan]) throws(ToolError) {
    let bad = plans.filter { !$0.faults.isEmpty }
    guard let status = bad.first?.faults.first?.status else { return }
    for plan in bad { for fault in plan.faults { warn(plan.target, fault) } }
    let names = bad.map(\.target.name).joined(separator: ", ")
    let message = "nothing was posted: leave out what \(names) cannot take, or leave \(names) out of --to"
    throw ToolError(status, message) ?? .usage(message)
  }

  private func warn(_ target: CrossTarget, _ fault: ToolError) {
    Diagnostics.warn("\(target.name): \(fault.message ?? "failed")")
  }

  private func print(_ plans: [Plan]) throws(ToolError) -> ExitStatus {
    for plan in plans {
      guard let limit = plan.limit else { continue }
      let particulars = DryRun.particulars(of: plan.drafts.first, at: plan.target, way)
      _ = try DryRun.print(plan.texts, limit, at: plan.target.name, particulars)
    }
    if way.isLater, isatty(1) == 0 { Diagnostics.note(way.sendingWords) }
    for plan in plans { for fault in plan.faults { warn(plan.target, fault) } }
    return plans.lazy.compactMap(\.faults.first).first?.status ?? .done
  }

  // MARK: Sending

  private func post(_ plans: [Plan]) throws(ToolError) -> ExitStatus {
    var sessions: [WritingSession] = []
    for plan in plans { sessions.append(try WritingSession(plan.target.access, way, settings)) }
    guard let first = sessions.first else { throw .bug("a crosspost has no target") }
    let hasFiles = plans.contains { $0.drafts.contains { !$0.files.isEmpty } }
    let (ids, goesOn, refused) =
      hasFiles
      ? try first.outbox.files.hold { () throws(ToolError) in
        var copied = plans
        for (index, session) in sessions.enumerated() {
          let plan = plans[index]
          copied[index].drafts = try session.copyingFiles(
            of: plan.drafts, cardPicture: plan.cardPicture, plan.rules?.mediaLimits)
        }
        return try first.outbox.add(
          copied.map(batch), isNew: way.isLater, due: way.dueAt, notAfter: way.notAfter)
      } : try first.outbox.add(plans.map(batch), isNew: way.isLater, due: way.dueAt, notAfter: way.notAfter)
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
    let parts = plans.indices.map {
      GroupRun.Part(target: plans[$0].target, session: sessions[$0], ids: ids[$0])
    }
    let result = Result { () throws(ToolError) in try GroupRun(parts: parts).run() }
    if hasFiles { first.removeUnusedFiles() }
    let status = try result.get()
    if status == .tryLater, let id = ids.joined().first, try first.outbox.entry(id) == nil {
      WritingSession.noteNotKept()
    }
    return status
  }

  private func batch(_ plan: Plan) -> Outbox.Batch {
    var command = plan.drafts.map(\.asked.json).joined(separator: "\n")
    let answered = link?.verb == .reply ? link?.copies[plan.target.owner]?.id : nil
    // What its copy is called may not be known yet, and the same command must be known by then.
    if let answered { command = "reply to write \(answered)\n\(command)" }
    return Outbox.Batch(
      owner: plan.target.owner, actions: plan.drafts.map { .post($0) }, command: command, isChain: isThread,
      follows: answered)
  }
}
