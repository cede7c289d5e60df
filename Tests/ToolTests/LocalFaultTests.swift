import Foundation
import TestSupport
import Testing

@testable import tw_local

/// What `--fault` and `--latency` do to clients.
@Suite(.onOwnThread) struct LocalFaultTests {
  @Test func failsAsOftenAsItIsTold() throws {
    let local = try LocalService([
      "--fault", "post /2/tweets=503:2", "--fault", "POST /2/tweets=429", "--fault", "GET /2/users/*=402:all",
      "--fault", "/1.1/*=500",
    ])
    for _ in 0..<2 {
      let refused = try local.ask("POST", "/2/tweets", body: ["text": "once"])
      #expect(refused.status == 503 && refused["title"] == "Service Unavailable")
      #expect(refused.headers["retry-after"] == "2")
    }
    let limited = try local.ask("POST", "/2/tweets", body: ["text": "once"])
    #expect(limited.status == 429 && limited.headers["x-rate-limit-remaining"] == "0")
    let reset = Int(limited.headers["x-rate-limit-reset"] ?? "") ?? 0
    #expect(abs(reset - Int(Date().timeIntervalSince1970)) <= 3)
    // Nothing was posted until now.
    #expect(try local.ask("POST", "/2/tweets", body: ["text": "once"]).status == 201)
    #expect(try local.ask("POST", "/2/tweets", body: ["text": "once"]).status == 403)
    for _ in 0..<4 { #expect(try local.ask("GET", "/2/users/me").status == 402) }
    #expect(try local.ask("GET", "/2/users/by/username/you").status == 402)
    #expect(try local.ask("GET", "/2/tweets?ids=1").status == 200)
    let old = try local.ask("GET", "/1.1/account/verify_credentials.json")
    #expect(old.status == 500 && old["errors"][0]["code"].number == 131)
    #expect(try local.ask("GET", "/1.1/account/verify_credentials.json").status == 200)
  }

  @Test func losesAnswers() throws {
    let local = try LocalService([
      "--fault", "POST /2/tweets=close", "--fault", "POST /2/tweets=lost", "--fault", "POST /2/tweets=cut",
      "--fault", "POST /2/tweets=garbled", "--fault", "GET /2/tweets=silent",
    ])
    func post(_ text: String) throws -> LocalClient {
      let body = try JSONSerialization.data(withJSONObject: ["text": text])
      return try local.open("POST", "/2/tweets", body: Array(body))
    }
    for text in ["closed", "lost"] { #expect(try post(text).isClosed()) }
    let cut = try post("cut")
    let head = try cut.head()
    #expect(head.status == 201 && Int(head.headers["content-length"] ?? "") ?? 0 > 20)
    #expect(try !cut.isClosed())
    let garbled = try post("garbled").answer(to: "POST")
    #expect(garbled.status == 201 && (try? JSONSerialization.jsonObject(with: Data(garbled.body))) == nil)
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    let posts = try local.ask("GET", "/2/users/\(me)/tweets")["data"].array.map { $0["text"].text }
    #expect(posts == ["garbled", "cut", "lost"])
    // The service says nothing, and goes on for others, whichever of the two it reads first.
    let silent = try local.open("GET", "/2/tweets?ids=1")
    #expect(try local.ask("GET", "/2/users/me").status == 200)
    silent.close()
  }

  /// The post is there before its answer.
  @Test func holdsAnswersBack() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/service.db"
    let local = try LocalService(["--latency", "1h", "--db", path])
    let body = try JSONSerialization.data(withJSONObject: ["text": "late"])
    let client = try local.open("POST", "/2/tweets", body: Array(body))
    let store = try LocalStore(path: path)
    try waitUntil { try !store.posts(after: 0, before: .max, limit: 1).isEmpty }
    try local.stop()
    #expect(try client.isClosed())
  }

  @Test func understandsFaults() throws {
    for text in [
      "", "503", "/2/tweets", "/2/tweets=", "/2/tweets=200", "/2/tweets=600", "/2/tweets=503:0", "/2/tweets=503:x",
      "2/tweets=503", "GET POST /2/tweets=503", "/2/tweets=broken", "/2/tweets=503:1:1", "/2/tweets=+503",
    ] {
      #expect(Fault(argument: text) == nil, "\(text)")
    }
    let result = try Tool.run("tw-local", ["--fault", "/2/tweets=200", "--", "true"])
    #expect(result.ending == .status(64))
    func concerns(_ fault: String, _ target: String) throws -> Bool {
      try #require(Fault(argument: fault)).concerns(ServerRequest(head: Array("\(target) HTTP/1.0".utf8)))
    }
    #expect(try concerns("/2/*=503", "GET /2/a/b") && concerns("/2/*/b=503", "PUT /2/a/b?x=y"))
    #expect(try !concerns("/2/*=503", "GET /2") && !concerns("/2/*/b=503", "GET /2/a/c"))
    #expect(try !concerns("/2=503", "GET /2/a") && !concerns("POST /2=503", "GET /2") && concerns("/*=503", "GET /x"))
  }
}
