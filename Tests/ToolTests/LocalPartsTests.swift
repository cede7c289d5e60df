import Dispatch
import SQLite
import Synchronization
import TestSupport
import Testing
import TweetCore

@testable import tw_local

/// The parts of tw-local that own what a request changes: rules, streams, sign-ins. Without a socket.
@Suite(.onOwnThread) struct LocalPartsTests {
  private let scratch: TemporaryDirectory
  private let store: LocalStore
  private let owner: LocalAccount
  private static let site = SiteAddress(base: "http://127.0.0.1:1")

  init() throws {
    scratch = try TemporaryDirectory()
    let store = try LocalStore(path: scratch.path + "/service.db")
    try store.write { () throws(ToolError) in try Cast.addOwner(to: store, now: .now, isDemo: false) }
    owner = try #require(try store.account(named: Cast.owner.username))
    self.store = store
  }

  private func post(_ text: String) throws -> SearchablePost {
    let post = try store.write { () throws(ToolError) in
      try store.create(Draft(author: owner.id, text: text), at: .now)
    }
    return SearchablePost(
      post, author: owner, original: nil, retweetOf: nil, replyTo: nil, hasVideo: false, hasWords: true)
  }

  // MARK: Rules

  @Test func rulesAreKeptInTheStore() throws {
    var rules = try FilterRules(store, delay: .zero)
    #expect(try !rules.areInForce(of: "1") && rules.matching(post("tea")).isEmpty)
    let tea = (value: "tea", tag: String?.some("hot"))
    let outcomes = try rules.add([tea, ("tea", nil), ("lang:en", nil), ("coffee", nil)], of: "1", isDryRun: false)
    guard case .added(let first) = outcomes[0], case .duplicate(let same) = outcomes[1], case .invalid = outcomes[2],
      case .added(let last) = outcomes[3]
    else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(first.id == same.id && first.tag == "hot" && rules.areInForce(of: "1"))
    #expect(try rules.matching(post("tea and coffee")).map(\.id) == [first.id, last.id])
    try rules.remove([first.id])
    #expect(try rules.matching(post("tea and coffee")).map(\.id) == [last.id])
    #expect(try FilterRules(store, delay: .seconds(9)).matching(post("tea and coffee")).map(\.id) == [last.id])
  }

  @Test func aDryRunAndTooManyRulesChangeNothing() throws {
    var rules = try FilterRules(store, delay: .zero)
    _ = try rules.add([("tea", nil)], of: "1", isDryRun: true)
    #expect(try rules.all(of: "1").isEmpty && store.rules().isEmpty)
    let many = (0..<FilterRules.most).map { (value: "tea\($0)", tag: String?.none) }
    #expect(throws: Problem.self) { _ = try rules.add(many + [("coffee", nil)], of: "1", isDryRun: false) }
    #expect(try rules.all(of: "1").isEmpty && store.rules().isEmpty)
    _ = try rules.add(many, of: "1", isDryRun: false)
    #expect(throws: Problem.self) { _ = try rules.add([("coffee", nil)], of: "1", isDryRun: false) }
    #expect(try rules.all(of: "1").count == FilterRules.most && store.rules().count == FilterRules.most)
  }

  /// What one owner has, no other sees, changes, or is kept from having.
  @Test func rulesHaveOwners() throws {
    var rules = try FilterRules(store, delay: .zero)
    let own = try rules.add([("tea", nil)], of: "1", isDryRun: false)
    let many = (0..<FilterRules.most).map { (value: $0 == 0 ? "tea" : "tea\($0)", tag: String?.none) }
    _ = try rules.add(many, of: "2", isDryRun: false)
    guard case .added(let rule) = own[0] else {
      Issue.record("\(own)")
      return
    }
    #expect(rules.all(of: "1").map(\.id) == [rule.id] && rules.all(of: "2").count == FilterRules.most)
    #expect(!rules.areInForce(of: "3") && rules.all(of: "3").isEmpty)
    #expect(try Set(rules.matching(post("tea")).map(\.owner)) == ["1", "2"])
    #expect(try FilterRules(store, delay: .zero).all(of: "1").map(\.value) == ["tea"])
  }

  @Test func aRuleTakesEffectAfterItsDelay() throws {
    var rules = try FilterRules(store, delay: .seconds(3600))
    _ = try rules.add([("tea", nil)], of: "1", isDryRun: false)
    #expect(try !rules.areInForce(of: "1") && rules.all(of: "1").count == 1 && rules.matching(post("tea")).isEmpty)
  }

  // MARK: Streams

  private func subscription() -> OpenStreams.Kind {
    .v1(
      V1Subscription(
        view: V1PostView(reader: PostReader(store: store, site: Self.site), mode: .streaming, viewer: nil), filter: nil,
        isDelimited: true, hasStallWarnings: false))
  }

