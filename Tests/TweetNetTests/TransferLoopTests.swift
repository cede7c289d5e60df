import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetNet

@Suite(.onOwnThread(minutes: 1))
struct TransferLoopTests {
  @Test func anAnswerComesWhole() throws {
    let server = try LoopbackServer { _ in
      .answer(404, "gone", headers: ["X-Rate-Limit-Reset:  1700000000 ", "Retry-After: 7"])
    }
    let response = try outcome(of: HTTPRequest(.get, "\(server.base)/a?b=c")).result.get()
    #expect(response.status == 404)
    #expect(response.headers.integer("x-rate-limit-reset") == 1_700_000_000)
    #expect(response.retryAfter == 7)
    #expect(String(decoding: response.body, as: UTF8.self) == "gone")
    #expect(!response.truncated)
    let request = try #require(server.requests.first)
    #expect(request.target == "GET /a?b=c")
    #expect(request.head.contains("User-Agent: tw/"))
    #expect(request.head.contains("gzip"))
  }

  @Test func methodsAndBodiesAreSent() throws {
    let server = try LoopbackServer { _ in .answer(200, "body") }
    var post = HTTPRequest(.post, "\(server.base)/p")
    post.body = Array("{\"a\":1}".utf8)
    post.headers = [HTTPHeader("Content-Type", "application/json")]
    _ = try outcome(of: post).result.get()
    _ = try outcome(of: HTTPRequest(.delete, "\(server.base)/d")).result.get()
    let head = try outcome(of: HTTPRequest(.head, "\(server.base)/h")).result.get()
    #expect(head.body.isEmpty)
    #expect(server.requests.map(\.target) == ["POST /p", "DELETE /d", "HEAD /h"])
    #expect(server.requests[0].body == "{\"a\":1}")
    #expect(server.requests[0].head.contains("Content-Type: application/json"))
    #expect(!server.requests[0].head.contains("Expect"))
  }

  @Test func aTransferInheritsNothingFromTheOneBefore() throws {
    let server = try LoopbackServer { _ in .answer(200, "body") }
    var loop = try TransferLoop(limit: 1)
    var post = HTTPRequest(.post, "\(server.base)/p")
    post.body = Array("a=1".utf8)
    post.headers = [HTTPHeader("X-Own", "1")]
    var requests = [post, HTTPRequest(.delete, "\(server.base)/d"), HTTPRequest(.head, "\(server.base)/h")]
    requests.append(HTTPRequest(.get, "\(server.base)/g"))
    for request in requests { _ = loop.start(request) }
    var bodies: [String] = []
    while loop.count > 0 {
      for case .finished(_, let result) in try loop.wait(timeoutMilliseconds: 5000) {
        bodies.append(String(decoding: try result.get().body, as: UTF8.self))
      }
    }
    #expect(server.requests.map(\.target) == ["POST /p", "DELETE /d", "HEAD /h", "GET /g"])
    #expect(server.requests.map(\.body) == ["a=1", "", "", ""])
    #expect(server.requests.filter { $0.head.contains("X-Own") }.map(\.target) == ["POST /p"])
    #expect(bodies == ["body", "body", "", "body"])
  }

  @Test func redirectsAreLeftToTheCaller() throws {
    let server = try LoopbackServer { _ in .answer(302, headers: ["Location: /next"]) }
    let response = try outcome(of: HTTPRequest(.get, server.base)).result.get()
    #expect(response.status == 302)
    #expect(response.headers["location"] == "/next")
    #expect(server.requests.count == 1)
  }

