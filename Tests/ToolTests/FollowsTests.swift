import Foundation
import TestSupport
import Testing

/// tw-auth follows: whom an account follows, as the networks' CSV.
@Suite(.onOwnThread) struct FollowsTests {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func account(_ id: Int, _ acct: String) -> String {
    #"{"id":"\#(id)","username":"\#(acct.split(separator: "@")[0])","acct":"\#(acct)","display_name":"N","url":"https://x.example/@\#(id)"}"#
  }

  /// A server where the account follows `otto@milk.example` and `rolf`, in two pages.
  /// - Parameter limit: how many follows it carries out.
  private func server(limit: Int = .max) throws -> (MastodonServer, followed: StoredText, isOpen: StoredText) {
    let base = StoredText()
    let done = StoredText()
    let isOpen = StoredText()
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      let path = request.target.split(separator: "?")[0]
      switch path {
      case "GET /api/v1/accounts/7/following":
        let isSecond = request.parameter("max_id") == "3"
        let link = "Link: <\(base.text)/api/v1/accounts/7/following?limit=80&max_id=3>; rel=\"next\""
        let person = isSecond ? Self.account(31, "rolf") : Self.account(30, "otto@milk.example")
        connection.answer(200, "[\(person)]", headers: isSecond ? [] : [link])
      case "GET /api/v1/accounts/lookup":
        let name = request.decoded("acct") ?? ""
        connection.answer(200, Self.account(100 + name.utf8.count, name))
      case let path where path.hasPrefix("POST /api/v1/accounts/") && path.hasSuffix("/follow"):
        if done.text.count < limit || !isOpen.text.isEmpty { done.text += "x" } else { return connection.fail() }
        connection.answer(200, #"{"id":"1","following":true}"#)
      default: return false
      }
      return true
    }
    let server = try MastodonServer(settings)
    base.text = server.server.base
    return (server, done, isOpen)
  }

  private func follows(_ server: MastodonServer, _ arguments: [String], _ input: String = "") throws -> ToolResult {
    try server.run("tw-auth", ["follows"] + arguments, stdin: ToolInput(input), home: home, token: "t0k")
  }

  private func asked(_ server: MastodonServer) -> [String] {
    server.targets.filter { $0.hasSuffix("/follow") }.map { String($0.split(separator: "/")[4]) }
  }

  @Test func anExportIsTheFileOfTheNetwork() throws {
    let server = try server().0
    let result = try follows(server, ["export"])
    let host = server.name.dropFirst("mastodon:".count)
    #expect(
      result.output
        == "Account address,Show boosts,Notify on new posts,Languages\notto@milk.example,true,false,\nrolf@\(host),true,false,\n",
      "\(result.errors)")
    #expect(result.status == 0 && result.errors == "")
    // What it has written it takes back: all are followed.
    let back = try follows(server, ["import", "--yes"], result.output)
    #expect(back.status == 0 && back.errors.contains("2 of 2 are followed already") && asked(server) == [])
  }

  /// A list that is not whole is none.
  @Test func anExportThatIsCutOffPrintsNothing() throws {
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/accounts/7/following") else { return false }
      connection.answer(403, #"{"error":"This action is outside the authorized scopes"}"#)
      return true
    }
    let server = try MastodonServer(settings)
    let result = try follows(server, ["export"])
    #expect(result.status == 77 && result.output == "" && result.errors.contains("not whole"), "\(result)")
    #expect(try follows(server, ["import", "--yes"], "eve@milk.example\n").status == 77)
  }

  @Test func anImportFollowsThoseThatAreNotFollowed() throws {
    let server = try server().0
    let file =
      "\u{FEFF}Account address,Show boosts,Notify on new posts,Languages\r\nOtto@milk.example,true,false,\r\n"
      + "\"eve@milk.example\",false,false,\"en,de\"\r\nno name,true,false,\r\nabcdefgh@milk.example,true,false,\r\n\r\neve@milk.example,true,false,\r\n"
    let shown = try follows(server, ["import", "--dry-run"], file)
    #expect(shown.output == "eve@milk.example\nabcdefgh@milk.example\n" && shown.status == 1, "\(shown)")
    #expect(shown.errors.contains("line 4: 'no name' is not the name of an account"))
    #expect(shown.errors.contains("1 of 3 are followed already") && shown.errors.contains("1 with settings"))
    #expect(asked(server) == [])
    // Nobody can be asked.
    #expect(try follows(server, ["import"], file).status == 64 && asked(server) == [])
    let result = try follows(server, ["import", "--yes"], file)
    #expect(result.status == 1 && result.lines.count == 2, "\(result)")
    #expect(asked(server) == ["116", "121"])
    // The files of other tools, and a bare list.
    #expect(
      try follows(server, ["import", "--dry-run"], "id,Handle,x\n1,@ida@milk.example,y\n").output
        == "ida@milk.example\n")
    #expect(try follows(server, ["import", "--dry-run"], "ida@milk.example\n").output == "ida@milk.example\n")
    #expect(try follows(server, ["import", "--dry-run"], "no name\n").status == 65)
    #expect(try follows(server, ["import", "--dry-run"], "").status == 0)
    #expect(try follows(server, ["import", "--dry-run", "missing.csv"]).status == 66)
  }

  /// A run that was cut off goes on where it was.
  @Test func theSameCommandGoesOn() throws {
    let (server, done, isOpen) = try server(limit: 1)
    let file = (1...3).map { String(repeating: "a", count: $0) + "@milk.example\n" }.joined()
    let first = try follows(server, ["import", "--yes"], file)
    #expect(first.status == 75 && done.text.count == 1, "\(first)")
    isOpen.text = "y"
    let second = try follows(server, ["import", "--yes"], file)
    #expect(
      second.status == 0 && done.text.count == 3 && second.errors.contains("1 of 3 were done before"), "\(second)")
  }

  @Test func blueskyHasHandlesAndIDs() throws {
    let server = try FakePDS()
    #expect(try server.signIn(home).status == 0)
    let result = try Tool.run("tw-auth", ["follows", "export"], environment: server.environment, home: home)
    #expect(result.output == "handle,did\neve.example,did:plc:eve\n" && result.status == 0, "\(result)")
    let shown = try Tool.run(
      "tw-auth", ["follows", "import", "--dry-run"],
      stdin: "did,handle\ndid:plc:eve,new.example\ndid:plc:bob,bob.example\n",
      environment: server.environment, home: home)
    #expect(shown.output == "did:plc:bob\n", "\(shown)")
  }
}

extension Connection {
  /// Answers that the service is not there.
  fileprivate func fail() -> Bool {
    answer(503, "{}")
    return true
  }
}
