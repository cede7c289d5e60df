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
  var signInState: SignInState
  let passwords = PasswordQueue()
  /// How long after it was added a rule takes effect; on X about 20 s.
  let ruleDelay: Duration
  /// The rules of the filtered stream, parsed once.
  var rules: [StreamRule] = []
  /// The open streams by their number.
  var streams: [Int: OpenStream] = [:]
  var lastStream = 0

  /// - Parameter store: belongs to the actor from now on.
  init(
    store: sending LocalStore, site: SiteAddress, keepAlive: Duration?, limits: RateLimits, ruleDelay: Duration,
    signInState: SignInState
  ) throws(ToolError) {
    self.store = store
    self.site = site
    self.keepAlive = keepAlive
    self.limits = limits
    self.ruleDelay = ruleDelay
    self.signInState = signInState
    for rule in try store.rules() {
      // Rules are parsed before they are stored; only a rule of an older version can fail here, and is left out.
      if let query = try? QueryParser.parse(rule.value, as: .stream) {
        rules.append(StreamRule(rule: rule, query: query, inForce: .now))
      }
    }
  }

  /// Answers any request. The API is below `/2` and `/1.1`; all other paths but those of OAuth are the service's web site.
  nonisolated func answer(_ request: ServerRequest) async -> ServerResponse {
    if let refusal = site.refusal(of: request) { return refusal }
    if let response = await answerSignIn(request) { return response }
    return switch request.path.first {
    case "2": await answer(request, in: .v2)
    case "1.1": await answer(request, in: .v1)
    default: await answerSite(request)
    }
  }

  private func answer(_ request: ServerRequest, in version: APIVersion) -> ServerResponse {
    var response: ServerResponse
    var window: RateLimits.State?
    do {
      let (endpoint, pathValues) = try Router.endpoint(for: request)
      let caller = try authenticate(request)
      let counted = limits.count(token: caller.id, endpoint: endpoint, now: .now)
      window = counted.state
      if counted.isExceeded { throw Problem.tooManyRequests }
      try requireAccess(caller, to: endpoint)
      // v1.1 takes parameters from the query and from a form alike.
      let request = version == .v1 ? request.addingFormParameters() : request
      response = try endpoint.handler(
        self, Call(request: request, endpoint: endpoint, pathValues: pathValues, caller: caller))
    } catch {
      response = Self.refusal(error, in: version)
    }
    response.headers += window?.headers ?? []
    response.headers.append(("cache-control", "no-store"))
    return response
  }

  /// What a client gets when its request has failed. An error that is not about the request is also reported.
  nonisolated static func refusal(_ error: any Error, in version: APIVersion) -> ServerResponse {
    if let problem = error as? Problem { return problem.response(in: version) }
    // Handlers throw nothing else but errors of the store.
    if let error = error as? ToolError { Diagnostics.report(error) }
    let message = (error as? ToolError)?.message ?? "\(error)"
    return Problem.storeFailed(message).response(in: version)
  }

  /// What reads posts with all that belongs to them.
  var reader: PostReader { PostReader(store: store, site: site) }
}
