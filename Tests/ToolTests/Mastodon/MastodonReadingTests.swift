import Foundation
import TestSupport
import Testing

/// A server with Mastodon's API is read page by page.
@Suite(.onOwnThread) struct MastodonReadingTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  @Test func aTagIsReadUpwardsWithoutAnAccount() throws {
    let server = try MastodonServer()
    let state = home.path + "/state"
    let first = try server.run("tw-stream", ["--once", "--state", state, "#tea"], home: home)
    #expect(first.status == 0 && MastodonServer.ids(first) == Array((1060..<1100).reversed()), "\(first.errors)")
    #expect(server.targets == ["GET /api/v2/instance", "GET /api/v1/timelines/tag/tea?limit=40"])
    server.post(85)
    let next = try server.run("tw-stream", ["--once", "--state", state, "#tea"], home: home)
    // What is new, the oldest first, over three pages.
    #expect(next.status == 0 && MastodonServer.ids(next) == Array(1100..<1185), "\(next.errors)")
    #expect(server.targets.last == "GET /api/v1/timelines/tag/tea?limit=40&min_id=1184")
    #expect(server.server.requests.allSatisfy { $0["Authorization"] == nil })
  }

  /// A round that a limit cuts leaves no gap: the next one goes on above it.
  @Test func aLimitCutsAtTheNewestEnd() throws {
    var settings = MastodonServer.Settings()
    settings.pageSize = 40
    let server = try MastodonServer(settings)
    let state = home.path + "/state"
    let first = try server.run(
      "tw-stream", ["--once", "--state", state, "--since-id", "1010", "--limit", "5", "@maja"], home: home)
    #expect(MastodonServer.ids(first) == Array(1011...1015), "\(first.errors)")
    let rest = try server.run("tw-stream", ["--once", "--state", state, "--limit", "50", "@maja"], home: home)
    #expect(MastodonServer.ids(rest) == Array(1016...1065), "\(rest.errors)")
    let between = try server.run(
      "tw-stream", ["--once", "--since-id", "1010", "--until-id", "1014", "@maja"], home: home)
    #expect(MastodonServer.ids(between) == [1011, 1012, 1013])
  }

  @Test func allOfItIsReadDownwards() throws {
    let server = try MastodonServer()
    let result = try server.run("tw-stream", ["--once", "--all", "local"], home: home)
    #expect(result.status == 0 && MastodonServer.ids(result) == Array((1000..<1100).reversed()), "\(result.errors)")
    #expect(server.targets[1] == "GET /api/v1/timelines/public?local=true&limit=40")
    #expect(server.targets[2] == "GET /api/v1/timelines/public?local=true&limit=40&max_id=1060")
  }

  @Test func theLimitOfPagesIsKept() throws {
    var settings = MastodonServer.Settings()
    (settings.posts, settings.limit) = (1200, (20, 1))
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "--all", "#tea"], home: home)
    #expect(result.status == 0 && MastodonServer.ids(result).count == 1200, "\(result.errors)")
    #expect(!result.errors.contains("rate limit") && !result.output.contains("rate-limit"))
  }

  /// The limit is the account's: several sources of one run keep it together, and so do several runs, each by what the
  /// answers say is left.
  @Test(arguments: [1, 3])
  func theLimitIsKeptTogether(_ runs: Int) throws {
    var settings = MastodonServer.Settings()
    (settings.posts, settings.limit) = (600, (40, 2))
    let server = try MastodonServer(settings)
    let sources = ["#tea", "#milk", "#sugar", "#cup", "local", "public"]
    let tools = try (0..<runs).map { run in
      try RunningTool(
        "tw-stream", ["--once", "--all"] + (runs == 1 ? sources : Array(sources[run * 2..<run * 2 + 2])),
        environment: server.environment(token: "t0k"), home: home)
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.ending == .status(0) && !result.errors.contains("rate limit"), "\(result.errors)")
      #expect(MastodonServer.ids(result).count == 600 * sources.count / runs)
    }
    #expect(server.refused == 0, "\(server.refused) of \(server.targets.count) requests were refused")
  }

  @Test func eachSourceHasItsRequests() throws {
    let server = try MastodonServer()
    for (source, requests) in [
      ("home", ["timelines/home?limit=40"]),
      ("list:tea", ["lists", "timelines/list/3?limit=40"]),
      ("list:4", ["lists", "timelines/list/4?limit=40"]),
      ("@otto@milk.example", ["accounts/lookup?acct=otto%40milk.example", "accounts/7/statuses?limit=40"]),
      ("https://milk.example/@otto", ["accounts/lookup?acct=otto%40milk.example", "accounts/7/statuses?limit=40"]),
      ("http://127.0.0.1:\(server.server.port)/tags/tea", ["timelines/tag/tea?limit=40"]),
      ("#ティー", ["timelines/tag/%E3%83%86%E3%82%A3%E3%83%BC?limit=40"]),
    ] {
      let before = server.targets.count
      let result = try server.run("tw-stream", ["--once", source], home: home, token: "t0k")
      #expect(result.status == 0 && MastodonServer.ids(result).count == 40, "\(source): \(result.errors)")
      #expect(Array(server.targets.dropFirst(before)) == requests.map { "GET /api/v1/" + $0 })
      #expect(server.server.requests.dropFirst(before).allSatisfy { $0["Authorization"] == "Bearer t0k" })
    }
    for (source, says) in [
      ("list:Rum", "there is no list 'Rum': yours are 'Tea', 'Milk'"), ("hom", "did you mean 'home'?"),
      ("favourites", "did you mean 'likes'?"), ("home:x", "'home' stands alone"), ("#1 2", "is not a hashtag"),
      ("https://milk.example/@otto/12", "a page of 'milk.example'"), ("search:tea", "is not searched"),
    ] {
      let result = try server.run("tw-stream", ["--once", source], home: home, token: "t0k")
      #expect(result.status != 0 && result.errors.contains(says), "\(source): \(result.errors)")
    }
  }

  /// A source may name its server, at its end or before it, and stands beside those of another.
  @Test func aSourceNamesItsServer() throws {
    let (one, two) = (try MastodonServer(), try MastodonServer())
    let (first, second) = (one.name.dropFirst(9), two.name.dropFirst(9))
    let result = try Tool.run(
      "tw-stream",
      ["--once", "mastodon:#tea@\(first)", "mastodon:@maja@\(second)", "mastodon:\(second):local"], home: home)
    #expect(result.status == 0 && MastodonServer.ids(result).count == 120, "\(result.errors)")
    #expect(one.targets == ["GET /api/v2/instance", "GET /api/v1/timelines/tag/tea?limit=40"])
    #expect(two.targets.contains("GET /api/v1/accounts/lookup?acct=maja"))
    #expect(two.targets.contains("GET /api/v1/timelines/public?local=true&limit=40"))
    let contexts = result.lines.filter { $0.hasPrefix(#"{"tw":"context""#) }
    #expect(contexts.contains { $0.contains(#""service":"\#(one.name)""#) }, "\(contexts)")
    let nothing = try Tool.run("tw-stream", ["--once", "mastodon:#tea"], home: home)
    #expect(nothing.status != 0)
  }

  /// Bookmarks and followers have an order of their own: only a link leads on, and the next round stops where this one
  /// began.
  @Test func bookmarksAreReadByLinks() throws {
    let pages = StoredText()
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/bookmarks") else { return false }
      let isSecond = request.parameter("max_id") == "77"
      let ids = isSecond ? [1001, 1009] : [1005, 1003]
      let link = "Link: <\(pages.text)/api/v1/bookmarks?limit=40&max_id=77>; rel=\"next\", <x>; rel=\"prev\""
      connection.answer(
        200, "[" + ids.map { MastodonServer.status($0) }.joined(separator: ",") + "]", headers: isSecond ? [] : [link])
      return true
    }
    let server = try MastodonServer(settings)
    pages.text = server.server.base
    let state = home.path + "/state"
    let arguments = ["--once", "--all", "--state", state, "bookmarks"]
    let first = try server.run("tw-stream", arguments, home: home, token: "t0k")
    #expect(first.status == 0 && MastodonServer.ids(first) == [1005, 1003, 1001, 1009], "\(first.errors)")
    let again = try server.run("tw-stream", arguments, home: home, token: "t0k")
    #expect(again.status == 0 && MastodonServer.ids(again).isEmpty, "\(again.output)")
    // Of a link to elsewhere, or of one without a host, only the path counts: the token goes to no other host.
    for origin in ["http://evil.example", "https://127.0.0.1:1", ""] {
      pages.text = origin
      let elsewhere = try server.run("tw-stream", ["--once", "--all", "bookmarks"], home: home, token: "t0k")
      #expect(
        elsewhere.status == 0 && MastodonServer.ids(elsewhere) == [1005, 1003, 1001, 1009], "\(elsewhere.errors)")
    }
  }

  @Test func aConversationIsCompleted() throws {
    let asked = StoredText()
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      switch request.target {
      case "GET /api/v1/statuses/1050": connection.answer(200, MastodonServer.status(1050))
      case "GET /api/v1/statuses/1050/context":
        asked.text += "x"
        let late = asked.text.count > 1 ? "," + MastodonServer.status(1052) : ""
        connection.answer(
          200,
          #"{"ancestors":[\#(MastodonServer.status(1040))],"descendants":[\#(MastodonServer.status(1051))\#(late)]}"#,
          headers: late.isEmpty ? [#"Mastodon-Async-Refresh: id="x", retry=1, result_count=0"#] : [])
      default: return false
      }
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "conversation:1050"], home: home)
    #expect(result.status == 0 && MastodonServer.ids(result) == [1040, 1050, 1051, 1052], "\(result.errors)")
    #expect(asked.text == "xx")
  }

  /// A home timeline that is built anew has holes: it is waited for.
  @Test func aTimelineThatIsBuiltIsWaitedFor() throws {
    let asked = StoredText()
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/timelines/home"), asked.text.count < 2 else { return false }
      asked.text += "x"
      connection.answer(
        206, "[\(MastodonServer.status(1099))]", headers: [#"Mastodon-Async-Refresh: id="x", retry=1"#])
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "--since-id", "1089", "home"], home: home, token: "t0k")
    #expect(result.status == 0 && MastodonServer.ids(result) == Array(1090..<1100), "\(result.errors)")
  }

  @Test(arguments: [
    (#"{"local":"public","remote":"authenticated"}"#, "#tea", 0, "only posts of the server's own accounts"),
    (#"{"local":"authenticated","remote":"authenticated"}"#, "#tea", 77, "shows '#tea' only to its accounts"),
    (#"{"local":"public","remote":"authenticated"}"#, "public", 77, "or read 'local'"),
    (#"{"local":"public","remote":"disabled"}"#, "local", 0, ""),
  ])
  func whatIsShownWithoutAnAccountIsToldFirst(_ access: String, _ source: String, _ status: Int, _ says: String)
    throws
  {
    var settings = MastodonServer.Settings()
    settings.configuration = #"{"timelines_access":{"live_feeds":\#(access),"hashtag_feeds":\#(access)}}"#
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", source], home: home)
    #expect(
      result.status == Int32(status) && (says.isEmpty || (result.errors + result.output).contains(says)),
      "\(result.errors)")
    if status != 0 { #expect(server.targets == ["GET /api/v2/instance"]) }
    if source == "#tea", status == 0 { #expect(server.targets.last?.contains("?local=true&limit=40") == true) }
    // With an account all of it is asked for.
    _ = try server.run("tw-stream", ["--once", source], home: home, token: "t0k")
    #expect(
      server.targets.last
        == "GET /api/v1/timelines/\(source == "#tea" ? "tag/tea?" : "public?\(source == "local" ? "local=true&" : "")")limit=40"
    )
  }

  @Test(arguments: [
    (401, "This method requires an authenticated user"), (422, "This method requires an authenticated user"),
  ])
  func aRefusalIsExplained(_ status: Int, _ text: String) throws {
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      // Older servers do not say what they show.
      if request.target == "GET /api/v2/instance" {
        connection.answer(404, "{}")
      } else {
        connection.answer(status, #"{"error":"\#(text)"}"#)
      }
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "public"], home: home)
    #expect(
      result.status == 77 && result.errors.contains("only to its accounts: \(text); run 'tw-auth login --service"),
      "\(result.errors)")
  }

  @Test func postsAreLookedUp() throws {
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      guard request.target == "GET /api/v1/statuses/1050" else { return false }
      connection.answer(200, MastodonServer.status(1050))
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run(
      "tw-stream", ["--once", "ids:-"], stdin: "1050\n1051\n\(server.server.base)/@maja/1050\nno id\n", home: home)
    #expect(MastodonServer.ids(result) == [1050, 1050] && result.output.contains("post 1051 is not available"))
  }

  /// A tag is registered and refreshed as cron does it, and listed; the posts of a later round are there once.
  @Test func aTagIsKept() throws {
    let server = try MastodonServer()
    #expect(try server.run("tw-cache", ["source", "add", "#tea"], home: home).status == 0)
    for _ in 0..<2 {
      let refreshed = try server.run("tw-cache", ["refresh", "--quiet", "#TEA"], home: home)
      #expect(refreshed.status == 0, "\(refreshed.errors)")
      server.post(50)
    }
    let listed = try server.run("tw-cache", ["list", "feed:#tea"], home: home)
    #expect(listed.status == 0 && listed.lines.count == 90, "\(listed.errors)")
    #expect(listed.output.contains(#""service":"\#(server.name)","url":"https://tea.example/@maja/1099""#))
    let shown = try server.run("tw-cache", ["show", "\(server.name):1099"], home: home)
    #expect(MastodonServer.ids(shown) == [1099], "\(shown.output)\(shown.errors)")
  }

  /// What is not a post among posts is passed on, so that tw-parse says so; the rest of the page is read.
  @Test func aStrangeElementDoesNotHideTheOthers() throws {
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/timelines/home") else { return false }
      connection.answer(200, Array("[\(MastodonServer.status(1001)),null,\(MastodonServer.status(1000))]".utf8))
      return true
    }
    let server = try MastodonServer(settings)
    let result = try server.run("tw-stream", ["--once", "home"], home: home, token: "t0k")
    #expect(result.status == 0 && MastodonServer.ids(result).sorted() == [1000, 1001], "\(result.errors)")
    let parsed = try Tool.run("tw-parse", stdin: ToolInput(result.output), home: home)
    #expect(parsed.status == 1 && parsed.output.contains("tea"), "\(parsed.errors)")
  }
}