  /// What a finished stream sends, without its chunks' sizes.
  private func text(_ queue: StreamQueue) async -> String {
    var bytes: [UInt8] = []
    for await chunk in queue.chunks { bytes += chunk.bytes }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func streamsHaveOwnersAndAnEnd() async throws {
    var streams = OpenStreams(keepAlive: .seconds(3600))
    let first = try streams.open(subscription(), "filter", of: "1", keepAliveEvery: .seconds(30))
    let second = try streams.open(subscription(), "filter", of: "2", keepAliveEvery: .seconds(30))
    #expect(streams.has("filter", of: "1") && !streams.has("sample", of: "1") && !streams.has("filter", of: "3"))
    try streams.send(post("tea"), matching: [])
    streams.replaceV1(of: "1", name: "you-statuses")
    // It has its place until its connection has ended.
    #expect(streams.has("filter", of: "1"))
    streams.remove(first)
    #expect(!streams.has("filter", of: "1") && !streams.isEmpty)
    streams.finish()
    streams.remove(second)
    #expect(streams.isEmpty)
    let (one, other) = (await text(first), await text(second))
    #expect(one.contains(#""text":"tea""#) && one.contains("you-statuses"))
    #expect(other.contains(#""text":"tea""#) && !other.contains("you-statuses"))
  }

  @Test func aStreamTooManyIsRefused() throws {
    var streams = OpenStreams(keepAlive: .seconds(3600))
    var queues: [StreamQueue] = []
    for number in 0..<OpenStreams.most {
      queues.append(try streams.open(subscription(), "filter", of: "\(number)", keepAliveEvery: .seconds(30)))
    }
    #expect(throws: Problem.self) {
      _ = try streams.open(subscription(), "filter", of: "x", keepAliveEvery: .seconds(30))
    }
    streams.remove(queues[0])
    _ = try streams.open(subscription(), "filter", of: "x", keepAliveEvery: .seconds(30))
    streams.finish()
  }