  @Test func streamedDataArrivesBeforeTheConnectionEnds() throws {
    let (mayEnd, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try LoopbackServer { _, connection in
      connection.startStream()
      connection.chunk("{\"a\"")
      connection.chunk(":1}\r\n")
      mayEnd.wait()
      connection.endStream()
      end.signal()
    }
    var loop = try TransferLoop()
    var request = HTTPRequest(.get, server.base)
    request.streaming = true
    let id = loop.start(request)
    var seen = ""
    var text = ""
    while seen != "started finished" {
      for event in try loop.wait(timeoutMilliseconds: 5000) {
        switch event {
        case .started(id, let response):
          #expect(response.status == 200 && response.headers["content-type"] == "application/json; charset=utf-8")
          seen = "started"
        case .data(id, let bytes): text += String(decoding: bytes, as: UTF8.self)
        case .finished(id, let result):
          #expect(try result.get().body.isEmpty)
          seen += " finished"
        default: Issue.record("unexpected \(event)")
        }
      }
      if text == "{\"a\":1}\r\n" { mayEnd.signal() }
    }
    #expect(loop.count == 0)
  }

  @Test func aRefusedStreamHasItsBodyInTheAnswer() throws {
    let server = try LoopbackServer { _ in .answer(409, "{\"title\":\"x\"}") }
    var request = HTTPRequest(.get, server.base)
    request.streaming = true
    let (result, streamed) = try outcome(of: request)
    let response = try result.get()
    #expect(response.status == 409)
    #expect(String(decoding: response.body, as: UTF8.self) == "{\"title\":\"x\"}")
    #expect(streamed == "")
  }

  @Test func aBodyIsCutAtItsBound() throws {
    let server = try LoopbackServer { request, connection in
      connection.startStream()
      for _ in 0..<(request.target == "GET /exact" ? 1 : 100_000) { connection.chunk("0123456789") }
      connection.endStream()
    }
    var request = HTTPRequest(.get, "\(server.base)/endless")
    request.maxBody = 15
    let cut = try outcome(of: request).result.get()
    #expect(cut.truncated && cut.status == 200)
    #expect(String(decoding: cut.body, as: UTF8.self) == "012345678901234")
    request.url = "\(server.base)/exact"
    request.maxBody = 10
    #expect(try outcome(of: request).result.get().truncated == false)
  }

  @Test func keepAlivesKeepAStreamAndSilenceEndsIt() throws {
    let server = try LoopbackServer { _, connection in
      connection.startStream()
      for _ in 0..<6 {
        connection.pause(0.25)
        connection.chunk("\r\n")
      }
      connection.pause(20)
    }
    var request = HTTPRequest(.get, server.base)
    request.streaming = true
    request.silenceTimeout = 1500
    let start = MonotonicClock.milliseconds
    let (result, streamed) = try outcome(of: request)
    let took = MonotonicClock.milliseconds - start
    #expect(throws: TransferError.self) { try result.get() }
    if case .failure(let error) = result { #expect(error.kind == .silence) }
    #expect(streamed == String(repeating: "\r\n", count: 6))
    #expect((3000...15_000).contains(took), "took \(took) ms")
  }

  /// The server sends a gzip header byte by byte: the decoder has nothing to deliver, but the server is not silent.
  @Test func bytesThatTheDecoderHoldsBackAreNoSilence() throws {
    let header: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF]
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
      for byte in header {
        connection.pause(0.3)
        connection.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8))
      }
      connection.pause(20)
    }
    var request = HTTPRequest(.get, server.base)
    request.streaming = true
    request.silenceTimeout = 1500
    let start = MonotonicClock.milliseconds
    let result = try outcome(of: request).result
    if case .failure(let error) = result { #expect(error.kind == .silence) } else { Issue.record("\(result)") }
    #expect(MonotonicClock.milliseconds - start >= 4300)
  }

  @Test func eachFailureHasItsKind() throws {
    let server = try LoopbackServer { request, connection in
      switch request.target {
      case "GET /short": connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
      case "GET /cut":
        connection.startStream()
        connection.chunk("{\"ha")
      case "GET /reset":
        connection.startStream()
        connection.reset()
      case "GET /nothing": break
      case "GET /head": connection.send("HTTP/1.1 200 OK\r\nContent-Type: te")
      case "GET /hints": connection.send("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nA: c")
      case "GET /garbage": connection.send("this is no HTTP\r\n\r\n")
      case "GET /slow": connection.pause(3)
      case "GET /headers":
        connection.send("HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 60_000) + "\r\n")
      default: connection.answer(200)
      }
    }
    func kind(_ url: String) throws -> TransferError.Kind? {
      var request = HTTPRequest(.get, url)
      request.totalTimeout = url.hasSuffix("/slow") ? 600 : 20_000
      if case .failure(let error) = try outcome(of: request).result {
        #expect(!error.text.isEmpty && !error.text.hasSuffix("."))
        return error.kind
      }
      return nil
    }
    #expect(try kind("\(server.base)/short") == .lostConnection)
    #expect(try kind("\(server.base)/cut") == .lostConnection)
    #expect(try kind("\(server.base)/reset") == .lostConnection)
    #expect(try kind("\(server.base)/nothing") == .lostConnection)
    #expect(try kind("\(server.base)/head") == .lostConnection)
    #expect(try kind("\(server.base)/hints") == .lostConnection)
    #expect(try kind("\(server.base)/garbage") == .protocolError)
    #expect(try kind("\(server.base)/headers") == .protocolError)
    #expect(try kind("\(server.base)/slow") == .timeout)
    #expect(try kind("https://127.0.0.1:\(server.port)/") == .tls)
    #expect(try kind("http://127.0.0.1:1/") == .refused)
    let missing = try kind("http://no-such-host.invalid/")
    #expect(try kind("http://abcdefghijklmnop.onion/") == .unreachable)
    // There may be no name server.
    #expect(missing == .noSuchHost || missing == .dns)
    for url in ["ftp://127.0.0.1/", "file:///etc/passwd", "nonsense", "", "http://", "gopher://127.0.0.1:70/"] {
      #expect(try kind(url) == .badURL, "\(url)")
    }
  }

  @Test func privateAddressesAreRefusedWhereverTheNameLeads() throws {
    let server = try LoopbackServer { _ in .answer(200) }
    func kind(_ host: String, allowing list: String = "") throws -> TransferError.Kind? {
      var request = HTTPRequest(.get, "http://\(host):\(server.port)/")
      request.addresses = try .publicOnly(allowingList: list)
      if case .failure(let error) = try outcome(of: request).result { return error.kind }
      return nil
    }
    let spellings = ["127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::ffff:127.0.0.1]", "[::1]"]
    for host in ["127.0.0.1", "localhost"] + spellings {
      #expect(try kind(host) == .privateAddress, "\(host)")
    }
    #expect(server.requests.isEmpty)
    #expect(try kind("127.0.0.1", allowing: "127.0.0.1:\(server.port + 1)") == .privateAddress)
    #expect(try kind("127.0.0.1", allowing: "127.0.0.1:\(server.port)") == nil)
    #expect(try kind("localhost", allowing: "127.0.0.1:\(server.port)") == nil)
    #expect(try kind("localhost", allowing: "x:1, localhost:\(server.port)") == nil)
  }

  @Test func anExplicitProxyDoesNotOpenPrivateAddresses() throws {
    let proxy = try LoopbackServer { _ in .answer(200, "through the proxy") }
    var request = HTTPRequest(.get, "http://stranger.example/")
    request.addresses = .publicOnly()
    request.proxy = .explicit(proxy.base)
    let response = try outcome(of: request).result.get()
    #expect(String(decoding: response.body, as: UTF8.self) == "through the proxy")
    request.url = "http://169.254.169.254/latest"
    if case .failure(let error) = try outcome(of: request).result { #expect(error.kind == .privateAddress) }
    request.url = "http://\u{FF11}\u{FF10}\u{3002}0.0.1/"
    if case .failure(let error) = try outcome(of: request).result { #expect(error.kind == .privateAddress) }
    #expect(proxy.requests.map(\.target) == ["GET http://stranger.example/"])
  }

  @Test func credentialsStayOnHttpsAndThisMachine() throws {
    let server = try LoopbackServer { _ in .answer(200) }
    var request = HTTPRequest(.get, server.base)
    request.credential = FixedCredential(bearer: Secret("s3cret"), at: server.base)
    _ = try outcome(of: request).result.get()
    #expect(server.requests.first?.head.contains("Authorization: Bearer s3cret") == true)
    #expect(!"\(request)".contains("s3cret"))
    func kind(_ request: HTTPRequest) throws -> TransferError.Kind? {
      if case .failure(let error) = try outcome(of: request).result { error.kind } else { nil }
    }
    request.url = "http://no-such-host.invalid/"
    #expect(try kind(request) == .insecureCredential)
    request.url = server.base
    request.credential = FixedCredential(bearer: Secret("a\r\nX-Evil: 1"), at: server.base)
    #expect(try kind(request) == .protocolError)
    #expect(server.requests.count == 1)
  }

  /// A credential is for one scheme, host and port, whoever has named the address; a redirect is not followed.
  @Test func aCredentialGoesToItsOwnServerAlone() throws {
    let other = try LoopbackServer { _ in .answer(200) }
    let server = try LoopbackServer { [base = other.base] _ in .redirect(base) }
    let credential = FixedCredential(bearer: Secret("s3cret"), at: server.base + "/path?query")
    func outcome(of url: String) throws -> (status: Int?, kind: TransferError.Kind?) {
      var request = HTTPRequest(.get, url)
      request.credential = credential
      switch try TweetNetTests.outcome(of: request).result {
      case .success(let answer): return (answer.status, nil)
      case .failure(let error): return (nil, error.kind)
      }
    }
    for url in [
      other.base, "http://localhost:\(server.port)/", "https://127.0.0.1:\(server.port)/", "http://127.0.0.1/",
      "http://127.0.0.1@evil.invalid:\(server.port)/", "http://[::1]:\(server.port)/",
    ] {
      #expect(try outcome(of: url).kind == .insecureCredential, "\(url)")
    }
    #expect(server.requests.isEmpty && other.requests.isEmpty)
    #expect(try outcome(of: server.base + "/other").status == 302)
    #expect(server.requests.count == 1 && other.requests.isEmpty)
    // A WebSocket is a request as well.
    var socket = HTTPRequest(.get, other.base)
    (socket.credential, socket.webSocket) = (credential, WebSocketOffer())
    if case .success = try TweetNetTests.outcome(of: socket).result { Issue.record("it was opened") }
    #expect(other.requests.isEmpty)
  }

  /// What a server says of where its streams are is not always true.
  @Test(arguments: [
    ("https://tea.example", "https://tea.example", true), ("https://tea.example", "https://tea.example:4000", true),
    ("https://tea.example", "https://streams.tea.example", true), ("https://tea.example", "http://tea.example", false),
    ("https://tea.example", "http://streams.tea.example", false), ("https://tea.example", "http://127.0.0.1:7", false),
    ("https://tea.example", "https://127.0.0.1:7", false), ("https://tea.example", "https://10.9.9.9", false),
    ("https://tea.example", "https://evil.example", false), ("https://tea.example", "https://eviltea.example", false),
    ("https://tea.example", "https://tea.example.evil.example", false),
    ("https://tea.example", "https://example", false),
    ("https://social.tea.example", "https://streams.tea.example", true),
    ("https://social.tea.example", "https://tea.example", true),
    ("https://social.tea.example", "https://milk.example", false),
    ("https://tea.co.uk", "https://evil.co.uk", false), ("https://tea.com.au", "https://evil.com.au", false),
    ("https://tea.co.uk", "https://streams.tea.co.uk", true),
    ("https://social.tea.co.uk", "https://streams.tea.co.uk", true),
    ("https://localhost.evil.io", "https://evil.io", false),
    ("https://10.0.0.5", "https://10.0.0.5:4000", true), ("https://10.0.0.5", "https://10.0.0.6", false),
    ("https://1.2.3.4", "https://9.2.3.4", false), ("http://127.0.0.1:3000", "http://127.0.0.1:4000", true),
    ("http://127.0.0.1:3000", "http://localhost:4000", true), ("http://127.0.0.1:3000", "http://tea.example", false),
    ("http://127.0.0.1:3000", "https://tea.example", false),
    ("http://localhost", "https://evil.localhost.example", false),
  ])
  func streamsAreWhereTheServersNameIs(_ server: String, _ streams: String, _ isAllowed: Bool) throws {
    let own = FixedCredential(bearer: Secret("t"), at: server)
    let found = StreamCredential(own, at: try #require(WebAddress(streams)))
    #expect((found != nil) == isAllowed)
    #expect(found == nil || found?.origin == WebAddress(streams)?.origin)
  }

  /// Another host that a server names has a public address, unless it is the server's own.
  @Test func aHostThatAServerNamesIsPublic() throws {
    let tea = try #require(WebAddress("https://tea.example"))
    let streams = try #require(WebAddress("https://streams.tea.example"))
    #expect(try streams.addresses(namedBy: tea) == .publicOnly() && tea.addresses(namedBy: tea) == .any)
    let (here, there) = (try #require(WebAddress("http://127.0.0.1:1")), try #require(WebAddress("http://localhost:2")))
    #expect(try here.addresses(namedBy: there) == .any && here.addresses(namedBy: tea) == .publicOnly())
  }

  /// A credential with one replacement.
  private final class Replaced: Credential {
    let origin: String
    init(at server: String) { origin = WebAddress.origin(of: server) }
    let number = Atomic<Int>(0)
    let asked = Atomic<Int>(0)
    func authorize(_ request: inout HTTPRequest) {
      request.authorization = Secret("Bearer token-\(number.load(ordering: .relaxed))")
    }
    func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool {
      asked.add(1, ordering: .relaxed)
      number.store(1, ordering: .relaxed)
      return request.authorization?.exposed == "Bearer token-0"
    }
  }

  @Test func aRefusedRequestIsSentOnceMoreWithTheReplacement() throws {
    let server = try LoopbackServer { request in
      let isGood = request.target == "GET /good" && request.head.contains("token-1")
      return .answer(isGood ? 200 : 401)
    }
    for (path, status, count) in [("good", 200, 2), ("bad", 401, 4)] {
      let credential = Replaced(at: server.base)
      var request = HTTPRequest(.get, "\(server.base)/\(path)")
      request.credential = credential
      #expect(try outcome(of: request).result.get().status == status)
      #expect(server.requests.count == count && credential.asked.load(ordering: .relaxed) == 1)
    }
  }

  /// A credential of two fields, one of which has what the last refusal says.
  private final class Proof: Credential {
    let origin: String
    init(at server: String) { origin = WebAddress.origin(of: server) }
    let nonce = Mutex("")
    func authorize(_ request: inout HTTPRequest) {
      request.authorization = Secret("DPoP a-token")
      request.headers.append(HTTPHeader("DPoP", "proof-" + nonce.withLock { $0 }))
    }
    func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) throws(TransferError) -> Bool {
      guard let new = answer.headers["dpop-nonce"] else { return false }
      return nonce.withLock { nonce in
        defer { nonce = new }
        return new != nonce
      }
    }
  }

  @Test func aCredentialMayAddTwoFieldsAndLearnFromARefusal() throws {
    let server = try LoopbackServer { request in
      let isGood = request.head.contains("DPoP: proof-n1") && request.head.contains("Authorization: DPoP a-token")
      return .answer(isGood ? 200 : 400, "a-token", headers: ["DPoP-Nonce: n1"])
    }
    var request = HTTPRequest(.get, server.base)
    request.credential = Proof(at: server.base)
    let answer = try outcome(of: request).result.get()
    #expect(answer.status == 200 && server.requests.count == 2)
    #expect(answer.secrets.map(\.exposed) == ["a-token"], "what must not be shown is known")
    #expect(try outcome(of: request).result.get().status == 200 && server.requests.count == 3, "the nonce is kept")
  }

  /// A credential that learns two things of its service, and has one replacement.
  private final class Learner: Credential {
    let origin: String
    init(at server: String) { origin = WebAddress.origin(of: server) }
    let known = Mutex(Set<String>())
    let isNew = Atomic<Bool>(false)
    func authorize(_ request: inout HTTPRequest) {
      request.authorization = Secret("DPoP \(isNew.load(ordering: .relaxed) ? "new" : "old")")
      request.headers.append(HTTPHeader("DPoP", known.withLock { $0.sorted().joined() }))
    }
    func learn(from answer: HTTPResponse, to request: HTTPRequest) -> Bool {
      let lesson = answer.headers["lesson"]
      if let lesson { known.withLock { _ = $0.insert(lesson) } }
      return answer.status == 401 && lesson != nil
    }
    func afterRefusal(_ answer: HTTPResponse, of request: HTTPRequest) -> Bool {
      !isNew.exchange(true, ordering: .relaxed)
    }
  }

  @Test func whatALackOfLessonsRefusesIsSentAgainBesideTheReplacement() throws {
    let server = try LoopbackServer { request in
      let known = request["DPoP"] ?? ""
      for lesson in ["a", "b"] where !known.contains(lesson) { return .answer(401, headers: ["Lesson: \(lesson)"]) }
      return .answer(request["Authorization"] == "DPoP new" ? 200 : 401)
    }
    var request = HTTPRequest(.post, server.base)
    request.credential = Learner(at: server.base)
    #expect(try outcome(of: request).result.get().status == 200 && server.requests.count == 4)
    let teacher = try LoopbackServer { _ in .answer(401, headers: ["Lesson: more"]) }
    (request.url, request.credential) = (teacher.base, Learner(at: teacher.base))
    #expect(try outcome(of: request).result.get().status == 401 && teacher.requests.count == 3, "there is an end to it")
    // Each answer teaches, also a good one.
    let good = try LoopbackServer { _ in .answer(200, headers: ["Lesson: c"]) }
    let learner = Learner(at: good.base)
    (request.url, request.credential) = (good.base, learner)
    #expect(try outcome(of: request).result.get().status == 200)
    let known = learner.known.withLock { $0 }
    #expect(known == ["c"])
  }

  /// libcurl repeats a request, a POST too, when a connection that it used before is closed without an answer.
  @Test func aFreshConnectionIsNotUsedTwice() throws {
    for (isFresh, bodies) in [(false, ["a", "b", "b"]), (true, ["a", "b"])] {
      // Closes each connection at its second request, which it has read: what a server does whose time for idle
      // connections is over, or that dies at that moment.
      let server = try LoopbackServer { _, connection in
        if connection.requestCount == 1 { connection.answerAndStay(Array("ok".utf8)) }
      }
      var loop = try TransferLoop()
      for body in ["a", "b"] {
        var request = HTTPRequest(.post, server.base)
        request.body = Array(body.utf8)
        request.needsFreshConnection = isFresh && body == "b"
        let id = loop.start(request)
        var isOver = false
        while !isOver { for case .finished(id, _) in try loop.wait(timeoutMilliseconds: 20_000) { isOver = true } }
      }
      #expect(server.requests.map(\.body) == bodies)
    }
  }

  /// A program that is started meanwhile would hold the connection open behind our back.
  @Test func connectionsAreNotInherited() throws {
    let server = try LoopbackServer { _, connection in
      connection.startStream()
      connection.chunk("x")
      connection.pause(5)
    }
    var request = HTTPRequest(.get, server.base)
    request.streaming = true
    var loop = try TransferLoop()
    let id = loop.start(request)
    var isOpen = false
    while !isOpen {
      for case .started(id, _) in try loop.wait(timeoutMilliseconds: 20_000) { isOpen = true }
    }
    let ours = (0..<Int32(4096)).filter { LoopbackServer.port(ofPeer: $0) == server.port }
    #expect(ours.count == 1 && ours.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
  }

  /// What repeats the credential stays as it came, so that it can be read, and says what is to be hidden when it is
  /// shown.
  @Test func aComplaintDoesNotShowTheCredential() throws {
    let server = try LoopbackServer { request in
      let isRefused = request.target == "GET /refused"
      return .answer(isRefused ? 401 : 200, "s3cret is not s3cre or ss3crets3cret")
    }
    var request = HTTPRequest(.get, "\(server.base)/refused")
    request.credential = FixedCredential(bearer: Secret("s3cret"), at: server.base)
    let refused = try outcome(of: request).result.get()
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(text == "s3cret is not s3cre or ss3crets3cret")
    #expect(refused.secrets.hidden(in: text) == "(hidden) is not s3cre or s(hidden)(hidden)")
  }

  @Test func noMoreRunAtOnceThanAllowed() throws {
    let server = try LoopbackServer { _ in .answer(200, after: 0.1) }
    var loop = try TransferLoop(limit: 3)
    var open = Set<TransferID>()
    for index in 0..<9 { open.insert(loop.start(HTTPRequest(.get, "\(server.base)/\(index)"))) }
    let cancelled = loop.start(HTTPRequest(.get, "\(server.base)/cancelled"))
    loop.cancel(cancelled)
    while loop.count > 0 {
      for case .finished(let id, let result) in try loop.wait(timeoutMilliseconds: 5000) {
        #expect(try result.get().status == 200)
        open.remove(id)
      }
    }
    #expect(open.isEmpty)
    #expect(server.mostAtOnce.values.max() == 3)
    #expect(server.requests.count == 9)
  }

  @Test func descriptorsAreWaitedForBesideTransfers() throws {
    var loop = try TransferLoop()
    var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
    #expect(pipe(&input) == 0 && pipe(&output) == 0)
    #expect(try loop.wait(reading: [input[0]], writing: [output[1]], timeoutMilliseconds: 20).isEmpty)
    #expect(try loop.wait().isEmpty, "nothing can happen")
    #expect(write(input[1], "x", 1) == 1)
    guard case .readable(input[0])? = try loop.wait(reading: [input[0]], writing: [output[1]]).first else {
      throw POSIXError(.EPROTO)
    }
    var byte: UInt8 = 0
    #expect(read(input[0], &byte, 1) == 1)
    close(input[1])
    guard case .readable(input[0])? = try loop.wait(reading: [input[0]], writing: [output[1]]).first else {
      throw POSIXError(.EPROTO)
    }
    close(output[0])
    guard case .hungUp(output[1])? = try loop.wait(writing: [output[1]]).first else { throw POSIXError(.EPROTO) }
    close(input[0])
    close(output[1])
  }
}
