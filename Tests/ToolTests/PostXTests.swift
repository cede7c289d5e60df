import Foundation
import Services
import TestSupport
import Testing
import TweetCore

/// tw-post as it is with X: reads are billed, plans and scopes do not allow everything.
@Suite(.onOwnThread) struct PostXTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func post(
    _ service: PostService, _ arguments: [String], stdin: ToolInput = "", _ variables: [String: String?] = [:]
  ) throws -> ToolResult {
    var environment = service.asX
    for (name, value) in variables { environment[name] = value }
    return try Tool.run("tw-post", arguments, stdin: stdin, environment: environment, home: home)
  }

  private var readsToday: Int {
    get throws {
      let entries = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
      return entries.filter { $0.bill.service == "x" }.reduce(0) { $0 + $1.all.postsRead }
    }
  }

  // MARK: Records

  @Test func aTweetNamedByItsIDIsReadWithinTheBudget() throws {
    let service = try PostService()
    let liked = try post(service, ["like", "42"])
    #expect(liked.ending == .status(0))
    #expect(liked.output.hasPrefix(#"{"tw":"tweet","id":"42","service":"x""#), "\(liked.errors)")
    #expect(liked.output.contains(#""viewer":{"account":"jack","liked":true}"#))
    #expect(liked.errors.contains("bills what is read"))
    #expect(try readsToday == 1)
    // A store takes it, and a record is not read again.
    let stored = try Tool.run("tw-cache", ["add"], stdin: ToolInput(liked.stdout), home: home)
    #expect(stored.ending == .status(0) && stored.errors == "", "\(stored.errors)")
    let retweeted = try post(service, ["retweet"], stdin: ToolInput(liked.stdout))
    #expect(retweeted.output.contains(#""viewer":{"account":"jack","liked":true,"retweeted":true}"#))
    #expect(try readsToday == 1)

    let poor = try post(service, ["like", "43"], ["TW_BUDGET": "1/day"])
    #expect(poor.ending == .status(0) && poor.output == "")
    #expect(poor.errors.contains("43: done, but there is no record of it: the budget of 1 posts a day is used up"))
    #expect(service.requests.count { $0.target == "POST /2/users/7/likes" } == 2)
    #expect(try post(service, ["like", "44"], ["TW_BUDGET": "much"]).ending == .status(78))
  }

  /// Also a post whose answer never came: it may have been made.
  @Test func whatIsDoneIsCountedAndBounded() throws {
    func counted() throws -> [Int] {
      let entries = try Ledger(path: home.path + "/.local/state/tw/ledger").entries()
      return [BilledKind.creates, .links, .changes, .users].map { kind in entries.reduce(0) { $0 + $1.all[kind] } }
    }
    let service = try PostService([.answer, .lose])
    #expect(try post(service, ["hi!"]).ending == .status(0))
    #expect(try counted() == [1, 0, 0, 1])
    #expect(try post(service, ["see example.com/a"]).ending == .status(0))
    #expect(try post(service, ["delete", "--yes", "1000"]).ending == .status(0))
    #expect(try counted() == [1, 1, 1, 1])
    // Spent: 0.015 + 0.2 + 0.015 + 0.01, and what was read to settle the lost one.
    let poor = try post(service, ["another one"], ["TW_BUDGET": "$0.25/month"])
    #expect(
      poor.ending == .status(75) && poor.errors.contains("the budget of $0.25 a month is used up"), "\(poor.errors)")
    #expect(try service.posts.count == 2 && counted() == [1, 1, 1, 1])
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
    // Neither a budget of posts nor one that nobody has set holds a post back.
    #expect(try post(service, ["and one"], ["TW_BUDGET": "1/day"]).ending == .status(0))
    #expect(try post(service, ["and two"]).ending == .status(0))
    #expect(try counted() == [3, 1, 1, 1])
  }

  /// A person's post does not wait for a ledger that cannot be written.
  @Test func aPostIsMadeWithoutALedger() throws {
    let service = try PostService()
    #expect(try post(service, ["hi!"]).ending == .status(0))
    try FileManager.default.removeItem(atPath: home.path + "/.local/state/tw/ledger")
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/.local/state/tw/ledger", withDestinationPath: "/dev/null")
    let second = try post(service, ["hi again"])
    #expect(second.ending == .status(0) && second.errors.contains("what is done is not counted: cannot write"))
    #expect(try post(service, ["hi, budget"], ["TW_BUDGET": "$5/month"]).ending == .status(73))
    #expect(service.posts.count == 2)
  }

  @Test func aPostThatIsNotShownHasNoRecord() throws {
    let service = try PostService(refusals: [
      "GET /2/tweets?ids=42": (200, #"{"errors":[{"title":"Not Found Error","resource_id":"42"}]}"#),
      "GET /2/tweets?ids=43": (503, ""),
    ])
    let hidden = try post(service, ["bookmark", "42"])
    #expect(hidden.ending == .status(0) && hidden.output == "")
    #expect(hidden.errors.contains("42: done, but there is no record of it: the service does not show the post"))
    // The other posts of a list are not given up.
    let list = try post(service, ["like", "--yes"], stdin: "43\n44\n")
    #expect(list.ending == .status(0) && list.lines.count == 1, "\(list.errors)")
    #expect(list.errors.contains("43: done, but there is no record of it"))
  }

  // MARK: Refusals

  private static let plan = (
    code: 403,
    body: #"{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank"}"#
  )

  @Test func whatThePlanDoesNotIncludeIsSaidOnce() throws {
    let service = try PostService(refusals: [
      "POST /2/users/7/likes": Self.plan, "POST /2/users/7/following": Self.plan,
    ])
    let liked = try post(service, ["like", "--yes", "1", "2", "3"])
    #expect(liked.ending == .status(77) && liked.output == "")
    #expect(
      liked.errors.contains("does not allow 'like'") && liked.errors.contains("X's usual plans do not include it"))
    // What the account may not do with one post it may not do with the others.
    #expect(service.requests.count { $0.target.hasSuffix("/likes") } == 1)
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
    #expect(try post(service, ["follow", "jill"]).ending == .status(77))
  }

  @Test(arguments: [
    (
      403, #"{"detail":"You are not allowed to create a Tweet with duplicate content.","status":403}"#, 69,
      "has this post already"
    ),
    (
      403, #"{"title":"Client Forbidden","reason":"client-not-enrolled","status":403}"#, 77,
      "plan does not include this"
    ),
    (
      403,
      #"{"title":"Unsupported Authentication","type":"https://api.twitter.com/2/problems/unsupported-authentication"}"#,
      77, "sign in as a user in another way: 'tw-auth login'"
    ),
    (402, #"{"title":"CreditsDepleted","detail":"No credits."}"#, 69, "add credit at the service"),
    (401, #"{"title":"Unauthorized","status":401}"#, 77, "run 'tw-auth login'"),
    (400, #"{"detail":"Your Tweet text is too long."}"#, 69, "Your Tweet text is too long"),
  ])
  func refusalsAreOrdinaryAnswers(_ code: Int, _ body: String, status: Int32, text: String) throws {
    let service = try PostService([.status(code, body)])
    let result = try post(service, ["hi!"])
    #expect(result.ending == .status(status) && result.output == "")
    #expect(result.errors.contains(text) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    // The caller knows that it failed: nothing is posted later behind its back.
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
  }

  @Test func aLimitIsWaitedForIfThatIsWanted() throws {
    let limited = PostService.Behaviour.status(
      429, #"{"title":"Too Many Requests","status":429}"#, headers: ["Retry-After: 1"])
    let service = try PostService([limited, limited])
    let refused = try post(service, ["hi!"])
    #expect(refused.ending == .status(75) && refused.errors.contains("try again in 1 s"), "\(refused.errors)")
    let waited = try post(service, ["--wait", "hi!"])
    #expect(waited.ending == .status(0) && waited.lines.count == 1, "\(waited.errors)")
    #expect(service.posts.count == 1)
  }

  // MARK: Accounts

  private func signIn(_ service: PostService, _ members: String, as name: String = "jack") throws {
    let base = service.asX["TW_ENDPOINT"] ?? ""
    let path = try home.write(
      ".config/tw/credentials.json",
      #"{"accounts":[{"service":"x","name":"\#(name)","base":"\#(base)","token":"account-token",\#(members)}]}"#)
    chmod(path, 0o600)
  }

  @Test func scopesAreCheckedBeforeAnythingIsSent() throws {
    let service = try PostService()
    try signIn(service, #""method":"token","scopes":["tweet.read","users.read","tweet.write"]"#)
    let picture = try home.write("a.gif", Array("GIF89a".utf8) + [10, 0, 12, 0, 0, 0, 0, 0x3B])
    for (command, scope) in [
      (["like", "42"], "like.write"), (["--later", "like", "42"], "like.write"), (["follow", "jill"], "follows.write"),
      (["bookmark", "42"], "bookmark.write"), (["--media", picture, "look"], "media.write"),
    ] {
      let result = try post(service, command, ["TW_TOKEN": nil])
      #expect(result.ending == .status(77), "\(command)")
      #expect(
        result.errors.contains(
          "needs the scope '\(scope)', which account 'jack' was not given: sign in again with 'tw-auth login"),
        "\(result.errors)")
    }
    #expect(service.requests.isEmpty)
    #expect(try post(service, ["hi!"], ["TW_TOKEN": nil]).ending == .status(0))
    try signIn(service, #""method":"app""#)
    let app = try post(service, ["hi!"], ["TW_TOKEN": nil])
    #expect(app.ending == .status(77) && app.errors.contains("account 'jack' is an application's"), "\(app.errors)")
    #expect(service.posts.count == 1)
  }

  @Test func theOptionNamesTheAccountThatPosts() throws {
    let service = try PostService()
    try signIn(service, #""method":"token""#)
    #expect(try post(service, ["--account", "jack", "from the account"]).ending == .status(0))
    #expect(try post(service, ["from the token"]).ending == .status(0))
    let fields = service.requests.filter { $0.target == "POST /2/tweets" }.map { request in
      request.head.split(separator: "\r\n").first { $0.hasPrefix("Authorization:") } ?? ""
    }
    #expect(fields == ["Authorization: Bearer account-token", "Authorization: Bearer secret-token"])
    // A slip must not post for somebody else.
    let slip = try post(service, ["--account", "jck", "hi!"])
    #expect(
      slip.ending == .status(77) && slip.errors.contains("not signed in to service 'x' as 'jck'"), "\(slip.errors)")
    #expect(service.posts.count == 2)
    // In tw-cache too, which has tw-stream make its requests.
    let count = service.requests.count
    _ = try Tool.run("tw-cache", ["refresh", "--account", "jack", "@jill"], environment: service.asX, home: home)
    let heads = service.requests.dropFirst(count).map(\.head)
    #expect(!heads.isEmpty && heads.allSatisfy { $0.contains("Authorization: Bearer account-token") })
    // Nobody knows whose the token is.
    try home.write(".config/tw/credentials.json", #"{"accounts":[]}"#)
    let unknown = try post(service, ["--account", "jck", "hello!"])
    #expect(unknown.ending == .status(77) && service.posts.count == 2, "\(unknown.errors)")
    for tool in [["tw-stream", "--once", "home"], ["tw-cache", "refresh", "@jill"], ["tw-post", "undo"]] {
      let result = try Tool.run(
        tool[0], Array(tool[1...].prefix(1)) + ["--account", "jck"] + tool.dropFirst(2), environment: service.asX,
        home: home)
      #expect(result.ending == .status(77), "\(tool) \(result.errors)")
    }
  }

  /// A post whose token is refused was surely not made: it is sent again with a new token, and made once.
  @Test func aTokenIsRenewedInTheMiddle() throws {
    let server = try LoopbackServer { request in
      let isNew = request.head.contains("Authorization: Bearer new-token")
      switch request.target {
      case "POST /2/oauth2/token":
        return .answer(200, #"{"access_token":"new-token","refresh_token":"next","expires_in":7200}"#)
      case let target where target.hasPrefix("GET /2/users/me"):
        return .answer(200, #"{"data":{"id":"7","username":"jack"}}"#)
      case "POST /2/tweets" where isNew: return .answer(201, #"{"data":{"id":"1000","text":"hi!"}}"#)
      default: return .answer(401, #"{"title":"Unauthorized","status":401}"#)
      }
    }
    let account = #"{"service":"x","name":"jack","base":"\#(server.base)","method":"oauth2","client_id":"tw"}"#
    chmod(try home.write(".config/tw/credentials.json", #"{"accounts":[\#(account)]}"#), 0o600)
    let tokens = #"{"access_token":"old-token","refresh_token":"first","expires_at":"2099-01-01T00:00:00Z"}"#
    chmod(try home.write(".local/state/tw/tokens/x:jack", tokens), 0o600)
    let result = try Tool.run("tw-post", ["hi!"], home: home)
    #expect(result.ending == .status(0) && result.lines.count == 1, "\(result.errors)")
    #expect(
      server.requests.filter { $0.target.hasPrefix("POST") }.map(\.target) == [
        "POST /2/tweets", "POST /2/oauth2/token", "POST /2/tweets",
      ])
  }
}
