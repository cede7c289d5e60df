package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// X API v2's filtered stream of hashtags: a rule for each, added before the connection and removed at the end.
package struct FilteredStream: V2Stream {
  /// What the last request for rules asked for; ids of rules.
  private enum Step {
    case list, add
    case delete([String])
  }

  /// Rules in one request, which keeps bodies and URLs short. An app may have a thousand.
  private static let batch = 100
  /// Rules that a notice names, and characters of each.
  private static let mostNames = 5
  private static let longestName = 60

  private let requests: XRequests
  private let keepsRules: Bool
  private var rules: StreamRules
  private var step = Step.list

  /// - Parameters:
  ///   - hashtags: without `#`, at least one.
  ///   - keepsRules: leave the rules at the service when ending.
  package init(_ requests: XRequests, hashtags: [String], keepsRules: Bool = false) {
    self.requests = requests
    self.keepsRules = keepsRules
    rules = StreamRules(hashtags.map { StreamRules.Wanted(hashtag: $0) })
  }

  package var feeds: [String] { rules.wanted.map(\.feed) }

  package func connection() -> HTTPRequest { requests.filteredStream() }

  package func meaning(of message: JSONValue) -> StreamMessage {
    if let problem = ServiceProblem(message: message) { return .closing(Refusal(problem)) }
    guard let feed = rules.feed(of: message) else { return .foreign(id: postID(in: message)) }
    return .post(id: postID(in: message), feed: feed)
  }

  // MARK: Rules

  package var hasRules: Bool { true }
  package var lacksRules: Bool { !rules.missing.isEmpty }
  package mutating func invalidateRules() { rules.invalidate() }
  package var rulesAddedAt: Timestamp? { rules.addedAt }

  /// X applies a rule after some 20 s (docs.x.com, filtered stream), tw-local at once.
  package var ruleDelay: Int { requests.isLocal ? 0 : 20_000 }

  package mutating func nextRuleRequest() -> HTTPRequest? {
    if rules.isListDue {
      step = .list
      return requests.listRules(token: rules.listToken)
    }
    if !rules.missing.isEmpty {
      step = .add
      return requests.addRules(rules.missing.prefix(Self.batch).map { ($0.value, $0.tag.text) })
    }
    if !rules.obsolete.isEmpty, !keepsRules {
      let ids = Array(rules.obsolete.prefix(Self.batch))
      step = .delete(ids)
      return requests.deleteRules(ids: ids)
    }
    return nil
  }

  package mutating func readRuleAnswer(_ response: HTTPResponse) -> RuleAnswer {
    switch step {
    case .list:
      guard response.isSuccess else { return .refused(Refusal(response)) }
      guard let found = rules.recordListed(response) else {
        return .refused(Self.unreadable(response) ?? Self.trouble(Refusal.unreadable(response)))
      }
      return done(found.map(notice))
    case .add:
      guard let problem = rules.recordAdded(response) else { return done([]) }
      if let unreadable = Self.unreadable(response) { return .refused(unreadable) }
      var refusal = Refusal(response)
      if response.isSuccess || problem.status == 400 {
        let advice = problem.kind == "rule-cap" ? "remove rules of the app" : "shorten or correct it"
        refusal = Refusal(
          .final, problem.text, error: .refused("the service does not accept the rule: \(problem.text); \(advice)"))
      }
      return .refused(refusal)
    case .delete(let ids):
      guard response.isSuccess else { return .refused(Refusal(response)) }
      guard let fault = removalFault(response) else {
        rules.recordDeleted(ids)
        return done([])
      }
      rules.postponeDeletion(ids)
      let text = "stream rule \(ids.joined(separator: ", ")) was not removed: \(fault); its posts may be billed"
      return done([Notice(.warning, "rule-not-removed", text)])
    }
  }

  private mutating func done(_ notices: [Notice]) -> RuleAnswer {
    let gone = rules.removeReplaced()
    return .done(notices + gone.map(Self.goneNotice), gone: gone)
  }

  /// That something other than the service answered, or half of it: it may answer the next try.
  private static func unreadable(_ response: HTTPResponse) -> Refusal? {
    guard response.isSuccess, (try? JSONDocument(response.body)) == nil else { return nil }
    return trouble(Refusal.unreadable(response))
  }

  private static func trouble(_ refusal: Refusal) -> Refusal {
    var refusal = refusal
    refusal.meaning = .trouble
    return refusal
  }

  private static func goneNotice(_ value: String) -> Notice {
    Notice(
      .warning, "rule-gone",
      "another program has removed rule '\(value)': it is there again, and posts since then may be missing"
    )
    .with("feed", value)
  }

  private func notice(_ finding: StreamRules.Finding) -> Notice {
    switch finding {
    case .secondInstance(let value, let tag):
      let owner = tag.isOfThisMachine ? "process \(tag.process)" : "another machine"
      return Notice(
        .warning, "second-instance",
        "\(owner) streams '\(value)' already: when that one ends it removes the rule, and posts may come late"
      )
      .with("feed", value)
    case .shared(let value):
      return Notice(
        .warning, "rule-shared",
        "rule '\(value)' was there already: if its owner removes it, posts may come late")
    case .foreign(let values): return foreignNotice(values)
    }
  }

  private func foreignNotice(_ values: [String]) -> Notice {
    let names = values.prefix(Self.mostNames).map { "'\($0.prefix(Self.longestName))'" }.joined(separator: ", ")
    let more = values.count > Self.mostNames ? " and \(values.count - Self.mostNames) more" : ""
    let (noun, whose) = values.count == 1 ? ("another rule", "its") : ("\(values.count) other rules", "their")
    let price = requests.postPrice
    let isFree = price == nil
    let cost = price.map { "are billed (\($0.text) a post), and left out" } ?? "are left out"
    return Notice(
      isFree ? .info : .warning, "foreign-rules",
      "this app has \(noun), \(names)\(more): \(whose) posts come on this stream too, \(cost)"
    )
    .with("count", json: String(values.count))
  }

  /// The connection stays: what it brings follows the rules.
  package mutating func replaceHashtags(with hashtags: [String]) -> Bool? {
    rules.replace(with: hashtags.map { StreamRules.Wanted(hashtag: $0) })
    return false
  }

  package func removalRequests() -> [HTTPRequest] {
    if keepsRules { return [] }
    let ids = rules.ownIDs
    return stride(from: 0, to: ids.count, by: Self.batch).map { start in
      requests.deleteRules(ids: Array(ids[start..<min(start + Self.batch, ids.count)]))
    }
  }

  /// X answers with 200 also if it removes nothing: `{"meta":{"summary":{"deleted":0,"not_deleted":1}},"errors":[…]}`.
  package func removalFault(_ response: HTTPResponse) -> String? {
    guard response.isSuccess else { return refusal(response).text }
    guard let document = try? JSONDocument(response.body) else { return Refusal.unreadable(response).text }
    if let problem = document.read({ ServiceProblem(message: $0) }) { return problem.text }
    let kept = document["meta"]?["summary"]?["not_deleted"]?.integer ?? 0
    return kept > 0 ? "the service says that it has not removed \(kept) of them" : nil
  }

  package var ownRules: String { "stream rule \(rules.ownIDs.joined(separator: ", "))" }

  // MARK: Backfill

  package func pages(of feed: String) -> (any PagedSource)? { V2Pages(requests, .hashtag(String(feed.dropFirst()))) }
  package func lastID(before time: Timestamp) -> PostID? { .last(before: time) }
}
