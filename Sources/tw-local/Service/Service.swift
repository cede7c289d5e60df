import TweetCLI
import TweetCore

/// The service: its store, its open streams, its rate limits. An actor, so that requests take effect one after the other
/// and the store has one user at a time.
actor Service {
  let store: LocalStore
  let site: SiteAddress
  /// Time between two keep-alives of a stream; `nil` means X's.
  let keepAlive: Duration?
  private var limits: RateLimits
  /// How long after it was added a rule takes effect; on X about 20 s.
  let ruleDelay: Duration
  /// The rules of the filtered stream, parsed once.
  var rules: [StreamRule] = []
  /// The open streams by their number.
  var streams: [Int: OpenStream] = [:]
  var lastStream = 0

  /// - Parameter store: belongs to the actor from now on.
  init(store: sending LocalStore, site: SiteAddress, keepAlive: Duration?, limits: RateLimits, ruleDelay: Duration)
    throws(ToolError)
  {
    self.store = store
    self.site = site
    self.keepAlive = keepAlive
    self.limits = limits
    self.ruleDelay = ruleDelay
    for rule in try store.rules() {
      // Rules are parsed before they are stored; only a rule of an older version can fail here, and is left out.
      if let query = try? QueryParser.parse(rule.value, as: .stream) {
        rules.append(StreamRule(rule: rule, query: query, inForce: .now))
      }
    }
  }

  /// Answers any request. The API is below `/2` and `/1.1`; all other paths are the service's web site.
  nonisolated func answer(_ request: ServerRequest) async -> ServerResponse {
    switch request.path.first {
    case "2": await answer(request, in: .v2)
    case "1.1": await answer(request.addingFormParameters(), in: .v1)
    default: await answerSite(request)
    }
  }

  private func answer(_ request: ServerRequest, in version: APIVersion) -> ServerResponse {
    var response: ServerResponse
    var window: RateLimits.State?
    do {
      let (endpoint, pathValues) = try Router.endpoint(for: request)
      let (token, account) = try authenticate(request)
      let counted = limits.count(token: token, endpoint: endpoint, now: .now)
      window = counted.state
      if counted.isExceeded { throw Problem.tooManyRequests }
      response = try endpoint.handler(
        self, Call(request: request, endpoint: endpoint, pathValues: pathValues, account: account))
    } catch let problem as Problem {
      response = problem.response(in: version)
    } catch {
      // Handlers throw nothing else but errors of the store.
      if let error = error as? ToolError { Diagnostics.report(error) }
      let message = (error as? ToolError)?.message ?? "\(error)"
      response = Problem.storeFailed(message).response(in: version)
    }
    response.headers += window?.headers ?? []
    response.headers.append(("cache-control", "no-store"))
    return response
  }

  private func authenticate(_ request: ServerRequest) throws -> (token: String, account: Account) {
    let words = (request.headers["authorization"] ?? "").split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer",
      let account = try store.account(token: String(words[1]))
    else { throw Problem.unauthorized }
    return (String(words[1]), account)
  }

  /// What reads posts with all that belongs to them.
  var reader: PostReader { PostReader(store: store, site: site) }
}