  /// Who has the most leaves as much to the others.
  @Test func nobodyHoldsAllStreams() throws {
    var streams = OpenStreams(keepAlive: .seconds(3600), most: 64)
    for (owner, share) in [("anybody", 32), ("1", 16), ("2", 8), ("3", 4)] {
      for _ in 1...share { _ = try streams.open(subscription(), "f", of: owner, keepAliveEvery: .seconds(30)) }
      #expect(throws: Problem.self) {
        _ = try streams.open(subscription(), "f", of: owner, keepAliveEvery: .seconds(30))
      }
    }
    streams.finish()
  }

  // MARK: Sign-ins

  /// However many names and addresses somebody makes up, what is remembered is bounded, and nobody else waits.
  @Test func triesAreBounded() throws {
    var tries = SignInTries()
    let now = Timestamp.now
    func isRefused(_ name: String, _ address: String, at time: Timestamp) -> Bool {
      (try? tries.count(name, from: address, now: time)) == nil
    }
    for _ in 1...5 { #expect(!isRefused("pip", "127.0.0.1", at: now)) }
    #expect(isRefused("PIP", "127.0.0.1", at: now) && !isRefused("pip", "127.0.0.2", at: now))
    for number in 0..<20_000 {
      #expect(!isRefused("x\(number)", "127.0.0.1", at: Timestamp(milliseconds: now.milliseconds + 1)))
    }
    #expect(!isRefused("maren", "127.0.0.1", at: now))
    // One name from many addresses.
    let refused = (0..<100).filter { isRefused("yuki", "127.0.1.\($0)", at: now) }
    #expect(refused == Array(50..<100))
    // A try whose password was not checked is none.
    for _ in 1...20 {
      #expect(!isRefused("tomasz", "127.0.0.1", at: now))
      tries.uncount("tomasz", from: "127.0.0.1")
    }
  }

  /// Those whose names nobody has keep none out who has an account.
  @Test func strangersHaveHalfOfThePasswords() throws {
    let (queue, gate) = (PasswordQueue(), DispatchSemaphore(value: 0))
    let refused = Atomic<Int>(0)
    // None of them ends before the gate opens.
    for (isStranger, refusals) in [(true, 24), (false, 48)] {
      for _ in 1...40 {
        Task.detached { @Sendable in
          do throws(SignInFault) {
            try await queue.run(isStranger: isStranger) { () throws(ToolError) in gate.wait() }
          } catch {
            refused.add(1, ordering: .relaxed)
          }
        }
      }
      try waitUntil { refused.load(ordering: .relaxed) >= refusals }
    }
    for _ in 1...80 { gate.signal() }
    #expect(refused.load(ordering: .relaxed) == 48)
  }

  @Test func windowsEndAndTheOldestGo() {
    var windows = TimeWindows<Int>(length: 1000)
    func count(_ key: Int, at time: Int64) -> Int {
      windows.count(key, limit: 3, now: Timestamp(milliseconds: time)).window.used
    }
    #expect((1...5).map { _ in count(-1, at: 0) } == [1, 2, 3, 3, 3] && count(-1, at: 1000) == 1)
    for key in 0..<10_000 { #expect(count(key, at: 1500) == 1) }
    // It was the oldest; later ones are still there.
    #expect(count(-1, at: 1500) == 1 && count(9_999, at: 1500) == 2)
  }

  @Test func programsThatSomebodyUsesStay() throws {
    func add(_ key: String) throws {
      try store.write { () throws(ToolError) in
        try store.add(Client(key: key, secret: "s", name: key, redirects: ["http://127.0.0.1/"]))
      }
    }
    for (key, account) in [("used", owner.id), ("unused", nil)] as [(String, Int?)] {
      try add(key)
      _ = try store.write { () throws(ToolError) in
        try store.newToken(
          LocalStore.Token(kind: .access, client: key, account: account, scopes: [], grant: 1), now: .now)
      }
    }
    try store.write { () throws(ToolError) in
      for number in 1...1000 {
        try store.add(Client(key: "new\(number)", secret: "s", name: "new", redirects: ["http://127.0.0.1/"]))
      }
    }
    #expect(try store.registeredApp("used") != nil && store.registeredApp("unused") == nil)
    #expect(try store.registeredApp("new1") != nil && store.registeredApp("new1000") != nil)
    let tokens = try store.database.first("SELECT count(*) FROM tokens") { (row) throws(ToolError) in row.integer(0) }
    #expect(tokens == 1)
  }

  private static let app = Client(key: "app", secret: "s", name: "app")

  private func signIns() throws -> SignInState {
    SignInState(run: try RunToken("token", account: owner.id), tokenLife: 0, app: Self.app)
  }

  @Test func aRequestTokenIsExchangedOnce() throws {
    var state = try signIns()
    let now = Timestamp.now
    let (text, _) = try state.newRequestToken(for: Self.app, callback: nil, now: now)
    #expect(try state.exchange(text, verifier: "", by: Self.app, now: now) == nil)
    let pin = try state.approve(text, by: owner, now: now)
    #expect(pin.utf8.count == 7)
    #expect(try state.exchange(text, verifier: pin, by: .kit, now: now) == nil)
    #expect(try state.exchange(text, verifier: pin, by: Self.app, now: now)?.id == owner.id)
    #expect(try state.exchange(text, verifier: pin, by: Self.app, now: now) == nil)
  }

  @Test func aRequestTokenGoesAfterWrongVerifiersAndByTime() throws {
    var state = try signIns()
    let now = Timestamp.now
    let (text, _) = try state.newRequestToken(for: Self.app, callback: nil, now: now)
    let pin = try state.approve(text, by: owner, now: now)
    for _ in 1...4 { #expect(try state.exchange(text, verifier: "x", by: Self.app, now: now) == nil) }
    #expect(try state.requestToken(text, now: now) != nil)
    #expect(try state.exchange(text, verifier: "x", by: Self.app, now: now) == nil)
    #expect(try state.requestToken(text, now: now) == nil)
    #expect(try state.exchange(text, verifier: pin, by: Self.app, now: now) == nil)
    let (late, _) = try state.newRequestToken(for: Self.app, callback: nil, now: now)
    let end = Timestamp(milliseconds: now.milliseconds + 15 * 60_000)
    #expect(try state.requestToken(late, now: end) == nil)
  }

  @Test func aCodeIsForOneTry() throws {
    var state = try signIns()
    let now = Timestamp.now
    let query =
      "client_id=tw&redirect_uri=http://127.0.0.1/x&response_type=code&scope=tweet.read&code_challenge_method=plain"
      + "&code_challenge=" + String(repeating: "c", count: 43)
    let request = try ServerRequest(head: Array("GET /i/oauth2/authorize?\(query) HTTP/1.1\r\nHost: x".utf8))
    let wish = try OAuth2Request(request, of: state.client("tw"))
    let code = try state.newCode(for: AuthorizationCode(request: wish, account: owner.id), now: now)
    #expect(try state.takeCode("x" + code, now: now) == nil)
    #expect(try state.takeCode(code, now: now)?.account == owner.id)
    #expect(try state.takeCode(code, now: now) == nil)
    let late = try state.newCode(for: AuthorizationCode(request: wish, account: owner.id), now: now)
    #expect(try state.takeCode(late, now: Timestamp(milliseconds: now.milliseconds + 30_000)) == nil)
  }
}
