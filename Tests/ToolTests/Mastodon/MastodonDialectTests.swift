import Foundation
import TestSupport
import Testing

/// Recordings of the servers that have Mastodon's API, and a description of it that is not ours.
@Suite(.onOwnThread(minutes: 15), .enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment)))
struct MastodonDialectTests {
  private static let folder = "mastodon/fixtures/"
  private static let instances =
    (try? FileManager.default.contentsOfDirectory(atPath: (TestData.directory ?? "") + "/" + folder + "TootSDK"))?
    .filter { $0.hasPrefix("instance") || ["mastodon.json", "pixelfed.json", "pleroma.json"].contains($0) }.sorted()
    ?? []

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static func fixture(_ name: String) throws -> String {
    String(decoding: try TestData.bytes(folder + name), as: UTF8.self)
  }

  @Test(arguments: instances)
  func eachServerIsRead(_ name: String) throws {
    let instance = try Self.fixture("TootSDK/" + name)
    // Ids of Pleroma and of GoToSocial are no numbers.
    let ids = ["AZ3kJq9fXo2mWc8dP4", "01HZXK5V7T9RQ2M4N8P3E6W1YB"]
    let posts =
      try ids.map { MastodonServer.status(1).replacing("\"id\":\"1\"", with: "\"id\":\"\($0)\"") }
      + [Self.fixture("MastodonKit/StatusWithoutNull.json")]
    let isOld = !name.hasPrefix("instancev2")
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "GET /api/v2/instance": connection.answer(isOld ? 404 : 200, isOld ? #"{"error":"Not found"}"# : instance)
      case "GET /api/v1/instance": connection.answer(200, instance)
      case "GET /api/v1/timelines/public":
        let isFirst = request.parameter("max_id") == nil && request.parameter("min_id") == nil
        connection.answer(200, isFirst ? "[" + posts.joined(separator: ",") + "]" : "[]")
      default: return false
      }
      return true
    }
    let server = try MastodonServer(settings)
    let state = home.path + "/state"
    let first = try server.run("tw-stream", ["--once", "--all", "--state", state, "public"], home: home)
    #expect(first.status == 0, "\(first.errors)")
    let parsed = try Tool.run("tw-parse", ["--strict"], stdin: ToolInput(first.output), home: home)
    #expect(parsed.status == 0, "\(parsed.errors)")
    let tweets = parsed.lines.filter { $0.hasPrefix(#"{"tw":"tweet""#) }
    #expect(tweets.count == posts.count && tweets.allSatisfy { $0.contains(#""service":"\#(server.name)""#) })
    let again = try server.run("tw-stream", ["--once", "--state", state, "public"], home: home)
    #expect(again.status == 0 && !again.output.contains(#""account""#), "\(again.output)")
  }

  /// Recorded posts, accounts, notifications, answers and messages of a stream, as a server gives them out.
  @Test func everyRecordingBecomesRecords() throws {
    let status = try Self.fixture("MastodonKit/StatusWithoutNull.json")
    func with(_ id: Int, _ key: String, _ name: String) throws -> String {
      var object = try #require(JSONSerialization.jsonObject(with: Data(status.utf8)) as? [String: Any])
      object["id"] = String(id)
      object[key] = try JSONSerialization.jsonObject(with: Data(Self.fixture("TootSDK/" + name).utf8))
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
    let names = try FileManager.default.contentsOfDirectory(
      atPath: (TestData.directory ?? "") + "/" + Self.folder + "TootSDK")
    let accounts = try names.filter { $0.hasPrefix("account") }.sorted().map { try Self.fixture("TootSDK/" + $0) }
    let list = try Self.fixture("MastodonKit/Accounts.json").trimmingCharacters(in: .whitespacesAndNewlines)
    let pages = [
      "/api/v1/timelines/public": try Self.fixture("MastodonKit/Timeline.json"),
      "/api/v1/timelines/home":
        "[\(try with(3, "quote", "quote.json")),\(try with(2, "quote", "shallow_quote.json")),"
        + "\(try with(1, "card", "card_string_size.json"))]",
      "/api/v1/notifications": try Self.fixture("MastodonKit/Notifications.json"),
      "/api/v1/accounts/7/followers": "[" + accounts.joined(separator: ",") + "," + list.dropFirst(),
      "/api/v1/statuses/1": status, "/api/v1/statuses/1/context": try Self.fixture("MastodonKit/Context.json"),
    ]
    let messages = try ["update", "filters_changed", "delete"].map {
      Connection.text(try Self.fixture("TootSDK/streaming_\($0).json"))
    }
    var settings = MastodonServer.Settings()
    settings.instance = try Self.fixture("TootSDK/instancev2_gotosocial.json").replacing(
      "social.browser.org", with: "x"
    )
    .replacing("\"urls\":{\"streaming\":\"wss://x\"},", with: "")
    settings.first = { request, connection in
      let path = request.path.prefix { $0 != "?" }
      if path == "/api/v1/streaming" {
        connection.upgrade(request, first: messages.flatMap { $0 })
        connection.hold()
        return true
      }
      guard let body = pages[String(path)] else { return false }
      let isFirst = request.parameter("max_id") == nil && request.parameter("min_id") == nil
      connection.answer(200, isFirst ? body : "[]")
      return true
    }
    let server = try MastodonServer(settings)
    for (source, type, count) in [
      ("public", "tweet", 2), ("home", "tweet", 3), ("notifications", "notification", 2),
      ("followers", "user", accounts.count + 2), ("conversation:1", "tweet", 1),
    ] {
      let raw = try server.run("tw-stream", ["--once", source], home: home, token: "t0k")
      #expect(raw.status == 0, "\(source): \(raw.errors)")
      let parsed = try Tool.run("tw-parse", ["--strict"], stdin: ToolInput(raw.output), home: home)
      #expect(parsed.status == 0, "\(source): \(parsed.errors)")
      let found = parsed.lines.count { $0.hasPrefix(#"{"tw":"\#(type)""#) }
      #expect(found >= count, "\(source): \(found) of \(count)")
    }
    let live = try server.run("tw-stream", ["-n", "1", "home"], home: home, token: "t0k")
    let parsed = try Tool.run("tw-parse", ["--strict"], stdin: ToolInput(live.output), home: home)
    #expect(
      parsed.status == 0 && parsed.output.contains(#""id":"108913983692647032""#), "\(parsed.errors) \(live.output)")
  }

  /// A post may be as long as the server says, under whichever name.
  @Test(arguments: [
    ("instancev2_gotosocial.json", 5000), ("instancev2_pleroma.json", 5000),
    ("instancev2_mastodon_4.5.json", 500), ("instancev2_firefish.json", 3000),
  ])
  func eachServerSaysItsLimit(_ name: String, _ limit: Int) throws {
    let instance = try Self.fixture("TootSDK/" + name)
    var settings = MastodonServer.Settings()
    settings.instance = instance
    let server = try MastodonServer(settings)
    for (length, status) in [(limit, 0), (limit + 1, 65)] {
      let text = String(repeating: "a", count: length)
      let result = try server.run("tw-post", ["--dry-run", "-"], stdin: ToolInput(text), home: home, token: "t0k")
      #expect(result.status == Int32(status), "\(length): \(result.errors)")
    }
  }

  /// All requests but that of the registration, whose addresses are lines of one text: servers from before version 4.3
  /// take no list.
  @Test func everyRequestIsOneOfTheDescription() throws {
    let python = try PythonPackage.needed("openapi_core")
    var settings = MastodonServer.Settings()
    settings.first = { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "POST /api/v1/statuses": connection.answer(200, MastodonServer.status(2000))
      case "POST /api/v2/media": connection.answer(202, #"{"id":"9","type":"image","url":null}"#)
      case "GET /api/v1/media/9": connection.answer(200, #"{"id":"9","type":"image","url":"https://a.example/9.png"}"#)
      case "PUT /api/v1/statuses/1050": connection.answer(200, MastodonServer.status(1050))
      case "GET /api/v1/statuses/1050/source":
        connection.answer(200, #"{"id":"1050","text":"tea","spoiler_text":""}"#)
      case "GET /api/v1/statuses/1050/context": connection.answer(200, #"{"ancestors":[],"descendants":[]}"#)
      case "GET /api/v1/statuses/1050", "DELETE /api/v1/statuses/1050":
        connection.answer(200, MastodonServer.status(1050))
      case "GET /api/v2/search":
        let post = MastodonServer.status(1050).replacing(
          "https://tea.example/@maja/1050", with: "https://fosstodon.org/@bob/1")
        let bob = MastodonServer.account.replacing("\"acct\":\"maja\"", with: "\"acct\":\"bob@fosstodon.org\"")
        connection.answer(200, #"{"statuses":[\#(post)],"accounts":[\#(bob)],"hashtags":[]}"#)
      case "GET /api/v1/accounts/lookup" where request.parameter("acct") == "bob%40fosstodon.org":
        connection.answer(404, #"{"error":"Record not found"}"#)
      case let target where target.hasPrefix("POST /api/v1/statuses/") || target.hasPrefix("POST /api/v1/accounts/"):
        connection.answer(200, MastodonServer.status(1050))
      case "GET /api/v1/notifications", "GET /api/v1/bookmarks", "GET /api/v1/favourites",
        "GET /api/v1/accounts/7/followers", "GET /api/v1/accounts/7/following":
        connection.answer(200, "[]")
      default: return false
      }
      return true
    }
    let server = try MastodonServer(settings)
    let ids = try home.write("ids", "1050\n")
    for source in [
      "#tea", "public", "local", "home", "mentions", "notifications", "bookmarks", "likes", "followers",
      "following", "list:Tea", "@otto@milk.example", "conversation:1050", "ids:\(ids)",
      "\(server.name):conversation:https://fosstodon.org/@bob/1",
    ] {
      let result = try server.run("tw-stream", ["--once", source], home: home, token: "t0k")
      #expect(result.status == 0, "\(source): \(result.errors)")
    }
    try home.write("a.png", PictureSample.png(width: 3, height: 2))
    for arguments in [
      ["quote", "1050", "look"], ["--quote-settings", "followers", "edit", "1050", "more tea"],
      ["--sensitive", "--media", "a.png", "--alt", "a cup"],
      ["reply", "1050", "yes"],
      ["--visibility", "private", "--warning", "w", "--language", "en", "Hej då"], ["like", "1050"],
      ["unretweet", "1050"], ["unlike", "1050"], ["retweet", "1050"], ["bookmark", "1050"], ["unbookmark", "1050"],
      ["--poll", "tea", "--poll", "milk", "--poll-for", "1h", "Which?"], ["--media", "a.png", "Look"],
      ["follow", "otto@milk.example"], ["unfollow", "otto@milk.example"], ["follow", "bob@fosstodon.org"],
      ["reply", "https://fosstodon.org/@bob/1", "yes"], ["delete", "1050"],
    ] {
      let result = try server.run("tw-post", arguments, home: home, token: "t0k")
      #expect(result.status == 0, "\(arguments): \(result.errors)")
    }
    for (arguments, input) in [
      (["login", "--service", server.name, "--no-browser"], "c0de\n"), (["logout", "maja"], ""),
    ] {
      let result = try Tool.run("tw-auth", arguments, stdin: ToolInput(input), home: home)
      #expect(result.status == 0, "\(result.errors)")
    }
    let requests = server.server.requests.filter { $0.target != "POST /api/v1/apps" }
    for target in ["POST /oauth/token", "POST /oauth/revoke", "DELETE /api/v1/statuses/1050"] {
      #expect(requests.contains { $0.target == target })
    }
    var text = ""
    for request in requests {
      text += request.target.replacing(" ", with: " https://mastodon.example") + "\n"
      let body =
        request["Content-Type"] == "application/json"
        ? request.body : "base64:" + Data(request.body.utf8).base64EncodedString()
      text += request.body.isEmpty ? "\n" : "Content-Type: \(request["Content-Type"] ?? "")\n\n\(body)\n\n"
    }
    let description = try #require(TestData.directory) + "/mastodon/openapi/dist/schema.json"
    let result = try Tool.run(
      python, [Package.root + "/Tests/OpenAPI/validate.py", description, "https://mastodon.example"],
      stdin: ToolInput(text))
    #expect(
      result.output.contains("\(requests.count) requests, 0 faults"), "\(result.output)\(result.errors)")
  }
}
