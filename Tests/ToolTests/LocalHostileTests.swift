import Foundation
import TestSupport
import Testing

@testable import tw_local

/// Clients that want to keep others out of a tw-local, and have no token.
@Suite(.onOwnThread) struct LocalHostileTests {
  // MARK: Places

  private static func head(_ local: LocalService, _ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(local.port)\r\n\(fields)\r\n"
  }

  private static let webSocket =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

  /// Uploads a picture with this many bytes after its end.
  /// - Returns: its path.
  private static func picture(of size: Int, at local: LocalService) throws -> String {
    let bytes = PNGPicture(2, 2).bytes + [UInt8](repeating: 0, count: size)
    let upload = try local.ask("POST", "/2/media/upload", body: ["media": Data(bytes).base64EncodedString()])
    #expect(upload.status == 200)
    let file = try local.ask("GET", "/api/v1/media/\(upload["data"]["id"].text)")["url"].text
    return try String(#require(file.firstRange(of: "/media/").map { file[$0.lowerBound...] }))
  }

  /// Clients that ask and do not read are as idle as others, and go when their places are needed.
  @Test func whoDoesNotReadKeepsNobodyOut() throws {
    let local = try LocalService(descriptors: 96)
    // More than the kernel holds for a client.
    let requests = String(repeating: Self.head(local, try Self.picture(of: 200_000, at: local)), count: 40)
    // There is room for fewer.
    let clients = try (0..<40).map { _ in try LocalClient(port: local.port, receives: 4096) }
    for client in clients { try client.send(Array(requests.utf8)) }
    for _ in 1...20 { #expect(try local.ask("GET", "/", token: nil).status == 200) }
    // Those who read have all of what they asked for.
    let reader = try LocalClient(port: local.port)
    try reader.send(Array(requests.utf8))
    for _ in 1...40 { #expect(try reader.answer().body.count > 200_000) }
    withExtendedLifetime(clients) {}
  }

  /// Nor do those who begin to send much, or ask for much and do not read it.
  @Test func largeBodiesKeepNobodyOut() throws {
    let local = try LocalService()
    let head = "POST /2/media/upload HTTP/1.1\r\nHost: 127.0.0.1:\(local.port)\r\nContent-Length: 4000000\r\n\r\n"
    let senders = try (0..<20).map { _ in try local.open(head + "x") }
    let path = try Self.picture(of: 4_000_000, at: local)
    let readers = try (0..<20).map { _ in try LocalClient(port: local.port, receives: 4096) }
    for reader in readers {
      try reader.send(Array(Self.head(local, path).utf8))
      try waitUntil { reader.waiting >= 2000 }
    }
    #expect(try local.ask("GET", path, token: nil).body.count > 4_000_000)
    withExtendedLifetime((senders, readers)) {}
  }

  /// Streams without an account have a share of the places, and so has each account.
  @Test func nobodyHasAllStreams() throws {
    let local = try LocalService(["--demo", "--rate", "0"], descriptors: 96)
    func open(_ path: String, _ fields: String) throws -> (LocalClient, Int) {
      let client = try local.open(Self.head(local, path, fields))
      return (client, try client.head().status)
    }
    var held: [LocalClient] = []
    func fill(_ path: String, _ fields: String) throws -> Int {
      for count in 0..<100 {
        let (client, status) = try open(path, fields)
        guard status == 101 || status == 200 else {
          #expect(status == 503)
          return count
        }
        held.append(client)
      }
      return 100
    }
    let anonymous = try fill("/subscribe", Self.webSocket)
    let own = try fill("/api/v1/streaming/public", "Authorization: Bearer \(local.token)\r\n")
    #expect(
      (10...48).contains(anonymous) && (anonymous / 2 - 1...anonymous / 2 + 1).contains(own), "\(anonymous) \(own)")
    let yuki = try LocalProgram(local: local).signIn("yuki_dev", "tw-local")["access_token"].text
    #expect(try open("/2/tweets/sample/stream", "Authorization: Bearer \(yuki)\r\n").1 == 200)
    #expect(try local.ask("GET", "/", token: nil).status == 200)
    // Places of those who leave are free again.
    held.removeAll()
    try waitUntil { try open("/subscribe", Self.webSocket).1 == 101 }
  }

  #if os(Linux)
    @Test(arguments: [64, 96])
    func descriptorsAreLeftForRequests(_ descriptors: Int) throws {
      let local = try LocalService(descriptors: descriptors)
      let clients = try (0..<100).map {
        try local.open($0 % 2 == 0 ? "" : Self.head(local, "/subscribe", Self.webSocket))
      }
      // The kernel holds some of them, and hands them on in its own order.
      try waitUntil { try local.ask("GET", "/api/v2/instance", token: nil).status == 200 }
      for _ in 1...5 { #expect(try local.ask("GET", "/api/v2/instance", token: nil).status == 200) }
      withExtendedLifetime(clients) {}
    }

    /// Where they run out all the same, the idlest client goes.
    @Test func aClientGoesWhereDescriptorsRunOut() throws {
      let local = try LocalService()
      #expect(try local.ask("GET", "/", token: nil).status == 200)
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(local.tool.processID)/fd").count
      let set = try Tool.run("/usr/bin/prlimit", ["--pid", "\(local.tool.processID)", "--nofile=\(open + 4)"])
      try #require(set.status == 0)
      let clients = try (0..<12).map { _ in try local.open("") }
      for _ in 1...3 { #expect(try local.ask("GET", "/", token: nil).status == 200) }
      withExtendedLifetime(clients) {}
    }
  #endif

  /// A request that never ends, and one whose end is sent byte by byte, are cut off, however busy they look.
  @Test func aRequestMustComeInTime() throws {
    let listener = try Listener(port: 0)
    let serving = Task.detached {
      try await listener.run(
        limit: 16, patience: .milliseconds(300), ready: {}, answer: { _ in ServerResponse(status: 204) },
        streamEnded: { _ in })
    }
    defer { serving.cancel() }
    for start in ["", "GET / HTTP/1.1\r\nHost: x\r\nx: ", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n"]
    {
      let client = try LocalClient(port: UInt16(listener.port))
      try client.send(Array(start.utf8))
      try waitUntil {
        if !start.isEmpty { try client.send([UInt8(ascii: "a")]) }
        return client.isGone
      }
    }
    let client = try LocalClient(port: UInt16(listener.port))
    try client.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    #expect(try client.head().status == 204)
  }

  // MARK: Doors

  /// What no account can have is refused at once at each door, and locks nobody out: not the name, and not the others.
  @Test func whatCannotBeAPasswordIsNotCounted() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    let program = LocalProgram(local: local)
    let requested = try program.requestToken()["oauth_token"] ?? ""
    func form(_ name: String, _ password: String) -> KeyValuePairs<String, String> {
      ["username": name, "password": password, "action": "allow"]
    }
    let doors: [(String, (String, String) throws -> LocalAnswer)] = [
      ("OAuth 2.0", { try program.answerPage($0, $1) }),
      ("OAuth 1.0a", { try program.post("/oauth/authorize?oauth_token=\(requested)", form($0, $1)) }),
      (
        "xAuth",
        { name, password in
          let fields = ["x_auth_username": name, "x_auth_password": password, "x_auth_mode": "client_auth"]
          let header = try program.signature("POST", "/oauth/access_token", LocalProgram.Signing(form: fields))
          return try program.post(
            "/oauth/access_token",
            ["x_auth_username": name, "x_auth_password": password, "x_auth_mode": "client_auth"], headers: header)
        }
      ),
      (
        "Bluesky",
        {
          try local.ask(
            "POST", "/xrpc/com.atproto.server.createSession", token: nil, body: ["identifier": $0, "password": $1])
        }
      ),
    ]
    let long = String(repeating: "x", count: 100_000)
    for (door, ask) in doors {
      for (name, password) in [
        (long, "tw-local"), ("maren_k", "short"), ("maren_k", long), ("", "tw-local"), ("no name", "tw-local"),
        ("maren_k\u{0}", "tw-local"), ("jürgen", "tw-local"), ("maren_k", ""),
      ] {
        // More than may be wrong, if it is cheap.
        for _ in 1...(name.utf8.count + password.utf8.count > 1000 ? 1 : 6) {
          let status = try ask(name, password).status
          #expect([401, 403].contains(status), "\(door): \(name.prefix(20)): \(status)")
        }
      }
      #expect(try [200, 303].contains(ask("maren_k", "tw-local").status), "\(door)")
    }
  }

  #if os(Linux)
    /// Who is locked out at one address is not at another.
    @Test func triesCountByNameAndAddress() throws {
      let local = try LocalService(["--demo", "--rate", "0"])
      func signIn(_ password: String, from source: UInt8) throws -> Int {
        let body = try JSONSerialization.data(withJSONObject: ["identifier": "pip-ops.test", "password": password])
        let client = try local.open(
          "POST", "/xrpc/com.atproto.server.createSession", token: nil, body: Array(body), from: source)
        return try client.head().status
      }
      for _ in 1...5 { #expect(try signIn("a guess!", from: 1) == 401) }
      #expect(try signIn("tw-local", from: 1) == 429)
      #expect(try signIn("a guess!", from: 2) == 401 && signIn("tw-local", from: 2) == 200)
    }

    /// Anonymous requests of one address use up the limit of that alone.
    @Test func anonymousRequestsCountByAddress() throws {
      let local = try LocalService(["--rate-limit", "2"])
      func status(_ source: UInt8) throws -> Int {
        try local.open("GET", "/api/v2/instance", token: nil, from: source).head().status
      }
      #expect(try [status(1), status(1), status(1), status(2)] == [200, 200, 429, 200])
    }
  #endif

  // MARK: HTTP

  /// What is no request, or two requests to some readers, is refused, and nothing that follows it is read (RFC 9112).
  @Test func requestsBeginAndEndInOneWay() throws {
    let local = try LocalService()
    let host = "Host: 127.0.0.1:\(local.port)\r\n"
    let next = "GET /articles/sourdough HTTP/1.1\r\n\(host)Connection: close\r\n\r\n"
    func post(_ fields: String, _ body: String = "") -> String {
      "POST /2/tweets HTTP/1.1\r\n\(host)\(fields)\r\n\(body)"
    }
    func get(_ fields: String) -> String { "GET / HTTP/1.1\r\n\(host)\(fields)\r\n" }
    let chunked = "Transfer-Encoding: chunked\r\n"
    let table: [(String, [Int])] = [
      // Lengths (§6.3).
      (post("Content-Length: 2\r\n", "{}"), [401, 200]),
      (post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), [400]),
      (post("Content-Length: 3\r\ncontent-length: 2\r\n", "{}"), [400]),
      (post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), [400]),
      (post("Content-Length: 2, 2\r\n", "{}"), [400]), (post("Content-Length: 2,3\r\n", "{}"), [400]),
      (post("Content-Length: +2\r\n", "{}"), [400]), (post("Content-Length: -2\r\n", "{}"), [400]),
      (post("Content-Length: 0x2\r\n", "{}"), [400]), (post("Content-Length: \r\n", "{}"), [400]),
      (post("Content-Length: 2 2\r\n", "{}"), [400]), (post("Content-Length: 2e0\r\n", "{}"), [400]),
      (post("Content-Length: ٢\r\n", "{}"), [400]), (post("Content-Length: 18446744073709551618\r\n", "{}"), [413]),
      (post("Content-Length:\t2 \t\r\n", "{}"), [401, 200]), (post("Content-Length: 0002\r\n", "{}"), [401, 200]),
      // Transfer codings (§6.1): none is read, whatever the chunks are.
      (post(chunked, "2\r\n{}\r\n0\r\n\r\n"), [411]), (post(chunked, "zz\r\n"), [411]),
      (post(chunked, "2;a=b\r\n{}\r\n0\r\nTrailer: x\r\n\r\n"), [411]), (post(chunked, "-2\r\n"), [411]),
      (post(chunked, "FFFFFFFFFFFFFFFF2\r\n{}\r\n"), [411]), (post("Transfer-Encoding: xchunked\r\n"), [411]),
      (post("Transfer-Encoding: gzip, chunked\r\n"), [411]), (post("Transfer-Encoding:\r\n"), [411]),
      (post("Transfer-Encoding: identity\r\n"), [411]), (get(chunked), [411]),
      (post("Content-Length: 2\r\n" + chunked, "{}"), [400]), (post(chunked + "Content-Length: 2\r\n", "{}"), [400]),
      (post(chunked + chunked, "0\r\n\r\n"), [411]), (post("Transfer-Encoding : chunked\r\n"), [400]),
      // Fields (§5).
      (get("x: a\tb\r\n"), [200, 200]), (get("x: \r\n"), [200, 200]), (get("x: é\r\n"), [200, 200]),
      (get("x: a\u{0}b\r\n"), [400]), (get("x\u{0}: a\r\n"), [400]), (get("x: a\rb\r\n"), [400]),
      (get("x: a\r\r\n"), [400]), (get("x: a\u{B}\r\n"), [400]), (get("x: \u{7F}\r\n"), [400]),
      (get("x: \u{1B}[0m\r\n"), [400]), (get("x: a\r\n folded\r\n"), [400]), (get("x: a\r\n\tfolded\r\n"), [400]),
      (get("x : a\r\n"), [400]), (get(" x: a\r\n"), [400]), (get(": a\r\n"), [400]), (get("x\r\n"), [400]),
      (get("x y: a\r\n"), [400]), (get("é: a\r\n"), [400]), (get("x\r: a\r\n"), [400]),
      // Request lines (§3).
      ("GET / HTTP/1.1\r\n\(host)\u{0}\r\n\r\n", [400]), ("GET /\u{0} HTTP/1.1\r\n\(host)\r\n", [400]),
      ("GET  / HTTP/1.1\r\n\(host)\r\n", [400]), ("GET / HTTP/1.1 \r\n\(host)\r\n", [400]),
      ("GET\t/ HTTP/1.1\r\n\(host)\r\n", [400]), ("GET /\t HTTP/1.1\r\n\(host)\r\n", [400]),
      ("GET / HTTP/1.1\r\r\n\(host)\r\n", [400]), ("G(T / HTTP/1.1\r\n\(host)\r\n", [400]),
      (" GET / HTTP/1.1\r\n\(host)\r\n", [400]), ("GET / HTTP/2.0\r\n\(host)\r\n", [400]),
      // Empty lines before one (§2.2), and lines that end in LF.
      ("\r\n" + get(""), [200, 200]), ("\r\n\r\n\n\r\n" + get(""), [200, 200]), ("\n" + get(""), [200, 200]),
      ("\r" + get(""), [400]), ("\r\r\n" + get(""), [400]), ("\r\n \r\n" + get(""), [400]),
      (get("").replacingOccurrences(of: "\r\n", with: "\n"), [200, 200]),
      ("GET / HTTP/1.1\n\(host.dropLast())\n\r\n", [200, 200]),
      ("GET / HTTP/1.1\r\n\(host)\n", [200, 200]),
      (post("Content-Length: 2\r\n", "{}\r\n"), [401, 200]),
    ]
    for (request, expected) in table {
      let rest = String(decoding: try local.open(request + next).rest(), as: UTF8.self)
      let statuses = rest.components(separatedBy: "HTTP/1.1 ").dropFirst().map { Int($0.prefix(3)) ?? 0 }
      #expect(statuses == expected, "\(request.debugDescription)")
    }
    // The same, byte by byte.
    let slow = try local.open("")
    for byte in "\r\n\r\nGET / HTTP/1.1\r\n\(host)\r\n\r\n".utf8 { try slow.send([byte]) }
    #expect(try slow.answer().status == 200)
  }
}
