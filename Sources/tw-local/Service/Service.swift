import TweetCLI
import TweetCore

/// The service. An actor, so that requests take effect one after the other and its parts, which share the store, have
/// one user at a time.
actor Service {
  let store: LocalStore
  let site: SiteAddress
  private var limits: RateLimits
  var signInState: SignInState
  let passwords = PasswordQueue()
  var rules: FilterRules
  var streams: OpenStreams

  /// - Parameters:
  ///   - store: belongs to the actor from now on.
  ///   - keepAlive: time between two keep-alives of a stream; `nil` means X's.
  ///   - mostStreams: of all accounts together.
  ///   - ruleDelay: as for ``FilterRules``.
  init(
    store: sending LocalStore, site: SiteAddress, keepAlive: Duration?, mostStreams: Int, limits: RateLimits,
    ruleDelay: Duration, signInState: SignInState
  ) throws(ToolError) {
    self.store = store
    self.site = site
    self.limits = limits
    self.signInState = signInState
    rules = try FilterRules(store, delay: ruleDelay)
    streams = OpenStreams(keepAlive: keepAlive, most: mostStreams)
  }

  /// Answers any request. The paths that are of no API, and not of OAuth, are the service's web site.
  nonisolated func answer(_ request: ServerRequest) async -> ServerResponse {
    if let refusal = site.refusal(of: request) { return refusal }
    if let response = await answerSignIn(request) { return response }
    if let response = await answerSession(request) { return response }
    guard let version = APIVersion(of: request) else { return await answerSite(request) }
    return await answer(request, in: version)
  }

  private func answer(_ request: ServerRequest, in version: APIVersion) -> ServerResponse {
    var response: ServerResponse
    var window: RateLimits.State?
    do {
      let (endpoint, pathValues) = try Router.endpoint(for: request, in: version)
      let caller = try authenticate(request, for: endpoint)
      let counted = limits.count(token: caller.id, endpoint: endpoint, now: .now)
      window = counted.state
      if counted.isExceeded { throw Problem.tooManyRequests }
      try requireAccess(caller, to: endpoint)
      // v1.1 takes parameters from the query and from a form alike, Mastodon from every kind of body.
      let request =
        switch version {
        case .v1: request.addingFormParameters()
        case .mastodon: request.addingBodyParameters()
        case .v2, .bluesky: request
        }
      response = try endpoint.handler(
        self, Call(request: request, endpoint: endpoint, pathValues: pathValues, caller: caller))
    } catch {
      response = Self.refusal(error, in: version)
    }
    response.headers += window?.headers(in: version) ?? []
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

  // MARK: Streams

  /// Sends a new post to every open stream that wants it.
  func deliver(_ post: Post) throws {
    if streams.isEmpty { return }
    let searchable = try searchable(post, retweetsHaveWords: true)
    try streams.send(searchable, matching: rules.matching(searchable))
    try sendToMastodon(post)
    try sendToJetstream(.post(post))
  }

  /// Deletes a post and its retweets, and sends the deletions to the streams.
  func delete(_ post: Post) throws {
    let deleted = try [post] + store.retweets(of: post.id)
    // Their addresses are made of what is removed.
    let events = streams.jetstream.isEmpty ? [] : try deleted.map { try jetstreamEvent(.deleted($0)) }
    try store.write { () throws(ToolError) in try store.remove(post) }
    streams.sendDeletions(of: deleted)
    for event in events { sendToJetstream(event) }
  }

  /// Removes a stream whose connection has ended.
  func removeStream(_ queue: StreamQueue) { streams.remove(queue) }

  /// Whether the connection of some stream is still open.
  var hasStreams: Bool { !streams.isEmpty }

  /// Sends each stream its last chunk.
  func finishStreams() { streams.finish() }
}
