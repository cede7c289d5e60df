import Foundation
import ServiceClients
import TestSupport
import Testing
import TweetAccounts
import TweetCore
import TweetNet
import TweetServices

struct ServiceAccessTests {
  private func access(_ environment: [String: String]) throws -> ServiceAccess {
    try ServiceAccess.fromEnvironment(
      [XAPI.x, XAPI.local], caFile: nil, account: nil, example: "tw-stream '#swift'",
      try Settings(text: "", path: "config") { environment[$0] },
      accounts: { () throws(ToolError) in try CredentialsFile(bytes: [], path: "-") })
  }

  /// The field that a request gets.
  private func field(_ access: ServiceAccess) throws -> String {
    var request = HTTPRequest(.get, access.base, reaching: .any)
    try access.credential.authorize(&request)
    return try #require(request.authorization).exposed
  }

  private func status(_ environment: [String: String]) -> TweetCore.ExitStatus? {
    (#expect(throws: ToolError.self) { try access(environment) })?.status
  }

  @Test func readsTheEnvironment() throws {
    let x = try access(["TW_TOKEN": "t"])
    #expect(try (x.service, x.base, field(x)) == ("x", "https://api.x.com", "Bearer t"))
    let local = try access(["TW_SERVICE": "local", "TW_TOKEN": "t", "TW_ENDPOINT": "http://127.0.0.1:8080/"])
    #expect((local.service, local.base) == ("local", "http://127.0.0.1:8080"))
  }

  @Test func refusesWhatCannotWork() {
    #expect(status([:]) == .notAllowed)
    #expect(status(["TW_TOKEN": "t", "TW_ENDPOINT": "http://example.com"]) == .configuration)
    #expect(status(["TW_TOKEN": "t", "TW_ENDPOINT": "ftp://127.0.0.1"]) == .configuration)
    #expect(status(["TW_TOKEN": "t", "TW_SERVICE": "other"]) == .configuration)
    #expect(status(["TW_TOKEN": "t", "TW_SERVICE": "local"]) == .configuration)
    #expect(status(["TW_TOKEN_FILE": "/nonexistent/token"]) == .configuration)
    #expect(status(["TW_TOKEN_FILE": "/dev/null"]) == .configuration)
    #expect(status(["TW_TOKEN": "t\r"]) == .configuration)
    #expect(status(["TW_TOKEN": "t", "TW_ENDPOINT": "https://127.0.0.1/#a"]) == .configuration)
  }

  /// Records and messages contain the address; a token in a message is no longer secret.
  @Test func noSecretGetsIntoWhatIsPrinted() {
    for variables in [
      ["TW_TOKEN": "t", "TW_ENDPOINT": "https://me:s3cret@example.com"],
      ["TW_TOKEN": "t", "TW_ENDPOINT": "http://me:s3cret@example.com"], ["TW_TOKEN": "s3cret\u{7f}"],
    ] {
      let error = #expect(throws: ToolError.self) { try access(variables) }
      #expect(error?.status == .configuration)
      #expect(error?.message?.contains("s3cret") == false)
    }
  }

  @Test func namesBothWaysOn() {
    let error = #expect(throws: ToolError.self) { try access([:]) }
    #expect(error?.message?.contains("'tw config set token-file FILE'") == true)
    #expect(error?.message?.contains("tw-local --demo -- ") == true)
  }

  @Test func readsATokenFile() throws {
    let path = NSTemporaryDirectory() + "tw-token-\(getpid())"
    defer { unlink(path) }
    try "\n  s3cret \nmore".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try field(access(["TW_TOKEN_FILE": path])) == "Bearer s3cret")
  }
}

