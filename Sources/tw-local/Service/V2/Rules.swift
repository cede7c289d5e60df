import TweetCore

/// A rule of the filtered stream, ready to be matched.
struct StreamRule {
  let rule: LocalStore.Rule
  let query: Query
  let inForce: ContinuousClock.Instant
}

/// The filtered stream's rules.
extension Service {
  /// X's limits for self-serve accounts.
  private static let maxRules = 1000
  private static let maxRuleLength = 1024
  private static let maxRulesPerPage = 1000

  /// Those that posts are held against now.
  var rulesInForce: [StreamRule] {
    let now = ContinuousClock.now
    return rules.filter { $0.inForce <= now }
  }

  func listRules(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    try request.allowOnly(["ids", "max_results", "pagination_token"])
    let count = try request.number("max_results", in: 1...Self.maxRulesPerPage, default: Self.maxRulesPerPage)
    let after = try PageRange(request, tokens: ["pagination_token"]).resume ?? 0
    var wanted = rules.map(\.rule).filter { $0.id > after }
    if request.parameter("ids") != nil {
      let ids = try request.list("ids").map { (text) throws(Problem) in try HTTPRequest.id(text, of: "ids") }
      wanted = wanted.filter { ids.contains($0.id) }
    }
    let shown = wanted.prefix(count)
    var members: JSON.Members = []
    if !shown.isEmpty { members.append(("data", .array(shown.map(Self.object)))) }
    var meta: JSON.Members = [("sent", Self.now), ("result_count", .number(shown.count))]
    if wanted.count > count, let last = shown.last {
      meta.append(("next_token", .string(PageRange.token(after: last.id))))
    }
    return reply(members + [("meta", .object(meta))])
  }

  private static var now: JSON { .string(Timestamp.now.rfc3339) }

  private static func object(_ rule: LocalStore.Rule) -> JSON {
    var members: JSON.Members = [("id", .id(rule.id)), ("value", .string(rule.value))]
    if let tag = rule.tag { members.append(("tag", .string(tag))) }
    return .object(members)
  }

  func changeRules(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    try request.allowOnly(["dry_run", "delete_all"])
    let isDryRun = try flag("dry_run", request)
    if try flag("delete_all", request) {
      return try delete(rules.map(\.rule.id), missing: 0, isDryRun: isDryRun)
    }
    let document = try document(call)
    let body = document.root
    switch (body["add"], body["delete"]) {
    case (let additions?, nil): return try addRules(try Self.drafts(additions), isDryRun: isDryRun)
    case (nil, let deletions?):
      let (ids, missing) = try deletions.isObject ? targets(deletions) : { throw Self.mismatch("delete") }()
      return try delete(ids, missing: missing, isDryRun: isDryRun)
    default: throw Self.mismatch("add")
    }
  }

  private func flag(_ name: String, _ request: HTTPRequest) throws(Problem) -> Bool {
    switch request.parameter(name) {
    case nil, "false"?: return false
    case "true"?: return true
    case let text?:
      throw .invalid(name, text, "The `\(name)` query parameter value [\(text)] is not one of [true,false]")
    }
  }

  private static func mismatch(_ member: String) -> Problem {
    .invalid([(member, [], "JSON doesn't match expected schema")])
  }

  private static func drafts(_ list: JSONValue) throws(Problem) -> [(value: String, tag: String?)] {
    var drafts: [(value: String, tag: String?)] = []
    for element in list.elements {
      guard let value = element["value"]?.string else { throw mismatch("add") }
      drafts.append((value, element["tag"]?.string))
    }
    guard !drafts.isEmpty else { throw mismatch("add") }
    return drafts
  }

  private func addRules(_ drafts: [(value: String, tag: String?)], isDryRun: Bool) throws -> HTTPResponse {
    var made: [StreamRule] = []
    var errors: [JSON] = []
    var duplicates = 0
    for draft in drafts {
      if let twin = (rules + made).first(where: { $0.rule.value == draft.value }) {
        duplicates += 1
        errors.append(
          .object([
            ("value", .string(draft.value)), ("id", .id(twin.rule.id)), ("title", .string("DuplicateRule")),
            ("type", Problem.type("duplicate-rules")),
          ]))
        continue
      }
      do {
        let query = try Self.parse(draft.value)
        let rule = LocalStore.Rule(id: store.newID(at: .now), value: draft.value, tag: draft.tag)
        made.append(StreamRule(rule: rule, query: query, inForce: .now + ruleDelay))
      } catch {
        errors.append(
          .object([
            ("value", .string(draft.value)), ("details", .array([.string(error.message)])),
            ("title", .string("UnprocessableEntity")), ("type", Problem.type("invalid-rules")),
          ]))
      }
    }
    guard rules.count + made.count <= Self.maxRules else {
      throw Problem.forbidden("Rule cap of \(Self.maxRules) reached.")
    }
    if !isDryRun {
      try store.write { () throws(ToolError) in
        for new in made { try store.add(new.rule) }
      }
      rules += made
    }
    let valid = made.count + duplicates
    let summary = JSON.object([
      ("created", .number(made.count)), ("not_created", .number(drafts.count - made.count)),
      ("valid", .number(valid)), ("invalid", .number(drafts.count - valid)),
    ])
    var members: JSON.Members = []
    if !made.isEmpty { members.append(("data", .array(made.map { Self.object($0.rule) }))) }
    members.append(("meta", .object([("sent", Self.now), ("summary", summary)])))
    if !errors.isEmpty { members.append(("errors", .array(errors))) }
    return reply(members, status: valid > 0 ? 201 : 400)
  }

  private static func parse(_ value: String) throws(QueryParser.Fault) -> Query {
    guard value.unicodeScalars.count <= maxRuleLength else {
      throw QueryParser.Fault(message: "Rules must be at most \(maxRuleLength) characters long")
    }
    return try QueryParser.parse(value, as: .stream)
  }

  /// The rules that a deletion names, and how many of those it names are not there.
  private func targets(_ deletion: JSONValue) throws(Problem) -> (ids: [Int], missing: Int) {
    var found: [Int] = []
    var named = 0
    for (member, isFit) in [
      ("ids", { (rule: LocalStore.Rule, text: String) in String(rule.id) == text }),
      ("values", { (rule: LocalStore.Rule, text: String) in rule.value == text }),
    ] {
      guard let list = deletion.member(named: member) else { continue }
      for element in list.elements {
        guard let text = element.string else { throw Self.mismatch("delete") }
        named += 1
        found += rules.filter { isFit($0.rule, text) }.map(\.rule.id)
      }
    }
    guard named > 0 else { throw Self.mismatch("delete") }
    return (found, named - found.count)
  }

  private func delete(_ ids: [Int], missing: Int, isDryRun: Bool) throws -> HTTPResponse {
    if !isDryRun {
      try store.write { () throws(ToolError) in
        for id in ids { try store.removeRule(id) }
      }
      rules.removeAll { ids.contains($0.rule.id) }
    }
    let summary = JSON.object([("deleted", .number(ids.count)), ("not_deleted", .number(missing))])
    var members: JSON.Members = [("meta", .object([("sent", Self.now), ("summary", summary)]))]
    if missing > 0 {
      let fault = JSON.object([("message", .string("Rule does not exist")), ("parameters", .object([]))])
      members.append(
        (
          "errors",
          .array([
            .object([
              ("errors", .array([fault])), ("title", .string("Invalid Request")),
              ("detail", .string("One or more parameters to your request was invalid.")),
              ("type", Problem.type("invalid-request")),
            ])
          ])
        ))
    }
    return reply(members)
  }
}
