import Foundation
import TestNumbers
import TestSupport
import Testing

/// tw-local's HTTP: what it reads from a socket, and how much of it.
@Suite(.onOwnThread) struct LocalHTTPTests {
  private let local: LocalService

  init() throws { local = try LocalService() }

  private var host: String { "Host: 127.0.0.1:\(local.port)\r\n" }

  /// The largest body that tw-local reads, in bytes.
  private static let maxBody = 256 << 10
  /// The largest head, in bytes, without the empty line after it.
  private static let maxHead = 16 << 10

  @Test func readsABodyOfTheLargestSize() throws {
    var body = Array(#"{"text":"hello"}"#.utf8)
    body += [UInt8](repeating: UInt8(ascii: " "), count: Self.maxBody - body.count)
    #expect(try local.ask("POST", "/2/tweets", raw: body).status == 201)
  }

  /// The body is never sent: a service that waits for it gives no answer.
  @Test func refusesALargerBodyBeforeReadingIt() throws {
    let head =
      "POST /2/tweets HTTP/1.1\r\n\(host)Authorization: Bearer \(local.token)\r\nContent-Length: \(Self.maxBody + 1)\r\n"
    let answer = try local.open(head + "\r\n").head()
    #expect(answer.status == 413 && answer.headers["connection"] == "close")
  }

  @Test(arguments: [(0, 200), (1, 431)])
  func boundsTheHead(excess: Int, status: Int) throws {
    let start = "GET / HTTP/1.1\r\n\(host)x: "
    let value = String(repeating: "a", count: Self.maxHead - start.utf8.count + excess)
    #expect(try local.open(start + value + "\r\n\r\n").head().status == status)
  }

  @Test func answersRequestsThatComeTogether() throws {
    let client = try local.open(
      "GET /articles/sourdough HTTP/1.1\r\n\(host)\r\n"
        + "POST /2/tweets HTTP/1.1\r\n\(host)Authorization: Bearer \(local.token)\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}"
        + "GET /archive/x HTTP/1.1\r\n\(host)Connection: close\r\n\r\n")
    #expect(try client.answer().status == 200)
    #expect(try client.answer()["data"]["text"] == "a")
    let last = try client.answer()
    #expect(last.status == 404 && last.headers["connection"] == "close")
    #expect(try client.isClosed())
  }

  @Test func asksForABodyThatIsHeldBack() throws {
    let head = "POST /2/tweets HTTP/1.1\r\n\(host)Authorization: Bearer \(local.token)\r\nContent-Length: 12\r\n"
    let client = try local.open(head + "Expect: 100-continue\r\n\r\n")
    #expect(try client.head().status == 100)
    try client.send(Array(#"{"text":"b"}"#.utf8))
    #expect(try client.answer()["data"]["text"] == "b")
  }

  /// Programs that keep connections open, or that hang, keep nobody out.
  @Test func theIdlestOfTooManyConnectionsGoes() throws {
    let request = "GET / HTTP/1.1\r\n\(host)\r\n"
    let clients = try (0..<256).map { try local.open($0 < 250 ? "" : "GET / HT") }
    // They are accepted in their order, so all of them are there when the last has its answer. The first is heard later
    // than the second.
    for client in [255, 0] {
      try clients[client].send(Array(request.dropFirst(client == 255 ? "GET / HT".utf8.count : 0).utf8))
      #expect(try clients[client].answer().status == 200)
    }
    let late = try (1...2).map { _ in try local.open(request) }
    for client in late { #expect(try client.answer().status == 200) }
    #expect(try clients[1].isClosed() && clients[2].isClosed())
    for client in [0, 3, 255] {
      try clients[client].send(Array(request.utf8))
      #expect(try clients[client].answer().status == 200)
    }
  }

  /// Clients that wait for an answer do not go.
  @Test func refusesAConnectionWhereAllAreBeingAnswered() throws {
    let busy = try LocalService(["--fault", "/slow=silent:all"])
    let head = " HTTP/1.1\r\nHost: 127.0.0.1:\(busy.port)\r\nConnection: close\r\n\r\n"
    var clients = try (1...256).map { _ in try busy.open("GET /slow" + head) }
    // The requests of the last of them may not have been read yet, so that one of them goes.
    var isFull = false
    for _ in 1...400 where !isFull {
      clients.append(try busy.open("GET /slow" + head))
      usleep(25_000)
      isFull = try busy.open("GET /" + head).isClosed()
    }
    #expect(isFull)
    clients.removeAll()
    var status = 0
    for _ in 1...400 where status != 200 {
      usleep(25_000)
      status = try busy.open("GET /" + head).head().status
    }
    #expect(status == 200)
  }

  /// A page of another site that a browser shows, and a name of another owner that leads to this machine.
  @Test func refusesWhatOtherSitesMake() throws {
    let program = LocalProgram(local: local)
    let own = "127.0.0.1:\(local.port)"
    func status(_ method: String, _ path: String, _ fields: [String], _ body: String = "") throws -> Int {
      let head = ["\(method) \(path) HTTP/1.1", "Connection: close"] + fields + ["Content-Length: \(body.utf8.count)"]
      return try local.open(head.joined(separator: "\r\n") + "\r\n\r\n" + body).head().status
    }
    for (fields, expected) in [
      (["Host: \(own)"], 200), (["Host: LOCALHOST:\(local.port)"], 200), (["Host: evil.example:\(local.port)"], 421),
      (["Host: 127.0.0.1"], 421), (["Host: 127.0.0.1:\(local.port).evil.example"], 421), ([], 400),
      (["Host: \(own)", "Host: evil.example"], 400), (["Host: "], 421), (["Host: [::1]:\(local.port)"], 421),
      (["Host: \(own)", "Origin: http://\(own)"], 200),
      (["Host: \(own)", "Origin: http://localhost:\(local.port)"], 403),
      (["Host: \(own)", "Sec-Fetch-Site: cross-site"], 200),
    ] { #expect(try status("GET", "/", fields) == expected, "\(fields)") }
    #expect(try local.open("GET / HTTP/1.0\r\n\r\n").head().status == 200)

    let form = ["Host: \(own)", "Content-Type: application/x-www-form-urlencoded"]
    var number = 0
    func create(_ fields: [String]) throws -> Int {
      number += 1
      return try status(
        "POST", program.page(), form + fields, "username=n\(number)&password=correct+horse&action=create")
    }
    for origin in [
      "https://evil.example", "null", "http://127.0.0.1:1", "http://\(own).evil.example", "", "https://\(own)",
    ] {
      #expect(try create(["Origin: \(origin)"]) == 403, "\(origin)")
    }
    for site in ["cross-site", "same-site"] { #expect(try create(["Sec-Fetch-Site: \(site)"]) == 403) }
    for number in 1...number {
      #expect(try local.ask("GET", "/2/users/by/username/n\(number)")["data"].value == nil)
    }
    #expect(
      try status("POST", "/2/tweets", form + ["Authorization: Bearer \(local.token)", "Origin: null"], "{}") == 403)
    // The service's own page, and a program.
    #expect(try create(["Origin: http://\(own)", "Sec-Fetch-Site: same-origin"]) == 303)
    #expect(try create([]) == 303)
  }

  @Test func survivesHostileRequests() throws {
    let long = String(repeating: "a", count: 20_000)
    for (request, status) in [
      ("GARBAGE\r\n\r\n", 400), ("GET / HTTP/3\r\n\r\n", 400), ("GET /\u{0} HTTP/1.1\r\n\(host)\r\n", 400),
      ("GET /\(long) HTTP/1.1\r\n\(host)\r\n", 431), ("GET / HTTP/1.1\r\n\(host)x: \(long)", 431),
      ("POST /2/tweets HTTP/1.1\r\n\(host)Content-Length: 999999999999999999999\r\n\r\n", 413),
      ("POST /2/tweets HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", 400),
      ("POST /2/tweets HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n", 411),
      ("GET /%zz%/..%2f?%=&&=&a HTTP/1.1\r\n\(host)Connection: close\r\n\r\n", 404), ("GET / HTTP/1.0\n\n", 200),
    ] {
      #expect(try local.open(request).head().status == status, "\(request.prefix(60))")
    }
    var random = Chance()
    for _ in 1...50 {
      let noise = (0..<512).map { _ in UInt8.random(in: 0...255, using: &random) }
      try LocalClient(port: local.port).send(noise)
    }
    #expect(try local.ask("GET", "/", token: nil).status == 200)
  }
}

/// tw-local's web site.
@Suite(.onOwnThread) struct LocalSiteTests {
  @Test(arguments: [
    ("/go/1", 302, 302), ("/go/2", 301, 301), ("/go/3", 307, 307), ("/articles/sourdough", 200, 200),
    ("/archive/gone", 404, 404), ("/audio/kettle-drum.mp3", 200, 200), ("/members/x", 200, 405),
    ("/loop/mirror", 302, 302), ("/media/harbour.png", 200, 200), ("/media/harbour.jpg", 404, 404),
  ])
  func answersLinksOfTheDemo(path: String, get: Int, head: Int) throws {
    let local = try LocalService()
    #expect(try local.ask("GET", path, token: nil).status == get)
    let answer = try local.ask("HEAD", path, token: nil)
    #expect(answer.status == head && answer.body.isEmpty)
  }

  /// Chunk lengths and checksums (PNG §5.3, RFC 1950), computed here in another way.
  @Test func drawsValidPNGs() throws {
    let answer = try LocalService().ask("GET", "/media/harbour.png", token: nil)
    #expect(answer.headers["content-type"] == "image/png")
    #expect(answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
    var rest = answer.body.dropFirst(8)
    var chunks: [String: [UInt8]] = [:]
    func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    while !rest.isEmpty {
      let length = number(rest.prefix(4))
      let named = Array(rest.dropFirst(4).prefix(4 + length))
      try #require(named.count == 4 + length && rest.count >= 12 + length)
      #expect(number(rest.dropFirst(8 + length).prefix(4)) == Int(CRC32.of(named)))
      chunks[String(decoding: named.prefix(4), as: UTF8.self)] = Array(named.dropFirst(4))
      rest = rest.dropFirst(12 + length)
    }
    let header = try #require(chunks["IHDR"])
    #expect(number(header.prefix(4)) == 320 && number(header[4..<8]) == 180 && chunks["IEND"] == [])
    let colours = try #require(chunks["PLTE"]).count / 3
    let stream = try #require(chunks["IDAT"])
    var pixels: [UInt8] = []
    var block = stream.dropFirst(2)
    var isLast = false
    while !isLast {
      let start = Array(block.prefix(5))
      let length = Int(start[1]) | Int(start[2]) << 8
      #expect(start[3] == ~start[1] && start[4] == ~start[2])
      isLast = start[0] == 1
      pixels += block.dropFirst(5).prefix(length)
      block = block.dropFirst(5 + length)
    }
    // A byte before each row names its filter.
    #expect(pixels.count == (320 + 1) * 180 && pixels.allSatisfy { Int($0) < colours })
    let sums = pixels.reduce(into: (1, 0)) { sums, byte in
      sums.0 += Int(byte)
      sums.1 += sums.0
    }
    #expect(number(block) == (sums.1 % 65521) << 16 | sums.0 % 65521)
  }
}