struct ServiceProblemTests {
  @Test(arguments: [
    (#"{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}"#, "Unauthorized"),
    (
      #"{"errors":[{"parameters":{"max_results":["1"]},"message":"must be 10 or more"}],"title":"Invalid Request","#
        + #""detail":"One or more parameters to your request was invalid.","type":"https://x/invalid-request"}"#,
      "One or more parameters to your request was invalid.; must be 10 or more"
    ), (#"{"errors":[{"code":88,"message":"Rate limit exceeded"}]}"#, "Rate limit exceeded"),
    ("<html>oops</html>", "HTTP 400"), ("", "HTTP 400"), ("[1]", "HTTP 400"), (#"{"errors":7}"#, "HTTP 400"),
    (#"{"title":"T"}"#, "T"),
  ])
  func saysWhatTheServiceSays(_ body: String, _ text: String) {
    let response = HTTPResponse(status: 400, body: Array(body.utf8), url: "")
    #expect(ServiceProblem(response).text == text)
  }

  /// A million messages help nobody, and comparing each with all others would take too long.
  @Test func onlyTheFirstMessagesAreKept() {
    let errors = (0..<50_000).map { "{\"message\":\"\($0)\"}" }.joined(separator: ",")
    let problem = ServiceProblem(HTTPResponse(status: 400, body: Array("{\"errors\":[\(errors)]}".utf8), url: ""))
    #expect(problem.messages == ["0", "1", "2"])
  }

  @Test func aMessageWithDataIsNotAProblem() throws {
    func problem(_ text: String) throws -> ServiceProblem? {
      let document = try JSONDocument(text)
      return document.read { ServiceProblem(message: $0) }
    }
    #expect(try problem(#"{"data":{"id":"1"},"errors":[{"title":"partial"}]}"#) == nil)
    #expect(try problem(#"{"delete":{"status":{"id":1}}}"#) == nil)
    let wrapped =
      #"{"errors":[{"title":"operational-disconnect","disconnect_type":"X","detail":"cut off.","#
      + #""type":"https://api.twitter.com/2/problems/operational-disconnect"}]}"#
    #expect(try problem(wrapped)?.text == "cut off")
    #expect(try problem(#"{"title":"operational-disconnect","detail":"cut off"}"#)?.text == "cut off")
  }
}

struct RuleTagTests {
  @Test func aTagShowsWhoMadeARule() throws {
    let own = RuleTag(feed: "#swift")
    #expect(own.text.hasPrefix("tw:#swift \(getpid())@"))
    #expect(RuleTag(own.text) == own)
    #expect(!own.isLeftBehind)
    // No process can have this number (Linux allows at most 4 194 304).
    let dead = try #require(RuleTag(own.text.replacing(" \(getpid())@", with: " 2000000000@")))
    #expect(dead.isLeftBehind)
    let elsewhere = try #require(RuleTag("tw:#swift 2000000000@zz"))
    #expect(!elsewhere.isLeftBehind)
    for text in ["", "cats", "tw:#swift", "tw:#swift x@y", "tw:#swift 1"] { #expect(RuleTag(text) == nil) }
  }
}

struct XPageTests {
  private static let page = """
    {"data":[{"id":"9","text":"a\\n"},
     {"id":"10","text":"b"}],
     "includes":{"users":[]},"meta":{"next_token":"n","result_count":2}}
    """

  private func page(_ body: String, _ range: PageRange = PageRange(), limit: Int? = nil) -> FeedPage? {
    FeedPage(v2: HTTPResponse(status: 200, body: Array(body.utf8), url: ""), range, limit: limit)
  }

  private func lines(_ page: FeedPage) -> [String] { page.lines.map { String(decoding: $0.bytes, as: UTF8.self) } }

  @Test func aPageIsOneLineAndKnowsItsEnds() throws {
    let whole = try #require(page(Self.page))
    #expect((whole.count, whole.newestID, whole.oldestID, whole.nextToken) == (2, "10", "9", "n"))
    #expect(lines(whole) == [Self.page.replacing("\n", with: " ")])
  }

  /// The next request must go on below the posts that were shown, not below those that were cut off.
  @Test func isCutToTheLimit() throws {
    let body = #"{"data":[{"id":"12"},{"id":"11"},{"id":"9"}],"meta":{}}"#
    let cut = try #require(page(body, limit: 2))
    #expect((cut.count, cut.kept, cut.sent, cut.oldestID) == (2, 3, 3, "11"))
    #expect(lines(cut) == [#"{"data":[{"id":"12"},{"id":"11"}],"meta":{}}"#])
  }

  @Test func postsOutsideTheRangeAreRemovedButBilled() throws {
    var range = PageRange()
    (range.sinceID, range.untilID) = ("9", "12")
    let inside = try #require(page(#"{"data":[{"id":"12"},{"id":"11"},{"id":"9"}],"meta":{}}"#, range))
    #expect((inside.count, inside.sent, inside.newestID, inside.oldestID) == (1, 3, "11", "9"))
    #expect(lines(inside) == [#"{"data":[{"id":"11"}],"meta":{}}"#])
  }

  @Test func anEmptyPageIsNoError() throws {
    let empty = try #require(page(#"{"meta":{"result_count":0,"next_token":"n"}}"#))
    #expect((empty.count, empty.newestID, empty.nextToken) == (0, nil, "n"))
    #expect(empty.problem == nil && empty.lines.isEmpty)
    #expect(
      page(#"{"errors":[{"title":"Not Found Error","detail":"gone"}]}"#)?.problem?.message?.contains("gone") == true)
    for broken in ["", "[]", "<html>", #"{"data":[{"id"#] { #expect(page(broken) == nil) }
  }

  /// The next page begins at the oldest id less one, since `max_id` is inclusive. A timeline ends with an empty page, a
  /// search says that it ends.
  @Test func version1PagesAreArraysOrSearches() throws {
    func v1(_ body: String) -> FeedPage? { FeedPage(v1: HTTPResponse(status: 200, body: Array(body.utf8), url: "")) }
    let timeline = try #require(v1("[{\"id\":12,\"id_str\":\"12\"},\n{\"id\":9007199254740993}]"))
    #expect((timeline.count, timeline.newestID, timeline.nextToken) == (2, "9007199254740993", "11"))
    #expect(lines(timeline) == [#"{"id":12,"id_str":"12"}"#, #"{"id":9007199254740993}"#])
    #expect(try #require(v1("[]")).nextToken == nil)
    let search = #"{"statuses":[{"id_str":"7"}],"search_metadata":{"next_results":"?max_id=6"}}"#
    #expect(v1(search)?.nextToken == "6")
    #expect(v1(#"{"statuses":[{"id_str":"7"}],"search_metadata":{}}"#)?.nextToken == .some(nil))
    #expect(v1("{}") == nil)
  }
}
