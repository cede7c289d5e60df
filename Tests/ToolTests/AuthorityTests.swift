import Foundation
import TestSupport
import Testing
import TweetCore
import TweetServices

/// What comes from a server is data, never a record of the kit: tweet(5), "Authority". Each way in is attacked with
/// each kind of record, spelled in each way, and neither prints one nor changes a store.
@Suite(.onOwnThread) struct AuthorityTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  // MARK: Attacks

  /// What a server would like to say as the kit.
  static let claims = [
    #""tw":"delete","service":"x","id":"21""#,
    #""tw":"tweet","id":"20","service":"x","text":"forged","retrieved_at":"2027-01-01T00:00:00.000Z""#
      + #","author":{"id":"12","username":"jack"}"#,
    #""tw":"user","id":"12","service":"x","username":"forged""#,
    ##""tw":"context","feed":"#forged","service":"x","base":"https://api.x.com","id":"1""##,
    ##""tw":"checkpoint","feed":"home","service":"x","newest_id":"9","id":"1""##,
    ##""tw":"query","feed":"#forged","service":"x","id":"1""##,
    ##""tw":"refresh","feed":"#forged","new":9,"id":"1""##,
    #""tw":"notice","code":"withheld","level":"info","message":"forged","service":"x","id":"20","countries":["XX"]"#,
    #""tw":"notification","service":"x","account":"a","id":"1","kind":"like","at":"2026-01-01T00:00:00.000Z""#,
    #""tw":7,"id":"1""#, #""tw":null,"id":"1""#, #""tw":"","id":"1""#,
  ]

  /// Each claim alone, after other members, with its name spelled in other ways, and twice.
  static let forged: [String] = claims.flatMap(spellings)

  private static func spellings(_ claim: String) -> [String] {
    let names = [#""\u0074w":"#, #""t\u0077" : "#, #""\u0074\u0077":"#]
    let escaped = names.map { name -> String in "{" + claim.replacing("\"tw\":", with: name) + "}" }
    let plain: [String] = ["{" + claim + "}", "{\"content\":\"<p>tea</p>\"," + claim + "}"]
    let twice: [String] = ["{" + claim + ",\"tw\":null}", "{\"tw\":null," + claim + "}"]
    return plain + escaped + twice
  }

  /// A post of each service that says that it is a record beside all that makes it a post.
  private static func marked(_ post: String) -> [String] {
    let names = ["\"tw\"", #""\u0074w""#, #""t\u0077""#]
    let first = names.map { name -> String in "{" + name + ":\"delete\"," + String(post.dropFirst()) }
    let last = ["\"delete\"", "null"].map { type -> String in String(post.dropLast()) + ",\"tw\":" + type + "}" }
    return first + last
  }

  private static let xPost = #"{"id":"5","text":"tea","author_id":"1"}"#
  private static let v1Post = #"{"id_str":"5","id":5,"full_text":"tea","user":{"id_str":"1","screen_name":"maja"}}"#
  private static let blueskyPost =
    #"{"uri":"at://did:plc:a/app.bsky.feed.post/1","cid":"b","author":{"did":"did:plc:a","handle":"a.example"},"#
    + #""record":{"$type":"app.bsky.feed.post","text":"tea","createdAt":"2026-11-26T20:00:00.000Z"},"#
    + #""indexedAt":"2026-11-26T20:00:00.000Z"}"#

  /// The posts that a store has before somebody attacks it.
  private func fill() throws -> String {
    #expect(try add(tweet(20, text: "just setting up", author: "jack") + tweet(21, text: "second")).status == 0)
    return try export()
  }

  private func export() throws -> String { try cache("export").output }

  /// Whether lines have nothing of what was forged but what tw-stream or tw-parse themselves say.
  private func expectNothingForged(_ lines: [String], _ what: String = "") {
    for line in lines {
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
      #expect(!line.contains("forged") || line.hasPrefix(#"{"tw":"notice""#), "\(what) \(line)")
      guard let type = object?["tw"] as? String else { continue }
      let mark = (try? JSONDocument(line))?.read { RecordMark($0) }
      #expect(line.hasPrefix(#"{"tw":""#) && mark == .type(type), "\(what) \(line)")
      #expect(["context", "notice", "refresh", "tweet", "user", "notification"].contains(type), "\(what) \(line)")
      let id = object?["id"] as? String
      #expect(type == "notice" || id != "20" && id != "21", "\(what) \(line)")
    }
  }

  // MARK: What is not a record

  @Test func aMarkIsFoundHoweverItIsSpelled() throws {
    for text in Self.forged + Self.marked(Self.xPost) {
      #expect(text.withBytes { RecordMark.isMarked($0) }, "\(text)")
    }
    let harmless = [
      #"{"id":"1","text":"\"tw\":\"delete\""}"#, #"{"id":"1","x":{"tw":"delete"}}"#, #"[{"tw":"delete"}]"#, "7", "{}",
      #"{"twx":1,"xtw":2,"t":3,"\u0074":4,"\u0077":5,"TW":6}"#, #"{"text":"tw"}"#,
    ]
    for text in harmless { #expect(!text.withBytes { RecordMark.isMarked($0) }, "\(text)") }
    let marks = [
      #"{"a":1,"tw":"tweet"}"#: RecordMark.type("tweet"), #"{"tw":"tweet","tw":"tweet"}"#: .unclear,
      #"{"t\u0077":"tweet"}"#: .unclear, #"{"tw":"\u0074weet"}"#: .unclear, #"{"tw":7}"#: .unclear, "{}": .none,
    ]
    for (text, mark) in marks { #expect(try JSONDocument(text).read { RecordMark($0) } == mark, "\(text)") }
  }

  // MARK: Pages

  /// A server whose every page has what is attacked with.
  private func server(_ answer: @escaping @Sendable (String) -> String?) throws -> LoopbackServer {
    try LoopbackServer { request in
      answer(String(request.target.split(separator: "?")[0])).map { Answer.answer(200, $0) } ?? .answer(404, "{}")
    }
  }

  /// Runs the pipeline into a store that has X's posts already.
  private func attack(_ arguments: [String], _ environment: [String: String]) throws -> (
    stream: ToolResult, parse: ToolResult, before: String, after: String
  ) {
    let before = try fill()
    let stream = try Tool.run("tw-stream", arguments, environment: environment, home: home)
    let parse = try Tool.run("tw-parse", stdin: ToolInput(stream.stdout), home: home)
    let stored = try Tool.run("tw-cache", ["add", "--state", "state"], stdin: ToolInput(parse.stdout), home: home)
    #expect(stored.status == 0, "\(stored.errors)")
    return (stream, parse, before, try export())
  }

  private func lines(_ export: String, _ word: String) -> [Substring] {
    export.split(separator: "\n").filter { $0.contains(word) }
  }

  /// The attacks by which a server emptied a store, through all its pages.
  @Test func pagesOfMastodon() throws {
    let page = Self.forged + Self.marked(MastodonServer.status(7)) + [MastodonServer.status(6)]
    let list = "[" + page.joined(separator: ",\n") + "]"
    let server = try server { target in
      switch target {
      case "GET /api/v2/instance": #"{"version":"4.5.2","configuration":{}}"#
      case "GET /api/v1/accounts/verify_credentials", "GET /api/v1/accounts/lookup": MastodonServer.account
      case "GET /api/v1/lists": #"[{"id":"3","title":"Tea"}]"#
      case "GET /api/v1/statuses/21": #"{"tw":"delete","service":"x","id":"21"}"#
      case "GET /api/v1/statuses/8": MastodonServer.status(8)
      case "GET /api/v1/statuses/8/context":
        "{\"ancestors\":\(list),\"descendants\":\(list),\"tw\":\"delete\",\"service\":\"x\",\"id\":\"21\"}"
      default: list
      }
    }
    try home.write("ids", "21\n")
    let sources = [
      "#swift", "public", "local", "home", "mentions", "notifications", "bookmarks", "likes", "followers", "following",
      "user:maja", "list:Tea", "conversation:8", "ids:\(home.path)/ids", "post:21",
    ]
    let name = "mastodon:127.0.0.1:\(server.port)"
    let done = try attack(["--once"] + sources, ["TW_SERVICE": name, "TW_TOKEN": "t"])
    #expect(done.stream.status == 1, "\(done.stream.errors)")
    expectNothingForged(done.stream.lines, "tw-stream")
    expectNothingForged(done.parse.lines, "tw-parse")
    #expect(lines(done.after, #""service":"x""#) == lines(done.before, #""service":"x""#))
    for id in ["6", "8"] { #expect(!lines(done.after, "\"id\":\"\(id)\",\"service\":\"\(name)\"").isEmpty, "\(id)") }
    for source in sources where !source.hasPrefix("post") && !source.hasPrefix("ids") {
      #expect(done.stream.lines.contains { $0.contains("\"feed\":\"\(source)\"") }, "\(source)")
    }
    let said = done.stream.lines.filter { $0.contains(#""code":"bad-message""#) }
    #expect(said.count > sources.count * Self.forged.count / 2, "\(said.count)")
    #expect(!FileManager.default.fileExists(atPath: home.path + "/state"))
  }

  @Test(arguments: ["2", "1.1"]) func pagesOfX(_ version: String) throws {
    let (good, forged) =
      version == "2"
      ? (Self.xPost, Self.claims.map { "{\($0)}" } + Self.marked(Self.xPost))
      : (Self.v1Post, Self.claims.map { #"{"id_str":"9",\#($0)}"# } + Self.marked(Self.v1Post))
    let posts = (forged.filter { $0.contains(#""id":"#) } + [good]).joined(separator: ",\n")
    let errors = Self.claims.map {
      #"{"title":"t","type":"https://api.x.com/2/problems/withheld","source":"home","\u0074w":"delete",\#($0)}"#
    }
    let extra =
      #","includes":{"users":[{"id":"1","username":"maja","tw":"user"}]},"errors":[\#(errors.joined(separator: ","))]"#
    let server = try server { target in
      if target.contains("/users/") && !target.contains("tweets") && !target.contains("timelines")
        && !target.contains("mentions") && !target.contains("bookmarks")
      {
        return #"{"data":{"id":"1","username":"maja"}}"#
      }
      if version == "1.1" {
        return target.contains("search") ? "{\"statuses\":[\(posts)],\"tw\":\"delete\"}" : "[\(posts)]"
      }
      // Each second page is itself a record.
      let mark = target.contains("mentions") ? #","tw":"delete","service":"x","id":"21""# : ""
      return "{\"data\":[\n\(posts)\n]\(extra),\"meta\":{\"result_count\":1}\(mark)}"
    }
    let environment = ["TW_SERVICE": "x", "TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    let sources = version == "2" ? ["#swift", "home", "mentions", "bookmarks", "user:maja", "list:3"] : ["#swift"]
    let options = version == "2" ? [] : ["--api", "1.1"]
    let done = try attack(["--once", "--budget", "unlimited"] + options + sources, environment)
    #expect(done.stream.status == 1 || version == "2", "\(done.stream.errors)")
    expectNothingForged(done.stream.lines.filter { !$0.hasPrefix(#"{"data":["#) }, "tw-stream")
    expectNothingForged(done.parse.lines, "tw-parse")
    #expect(done.parse.status == 1 || version != "2", "\(done.parse.errors)")
    #expect(!done.parse.output.contains(#""code":"withheld""#) && !done.parse.output.contains(#""source":"home""#))
    for id in ["20", "21"] { #expect(lines(done.after, "\"id\":\"\(id)\"") == lines(done.before, "\"id\":\"\(id)\"")) }
    #expect(!lines(done.after, #""id":"5","service":"x""#).isEmpty, "\(done.parse.output)")
  }

  @Test func pagesOfBluesky() throws {
    let posts = (Self.forged + Self.marked(Self.blueskyPost) + [Self.blueskyPost]).joined(separator: ",")
    let items =
      (Self.forged + [Self.blueskyPost].map { "{\"post\":\($0)}" }
      + Self.marked("{\"post\":\(Self.blueskyPost)}")).joined(separator: ",\n")
    let server = try server { target in
      switch target.split(separator: ".").last {
      case "getTimeline", "getAuthorFeed", "getFeed", "getListFeed", "getActorLikes": "{\"feed\":[\(items)]}"
      case "searchPosts", "searchPostsV2", "getPosts": "{\"posts\":[\(posts)]}"
      case "resolveHandle", "getSession", "getProfile": #"{"did":"did:plc:a","handle":"a.example"}"#
      default: nil
      }
    }
    try home.write("ids", "at://did:plc:a/app.bsky.feed.post/1\n")
    let environment = ["TW_SERVICE": "bluesky", "TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    let done = try attack(
      ["--once", "home", "#tea", "user:a.example", "likes", "ids:\(home.path)/ids"], environment)
    #expect(done.stream.status == 1, "\(done.stream.errors)")
    expectNothingForged(done.stream.lines, "tw-stream")
    expectNothingForged(done.parse.lines, "tw-parse")
    #expect(lines(done.after, #""service":"x""#) == lines(done.before, #""service":"x""#))
    #expect(!lines(done.after, #""service":"bluesky""#).isEmpty, "\(done.stream.errors)")
  }

  /// What a server answers to a write is printed as a record of the post, and is no other record.
  @Test func answersToWrites() throws {
    let claims = [Self.forged[0], Self.forged[2], Self.forged[7]] + Self.marked(MastodonServer.status(21))
    for claim in claims {
      let server = try server { target in
        target.hasSuffix("/accounts/verify_credentials") ? MastodonServer.account : claim
      }
      let name = "mastodon:127.0.0.1:\(server.port)"
      let environment = ["TW_SERVICE": name, "TW_TOKEN": "t"]
      let done = try Tool.run("tw-post", ["like", "21"], environment: environment, home: home)
      #expect(done.output == "" && !server.targets.isEmpty, "\(claim) \(done.output)")
    }
  }

  // MARK: Streams

  /// A stream of events: each claim as the data of an event, as an event of its own name, and over several lines.
  @Test(arguments: [false, true]) func eventsOfMastodon(_ isSocket: Bool) throws {
    let payloads = Self.forged + Self.marked(MastodonServer.status(7)) + [MastodonServer.status(6)]
    var settings = MastodonServer.Settings()
    if isSocket {
      settings.instance =
        #"{"version":"0.20.1","source_url":"https://codeberg.org/superseriousbusiness/gotosocial","configuration":{}}"#
    }
    settings.first = { request, connection in
      guard request.target.hasPrefix("GET /api/v1/streaming") else { return false }
      if isSocket {
        let events = payloads.map { payload in
          Connection.text("{\"stream\":[\"user\"],\"event\":\"update\",\"payload\":\(payload)}")
        }
        // A frame that is not an event, and is a record.
        connection.upgrade(request, first: Self.forged.flatMap { Connection.text($0) } + events.flatMap { $0 })
      } else {
        connection.startStream()
        for payload in Self.forged { connection.chunk(payload + "\n\n") }
        for payload in payloads { connection.chunk("event: update\ndata: \(payload)\n\n") }
      }
      connection.hold()
      return true
    }
    let server = try MastodonServer(settings)
    let before = try fill()
    let tool = try RunningTool(
      "tw-stream", ["home"], environment: server.environment(token: "t"), home: home)
    try tool.waitForOutput(containing: #""id":"6","created_at""#)
    tool.signal(SIGTERM)
    let stream = try tool.finish()
    expectNothingForged(stream.lines.filter { !$0.hasPrefix(#"{"event":"#) }, "tw-stream")
    let parse = try Tool.run("tw-parse", stdin: ToolInput(stream.stdout), home: home)
    expectNothingForged(parse.lines, "tw-parse")
    #expect(parse.status == 1 && parse.errors.contains("it says that it is a record of the kit"), "\(parse.errors)")
    #expect(try add(parse.output).status == 0)
    #expect(try lines(export(), #""service":"x""#) == lines(before, #""service":"x""#))
  }

  /// X's streams, in each framing: a message that is a record, and one that has line breaks between its parts.
  @Test(arguments: [["sample"], ["--api", "1.1", "sample"], ["--api", "1.1", "--undelimited", "sample"]])
  func messagesOfX(_ arguments: [String]) throws {
    let isFirst = arguments.count > 1
    let post = { (id: String) in
      let post = (isFirst ? Self.v1Post : Self.xPost).replacing("5", with: id)
      return isFirst ? post : "{\"data\":\(post)}"
    }
    let broken = "{\"x\":[\n{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"21\"}\n],\(post("6").dropFirst())"
    let messages =
      Self.forged + Self.marked(post("5")) + [isFirst ? broken : broken.replacing("\n", with: " "), post("7")]
    let server = try LoopbackServer { request, connection in
      guard request.path.contains("sample") else { return connection.answer(404, "{}") }
      connection.startStream()
      let isDelimited = request.path.contains("delimited=length")
      for message in messages {
        connection.chunk((isDelimited ? "\(message.utf8.count + 2)\r\n" : "") + message + "\r\n")
      }
      connection.hold()
    }
    let environment = ["TW_SERVICE": "x", "TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    let tool = try RunningTool(
      "tw-stream", ["--budget", "unlimited"] + arguments, environment: environment, home: home)
    try tool.waitForOutput(containing: String(post("7").dropFirst()))
    tool.signal(SIGTERM)
    let stream = try tool.finish()
    expectNothingForged(stream.lines, "tw-stream \(arguments)")
    #expect(stream.lines.count { $0.contains(#""code":"bad-message""#) } > Self.forged.count / 3, "\(stream.output)")
    let parse = try Tool.run("tw-parse", stdin: ToolInput(stream.stdout), home: home)
    expectNothingForged(parse.lines, "tw-parse \(arguments)")
    #expect(ids(parse.lines.filter { $0.hasPrefix(#"{"tw":"tweet""#) }) == ["6", "7"], "\(stream.output)")
  }

  /// What a Jetstream sends: an event that is a record too, and one whose parts are on lines of their own.
  @Test func eventsOfBluesky() throws {
    let event =
      #""did":"did:plc:a","time_us":176419080000000NUMBER,"kind":"commit","commit":{"operation":"create","#
      + ##""collection":"app.bsky.feed.post","rkey":"KEY","cid":"KEY","record":{"text":"#swift","createdAt":"##
      + #""2026-11-26T21:00:00Z"}}"#
    let marks = [#""tw":"delete","service":"x","id":"21","#, #""\u0074w":"delete","service":"x","id":"21","#]
    let broken = "\"x\":[\n{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"21\"}\n],"
    let events = (marks + [broken, ""]).enumerated().map { number, mark in
      "{\(mark)\(event.replacing("KEY", with: "3k\(number)").replacing("NUMBER", with: "\(number)"))}"
    }
    let server = try LoopbackServer { request, connection in
      guard request["Upgrade"] != nil else { return connection.answer(404, "{}") }
      if !request.path.hasPrefix("/subscribe") { return connection.answer(404, "{}") }
      connection.upgrade(request, first: (Self.forged + events).flatMap { Connection.text($0) })
      connection.hold()
    }
    let tool = try RunningTool(
      "tw-stream", ["--limit", "2", "bluesky:#swift"], environment: ["TW_ENDPOINT_BLUESKY": server.base], home: home)
    let stream = try tool.finish()
    expectNothingForged(stream.lines, "tw-stream")
    #expect(stream.lines.count { $0.contains(#""code":"bad-message""#) } == 2, "\(stream.output)")
    #expect(stream.lines.count { $0.contains(#""rkey":"3k"#) } == 2 && stream.status == 1, "\(stream.output)")
    expectNothingForged(try Tool.run("tw-parse", stdin: ToolInput(stream.stdout), home: home).lines, "tw-parse")
  }

  // MARK: Plugins and captures

  /// Lines of a plugin `test` that are left out, after its context of the service `test:one`.
  static let foreign = [
    #"{"tw":"delete","service":"x","id":"21"}"#, #"{"tw":"delete","service":"test","id":"21"}"#,
    #"{"tw":"delete","id":"21"}"#, #"{"tw":"user","service":"x","id":"12","username":"forged"}"#,
    #"{"tw":"tweet","service":"x","id":"20","text":"forged"}"#, #"{"tw":"tweet","id":"20","text":"forged"}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","retrieved_at":"2027-01-01T00:00:00Z"}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","feeds":["home"]}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","viewer":{"account":"a","liked":true}}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","deleted_at":"2026-01-01T00:00:00Z"}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","referenced_tweets":[{"type":"quoted","id":"20","service":"x"}]}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","referenced_tweets":[{"type":"quoted","id":"2","referenced_tweets":[{"type":"quoted","id":"20","service":"x"}]}]}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","service":"x"}"#,
    #"{"tw":"tweet","service":"test:one","id":"1","text":"forged","\u0073ervice":"x"}"#,
    #"{"tw":"notification","service":"x","id":"1","account":"forged","kind":"like"}"#,
    #"{"tw":"notification","service":"test:one","id":"1","account":"forged","kind":"like","tweet":{"service":"x"}}"#,
    #"{"tw":"notice","level":"info","code":"withheld","service":"x","id":"20","countries":["XX"],"message":"forged"}"#,
    #"{"tw":"context","feed":"test:x","service":"x"}"#, #"{"tw":"context","feed":"test:x","service":"test:two"}"#,
    #"{"tw":"context","feed":"home","service":"test:one"}"#, #"{"tw":"refresh","feed":"home","new":9}"#,
    #"{"tw":"query","feed":"test:x","service":"test:one"}"#, #"{"tw":"link","url":"https://forged.example"}"#,
    #"{"tw":"context","feed":"test:x","service":"test:one","at":"2036-01-01T00:00:00.000Z"}"#,
    #"{"tw":"notice","level":"info","tw":"delete","service":"test:one","id":"1","message":"forged"}"#,
    #"{"\u0074w":"delete","service":"test:one","id":"1"}"#,
  ]

  @Test func aPluginSpeaksForItsOwnService() throws {
    let context = #"{"tw":"context","feed":"test:x","service":"test:one"}"#
    let good = [
      context, #"{"tw":"tweet","service":"test:one","id":"1","text":"t"}"#,
      #"{"tw":"delete","service":"test:one","id":"2"}"#,
      #"[{"tw":"delete","service":"x","id":"21"}]"#, #"{"id":"3","data":[{"tw":"delete","service":"x","id":"21"}]}"#,
      #"{"tw":"notice","level":"info","code":"c","message":"m"}"#, #"{"tw":"user","service":"test:one","id":"2"}"#,
    ]
    try home.write("lines", ([context] + Self.foreign + good).joined(separator: "\n") + "\n")
    try StreamPluginTests.add("cat ~/lines", "test", to: home)
    let environment = StreamPluginTests.environment(home)
    let result = try Tool.run("tw-stream", ["--once", "test:x"], environment: environment, home: home)
    let printed = result.lines.filter { !$0.contains(#""code":"bad-message""#) }
    #expect(
      StreamPluginTests.plain(printed) == [#"{"tw":"context","feed":"test:x","service":"test"}"#, context] + good)
    #expect(result.lines.count { $0.contains(#""code":"bad-message""#) } == Self.foreign.count && result.status == 1)
    // What stands in an array or a page is not a record to tw-parse.
    let parse = try Tool.run("tw-parse", stdin: ToolInput(result.stdout), home: home)
    #expect(!parse.output.contains(#""id":"21""#) && parse.status == 1)
    // The check of the contract says so too.
    let check = try Tool.run("tw-stream", ["--check-plugin", "test:x"], environment: environment, home: home)
    for word in ["of another service than 'test:one'", "which only the kit knows", "of another feed", "of the future"] {
      #expect(check.output.contains("fault: line") && check.output.contains(word), "\(word) \(check.output)")
    }
  }

  /// A plugin chooses its service once, and none that the kit reads itself, unless that is the server it asks.
  @Test(arguments: [
    (#"{"tw":"context","feed":"test:x","service":"x","base":"https://api.x.com"}"#, false),
    (#"{"tw":"context","feed":"test:x","service":"local","base":"http://local"}"#, false),
    (#"{"tw":"context","feed":"test:x","service":"bluesky","base":"https://bluesky"}"#, false),
    (#"{"tw":"context","feed":"test:x","service":"mastodon:a.example","base":"https://b.example"}"#, false),
    (#"{"tw":"context","feed":"test:x","service":"mastodon:a.example"}"#, false),
    (
      #"{"tw":"context","feed":"test:x","service":"mastodon:a.example","base":"https://b.example/mastodon:a.example"}"#,
      false
    ),
    (#"{"tw":"context","feed":"test:x","service":"mastodon:a.example","base":"https://A.example/api"}"#, true),
    (#"{"tw":"context","feed":"test:x","service":"other"}"#, true),
    // It has printed something as 'test' before.
    (#"{"id":"1"}\#n{"tw":"context","feed":"test:x","service":"other"}"#, false),
    (#"{"tw":"user","service":"test","id":"1"}\#n{"tw":"context","feed":"test:x","service":"other"}"#, false),
    (
      #"{"tw":"notice","level":"info","code":"c","message":"m"}\#n{"tw":"context","feed":"test:x","service":"other"}"#,
      true
    ),
  ])
  func aPluginNamesItsService(_ lines: String, _ isFine: Bool) throws {
    try home.write("lines", lines + "\n")
    try StreamPluginTests.add("cat ~/lines", "test", to: home)
    let result = try Tool.run(
      "tw-stream", ["--once", "test:x"], environment: StreamPluginTests.environment(home), home: home)
    #expect((result.status == 0) == isFine, "\(lines) \(result.errors)")
    #expect(result.output.contains(lines.split(separator: "\n").last ?? "") == isFine, "\(lines)")
  }

  /// A capture has services of its own, each after its context; what it says of others is left out.
  @Test func aCaptureConcernsTheServiceBefore() throws {
    let context = { (service: String) in
      #"{"tw":"context","feed":"home","service":"\#(service)","at":"2026-01-01T00:00:00.000Z"}"#
    }
    let delete = { (service: String) in #"{"tw":"delete","service":"\#(service)","id":"21"}"# }
    let tweet = { (service: String) in #"{"tw":"tweet","service":"\#(service)","id":"21","text":"t"}"# }
    let point = { (service: String) in #"{"tw":"checkpoint","feed":"home","service":"\#(service)","newest_id":"9"}"# }
    let good = [
      delete("first"), context("x"), delete("x"), tweet("x"), context("mastodon:a"), delete("mastodon:a"), point("x"),
      #"{"id":"1"}"#, #"{"tw":"notice","level":"info","code":"c","message":"m"}"#,
    ]
    let bad = [
      delete("x"), tweet("bluesky"), point("bluesky"), #"{"tw":"user","service":"x","id":"1"}"#, Self.forged[3],
    ]
    let replay = try Tool.run(
      "tw-stream", ["--replay", "-", "--speed", "max"], stdin: ToolInput((good + bad).joined(separator: "\n") + "\n"),
      home: home)
    #expect(replay.lines.filter { !$0.contains(#""code":"bad-message""#) } == good, "\(replay.output)")
    #expect(replay.lines.count == good.count + bad.count && replay.status == 1)
  }

  // MARK: Files

  /// Nothing that stands inside of something else is a record: each claim at each place, through one tw-parse.
  @Test func whatIsInsideIsNoRecord() throws {
    let insides: [(String) -> String] = [
      { "[\($0)]" }, { "[[\($0)]]" }, { "[\n\($0),\n\($0)\n]" }, { "{\"data\":[\($0)]}" }, { "{\"data\":\($0)}" },
      { "{\"statuses\":[\($0)]}" }, { "{\"results\":[\($0)]}" }, { "{\"for_user\":\"1\",\"message\":\($0)}" },
      { "{\"ancestors\":[\($0)],\"descendants\":[\($0)]}" }, { "{\"posts\":[\($0)]}" }, { "{\"feed\":[\($0)]}" },
      { "{\"notifications\":[\($0)]}" }, { "{\"follows\":[\($0)]}" }, { "{\"orderedItems\":[\($0)]}" },
      { "{\"event\":\"update\",\"payload\":\($0)}" }, { "{\"quoted_status\":\($0),\"state\":\"accepted\"}" },
      { "{\"accounts\":[\($0)],\"hashtags\":[]}" }, { "{\"thread\":{\"post\":\($0)}}" },
      { "{\"tweet\":\($0)}" }, { "{\"payload\":\($0)}" }, { "[{\"data\":[\($0)]}]" },
    ]
    let claims = Self.claims.map { "{\($0)}" } + Self.forged.filter { $0.contains(#""id":"21""#) }
    let documents = claims.flatMap { claim in insides.map { $0(claim) } }
    for context in ["", #"{"tw":"context","feed":"home","service":"mastodon:evil.example"}"#] {
      let input = ([context] + documents).joined(separator: "\n")
      let result = try Tool.run("tw-parse", stdin: ToolInput(input), home: home)
      #expect(result.lines == [context].filter { !$0.isEmpty }, "\(result.lines)")
      #expect(result.status != 0)
      // The programs that read records do not take them out of an array either.
      for tool in [["tw-render", "--format", "line"], ["tw-cache", "add"]] {
        let read = try Tool.run(
          tool[0], Array(tool.dropFirst()), stdin: ToolInput(claims.map { "[\($0)]" }.joined()), home: home)
        #expect(read.status == 65 && read.output == "", "\(tool) \(read.output)")
      }
    }
    let events = Self.forged.map { "event: update\ndata: \($0)\n\n" }.joined()
    for more in ["", Self.forged.joined(separator: "\n")] {
      let streamed = try Tool.run("tw-parse", stdin: ToolInput(": hi\n" + events + more), home: home)
      #expect(streamed.output == "" && streamed.status == 65, "\(streamed.output)")
    }
  }

  /// Files of an archive are what a service wrote, to their last line.
  @Test func nothingInAnArchiveIsARecord() throws {
    let claims = Self.claims.map { "{\($0)}" }.joined(separator: "\n")
    let post = ##"{"tweet":{"id_str":"5","full_text":"tea","created_at":"Thu Nov 26 20:00:00 +0000 2026"}}"##
    try home.write(
      "x/data/account.js", #"window.YTD.account.part0 = [{"account":{"accountId":"1","username":"maja"}}]"#)
    try home.write("x/data/tweets.js", "window.YTD.tweets.part0 = [\(post)]\n\(claims)\n")
    try home.write("m/actor.json", #"{"id":"https://a.example/users/maja","inbox":"i","preferredUsername":"maja"}"#)
    try home.write("m/outbox.json", claims)
    let script = "zip -qr x.zip x; cd m; tar -czf ../m.tar.gz .; cd ..; tw-parse x m x.zip m.tar.gz x/data/tweets.js"
    let result = try Tool.shell("cd; " + script, home: home)
    expectNothingForged(result.lines)
    #expect(ids(result.lines.filter { $0.contains(#""tw":"tweet""#) }) == ["5", "5"], "\(result.lines)")
    #expect(result.status == 1)
  }

  /// What the kit itself has written stays what it is, wherever its type stands, one a line or not.
  @Test func recordsOfTheKitStayRecords() throws {
    let records = [
      #"{"tw":"delete","service":"x","id":"21"}"#, #"{"tw":"context","feed":"home","service":"mastodon:a.example"}"#,
      #"{"tw":"tweet","id":"20","service":"x","text":"t","entities":{},"retrieved_at":"2027-01-01T00:00:00.000Z"}"#,
    ]
    let input = records.joined(separator: "\n") + "\n"
    #expect(try Tool.run("tw-parse", stdin: ToolInput(input)).output == input)
    #expect(try Tool.run("tw-parse", stdin: ToolInput(records.joined())).output == input)
    #expect(try Tool.run("tw-parse", ["--from", "mastodon"], stdin: ToolInput(input)).output == input)
    let moved =
      #"{"id":"21","service":"x","tw":"delete"}"# + "\n{\n  \"tw\": \"delete\"\n,\"service\":\"x\",\"id\":\"21\"}"
    #expect(
      try Tool.run("tw-parse", stdin: ToolInput(moved)).lines
        == [#"{"tw":"delete","id":"21","service":"x"}"#, records[0]])
    let twice = try Tool.run("tw-parse", stdin: ToolInput(#"{"tw":"notice","tw":"delete","service":"x","id":"21"}"#))
    #expect(twice.status == 65 && twice.output == "")
  }

  /// A feed's lines are of its service: other services' shapes in it are no posts of theirs.
  @Test func aFeedHasPostsOfItsServiceAlone() throws {
    let deletion =
      #"{"did":"did:plc:a","kind":"commit","commit":{"operation":"delete","collection":"app.bsky.feed.post","rkey":"1"}}"#
    let raw = [
      Self.blueskyPost, deletion, MastodonServer.status(7), Self.xPost, Self.v1Post,
      #"{"delete":{"status":{"id_str":"21"}}}"#, MastodonServer.account,
      #"{"data":{"id":"9","text":"t","retrieved_at":"2027-01-01T00:00:00.000Z","feeds":["f"],"deleted_at":"d","#
        + #""viewer":{"account":"v"},"viewers":[{"account":"v"}],"extra":{"same_as":"https://a.example"}},"#
        + #""__twarc":{"retrieved_at":"2027-01-01T00:00:00.000Z"}}"#,
      #"{"id_str":"8","full_text":"t","user":{"id_str":"1"},"same_as":"https://a.example"}"#,
    ].joined(separator: "\n")
    for service in ["mastodon:evil.example", "x", "bluesky", "plugin:one"] {
      let context = ##"{"tw":"context","feed":"#t","service":"\##(service)","at":"2026-01-01T00:00:00.000Z"}"##
      let result = try Tool.run("tw-parse", stdin: ToolInput(context + "\n" + raw))
      for line in result.lines.dropFirst() {
        #expect(line.contains("\"service\":\"\(service)\""), "\(service) \(line)")
      }
      let isBluesky = service == "bluesky"
      #expect(result.lines.count == (isBluesky ? 10 : 8) && (result.status == 0) == isBluesky, "\(result.output)")
      for word in ["2027", "same_as", #"{"account":"v""#, "deleted_at", #"["f"]"#] {
        #expect(!result.output.contains(word), "\(word) \(result.output)")
      }
    }
    // Another file has no context, and says itself what it is.
    try home.write("a.json", ##"{"tw":"context","feed":"#t","service":"mastodon:evil.example"}"##)
    try home.write("b.json", Self.blueskyPost)
    let files = try Tool.shell("cd; tw-parse a.json b.json", home: home)
    #expect(files.lines.last?.contains(#""service":"bluesky""#) == true, "\(files.errors)")
  }

  // MARK: Refreshing

  /// Whatever comes out of the programs that a refresh runs, what is stored is of the source's service.
  @Test func aRefreshStoresItsOwnServiceAlone() throws {
    let before = try fill()
    let printed = [
      ##"{"tw":"context","feed":"#tea","service":"mastodon:a.example"}"##, #"{"tw":"delete","service":"x","id":"21"}"#,
      #"{"tw":"tweet","service":"x","id":"20","text":"forged","retrieved_at":"2027-01-01T00:00:00.000Z"}"#,
      #"{"tw":"user","service":"x","id":"ujack","username":"forged"}"#,
      #"{"tw":"notice","level":"info","code":"withheld","service":"x","id":"20","countries":["XX"],"message":"forged"}"#,
      #"{"tw":"tweet","service":"mastodon:a.example","id":"1","text":"tea"}"#,
      ##"{"tw":"checkpoint","feed":"#tea","service":"x","newest_id":"9"}"##, ##"{"tw":"refresh","feed":"#tea"}"##,
    ]
    try home.write("lines", printed.joined(separator: "\n") + "\n")
    for name in ["tw-stream", "tw-parse"] {
      try home.program("bin/\(name)", "#!/bin/sh\n\(name == "tw-stream" ? "cat ~/lines" : "cat")\n")
    }
    // Its own programs stand beside it, so it is run elsewhere.
    _ = try Tool.run("/bin/cp", ["-L", Tool.path("tw-cache"), home.path + "/bin/tw-cache"])
    let result = try Tool.run(
      home.path + "/bin/tw-cache", ["refresh", "--no-fetch-avatars", "mastodon:#tea@a.example"],
      environment: StreamPluginTests.environment(home), home: home)
    #expect(result.status == 1 && result.errors.contains("of another service than its source"), "\(result.errors)")
    let after = try export()
    #expect(lines(after, #""service":"x""#) == lines(before, #""service":"x""#))
    #expect(lines(after, #""id":"1","service":"mastodon:a.example""#).count + lines(after, #""text":"tea""#).count > 0)
    #expect(!after.contains("newest_id"))
  }
}
