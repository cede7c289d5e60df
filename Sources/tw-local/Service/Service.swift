import TweetCLI
import TweetCore

/// The service: one store, the open streams, the rate windows. An actor, so that requests see each other's effects in
/// order and the store has one user at a time.
actor Service {
  let store: LocalStore
  /// Its own address, `http://127.0.0.1:PORT`.
  let base: String
  /// Time between two bare line ends on a stream, in place of X's.
  let keepAlive: Duration?
  private var limits: RateLimits
  /// Time until a new rule is in force; on X about 20 s.
  let ruleDelay: Duration
  /// The rules with their queries, as parsed when they were added.
  var rules: [StreamRule] = []
  var streams: [Int: OpenStream] = [:]
  var lastStream = 0
  var usage = Usage()

  /// - Parameters:
  ///   - store: passed on to the actor for good.
  init(store: sending LocalStore, base: String, keepAlive: Duration?, limits: RateLimits, ruleDelay: Duration)
    throws(ToolError)
  {
    self.store = store
    self.base = base
    self.keepAlive = keepAlive
    self.limits = limits
    self.ruleDelay = ruleDelay
    for rule in try store.rules() {
      // A rule is stored only after it was parsed; one that an older version knew and this one does not is left out.
      if let query = try? QueryParser.parse(rule.value, as: .stream) {
        rules.append(StreamRule(rule: rule, query: query, inForce: .now))
      }
    }
  }

  /// Answers any request; what is not below `/2` or `/1.1` is the service's own web site.
  nonisolated func answer(_ request: HTTPRequest) async -> HTTPResponse {
    switch request.path.first {
    case "2": return await api(request)
    case "1.1": return await api(request.withForm())
    default: return await site(request)
    }
  }

  private func api(_ request: HTTPRequest) -> HTTPResponse {
    var response: HTTPResponse
    var state: RateLimits.State?
    let isV1 = request.path.first == "1.1"
    do {
      let (endpoint, parts) = try Endpoint.find(request)
      let (token, account) = try authenticate(request)
      let counted = limits.count(token: token, endpoint: endpoint, now: .now)
      state = counted.state
      if counted.isExceeded { throw Problem.tooManyRequests }
      response = try answer(Call(request: request, endpoint: endpoint, parts: parts, account: account))
    } catch let problem as Problem {
      response = (isV1 ? problem.asV1 : problem).response
    } catch let error as ToolError {
      Diagnostics.report(error)
      let problem = Problem.storeFailed(error.message ?? "the store failed")
      response = (isV1 ? problem.asV1 : problem).response
    } catch {
      // Nothing else is thrown below; the client is told in any case.
      response = Problem.storeFailed("\(error)").response
    }
    response.headers += state?.headers ?? []
    response.headers.append(("cache-control", "no-store"))
    return response
  }

  private func authenticate(_ request: HTTPRequest) throws -> (token: String, account: Account) {
    let parts = (request.headers["authorization"] ?? "").split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bearer",
      let account = try store.account(token: String(parts[1]))
    else { throw Problem.unauthorized }
    return (String(parts[1]), account)
  }

  /// One request that is allowed.
  struct Call {
    let request: HTTPRequest
    let endpoint: Endpoint
    /// The ids or names in the path.
    let parts: [String]
    /// Whose token it came with.
    let account: Account
  }

  private func answer(_ call: Call) throws -> HTTPResponse {
    switch call.endpoint {
    case .postLookup, .posts: try lookUpPosts(call)
    case .searchRecent, .searchAll: try search(call)
    case .timeline, .mentions, .home: try timeline(call)
    case .list, .ownedLists: try lookUpLists(call)
    case .listMembers: try listMembers(call)
    case .listPosts: try listPosts(call)
    case .me, .user, .users, .userByName, .usersByName: try lookUpUsers(call)
    case .createPost: try createPost(call)
    case .deletePost: try deletePost(call)
    case .like, .unlike: try like(call)
    case .retweet, .unretweet: try retweet(call)
    case .stream, .sample: try openStream(call)
    case .connections: try listConnections(call)
    case .endStreams, .endStreamsOfKind: try endConnections(call)
    case .usage: try tellUsage(call)
    case .rules: try listRules(call)
    case .changeRules: try changeRules(call)
    case .v1(let endpoint): try answerV1(call, endpoint)
    }
  }

  /// A reply with a JSON object.
  func reply(
    _ members: JSON.Members, status: Int = 200, headers: [(name: String, value: String)] = []
  ) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, type: "application/json; charset=utf-8", body: JSON.object(members).bytes)
    response.headers += headers
    return response
  }

  func view(_ selection: Selection) -> PostView { PostView(store: store, base: base, selection: selection) }
}
