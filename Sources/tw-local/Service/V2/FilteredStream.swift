import TweetCore

/// X v2's streams: the filtered one, and the sample.
extension Service {
  /// X sends at least a line end every 20 s.
  private static let keepAliveV2: Duration = .seconds(20)

  func openStream(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly(["backfill_minutes"] + Selection.postParameters)
    let view = view(try Selection(call.request, of: .posts))
    if call.endpoint == .stream, rulesInForce.isEmpty { throw Problem.noRules }
    if streams.values.contains(where: { $0.account == call.account.id && $0.endpoint == call.endpoint }) {
      throw Problem.tooManyConnections
    }
    return open(call.endpoint == .stream ? .filtered(view) : .sample(view), call, interval: Self.keepAliveV2)
  }

  /// The rules that a post fits, as a message tells them; `nil` when there are none.
  func matches(of post: SearchablePost) -> JSON? {
    let fitting = rulesInForce.filter { $0.query.matches(post) }
    if fitting.isEmpty { return nil }
    return .array(
      fitting.map { fit in .object([("id", .id(fit.rule.id)), ("tag", .string(fit.rule.tag ?? ""))]) })
  }
}
