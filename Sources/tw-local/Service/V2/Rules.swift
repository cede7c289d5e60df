import TweetCore

/// The rules of the filtered stream.
extension Endpoint {
  static let rules = [
    Endpoint("GET", path: "/2/tweets/search/stream/rules", limit: 450) { try $0.listRules($1) },
    Endpoint("POST", path: "/2/tweets/search/stream/rules", limit: 100, access: .reading(.tweetWrite)) {
      try $0.changeRules($1)
    },
  ]
}

extension Service {
  private static let maxRulesPerPage = 1000

  fileprivate func listRules(_ call: Call) throws -> ServerResponse {
    let request = call.request
    try request.allowOnly(["ids", "max_results", "pagination_token"])
    let count = try request.number("max_results", in: 1...Self.maxRulesPerPage, default: Self.maxRulesPerPage)
    let after = try request.pageToken() ?? 0
    var wanted = rules.all(of: call.caller.owner).filter { $0.id > after }
    if request.parameter("ids") != nil {
      let ids = try request.list("ids").map { (text) throws(Problem) in try ServerRequest.id(text, of: "ids") }
      wanted = wanted.filter { ids.contains($0.id) }
    }
    let shown = wanted.prefix(count)
    let members = members(shown.map(Self.object), asList: true)
    let meta = [("sent", Self.now)] + pageMeta(shownIDs: shown.map(\.id), hasMore: wanted.count > count)
    return ServerResponse(json: .object(members + [("meta", .object(meta))]))
  }

  private static var now: JSON { .string(Timestamp.now.rfc3339) }

  private static func object(_ rule: LocalStore.Rule) -> JSON {
    var members: JSON.Members = [("id", .id(rule.id)), ("value", .string(rule.value))]
    if let tag = rule.tag { members.append(("tag", .string(tag))) }
    return .object(members)
  }

  // MARK: Changes

  fileprivate func changeRules(_ call: Call) throws -> ServerResponse {
    let (request, owner) = (call.request, call.caller.owner)
    try request.allowOnly(["dry_run", "delete_all"])
    let isDryRun = try request.flag("dry_run")
    if try request.flag("delete_all") {
      return try removeRules(rules.all(of: owner).map(\.id), missing: 0, isDryRun: isDryRun)
    }
    let body = try RequestBody(request)
    switch (body.root["add"], body.root["delete"]) {
    case (let additions?, nil): return try addRules(Self.additions(additions), of: owner, isDryRun: isDryRun)
    case (nil, let deletions?):
      let (ids, missing) = try rulesToRemove(deletions, of: owner)
      return try removeRules(ids, missing: missing, isDryRun: isDryRun)
    default: throw Self.schemaMismatch("add")
    }
  }

  private static func schemaMismatch(_ member: String) -> Problem {
    .invalid([Problem.ParameterFault(parameter: member, values: [], message: "JSON doesn't match expected schema")])
  }

  private static func additions(_ list: JSONDocument) throws(Problem) -> [(value: String, tag: String?)] {
    var additions: [(value: String, tag: String?)] = []
    for element in list.elements {
      guard let value = element["value"]?.string else { throw schemaMismatch("add") }
      additions.append((value, element["tag"]?.string))
    }
    guard !additions.isEmpty else { throw schemaMismatch("add") }
    return additions
  }

  private func addRules(
    _ additions: [(value: String, tag: String?)], of owner: String, isDryRun: Bool
  ) throws -> ServerResponse {
    var added: [LocalStore.Rule] = []
    var errors: [JSON] = []
    var duplicates = 0
    for (addition, outcome) in zip(additions, try rules.add(additions, of: owner, isDryRun: isDryRun)) {
      switch outcome {
      case .added(let rule): added.append(rule)
      case .duplicate(let existing):
        duplicates += 1
        errors.append(
          [
            "value": .string(addition.value), "id": .id(existing.id), "title": "DuplicateRule",
            "type": Problem.type("duplicate-rules"),
          ])
      case .invalid(let reason):
        errors.append(
          [
            "value": .string(addition.value), "details": [.string(reason)], "title": "UnprocessableEntity",
            "type": Problem.type("invalid-rules"),
          ])
      }
    }
    let valid = added.count + duplicates
    let summary: JSON = [
      "created": .number(added.count), "not_created": .number(additions.count - added.count), "valid": .number(valid),
      "invalid": .number(additions.count - valid),
    ]
    var members: JSON.Members = []
    if !added.isEmpty { members.append(("data", .array(added.map(Self.object)))) }
    members.append(("meta", ["sent": Self.now, "summary": summary]))
    if !errors.isEmpty { members.append(("errors", .array(errors))) }
    return ServerResponse(status: valid > 0 ? 201 : 400, json: .object(members))
  }

  /// The rules of an owner that a deletion names by `ids` or `values`, and how many of those it names do not exist.
  private func rulesToRemove(
    _ deletion: JSONDocument, of owner: String
  ) throws(Problem) -> (ids: [Int], missing: Int) {
    guard deletion.isObject else { throw Self.schemaMismatch("delete") }
    let own = rules.all(of: owner)
    var found: [Int] = []
    var named = 0
    for (member, ids) in [
      ("ids", Dictionary(own.map { (String($0.id), $0.id) }) { first, _ in first }),
      ("values", Dictionary(own.map { ($0.value, $0.id) }) { first, _ in first }),
    ] {
      guard let list = deletion.member(named: member) else { continue }
      for element in list.elements {
        guard let text = element.string else { throw Self.schemaMismatch("delete") }
        named += 1
        if let id = ids[text] { found.append(id) }
      }
    }
    guard named > 0 else { throw Self.schemaMismatch("delete") }
    return (found, named - found.count)
  }

  private func removeRules(_ ids: [Int], missing: Int, isDryRun: Bool) throws -> ServerResponse {
    if !isDryRun { try rules.remove(ids) }
    let summary: JSON = ["deleted": .number(ids.count), "not_deleted": .number(missing)]
    var members: JSON.Members = [("meta", ["sent": Self.now, "summary": summary])]
    if missing > 0 {
      let error: JSON = ["message": "Rule does not exist", "parameters": [:]]
      members.append(("errors", .array([.object(Problem.invalidRequest([error]))])))
    }
    return ServerResponse(json: .object(members))
  }
}
