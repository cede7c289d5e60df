import Foundation
import TestSupport
import Testing

/// tw-local as a server of Mastodon's API and as Bluesky, with the kit's own tools.
@Suite(.onOwnThread(minutes: 10)) struct LocalNetworkTests {
  /// Runs a script of bash beside a demo.
  private func demo(_ script: String, rate: String = "0", timeout: Double = 90) throws -> ToolResult {
    try Tool.run(
      "tw-local", ["--demo", "--rate", rate, "--", "bash", "-c", "set -o pipefail; " + script],
      environment: ["PATH": Tool.path("") + ":/usr/bin:/bin"], timeout: timeout)
  }

  private static func records(_ result: ToolResult, _ type: String) -> [LooseJSON] {
    result.lines.compactMap { LooseJSON(try? JSONSerialization.jsonObject(with: Data($0.utf8))) }
      .filter { $0["tw"].text == type }
  }

  /// The first example that README shows: three networks in one stream, without an account, at no cost.
  @Test func threeNetworksAreOneStream() throws {
    let result = try demo(
      "tw-stream -n 40 '#swift' mastodon:'#swift@localhost' bluesky:'#swift' | tw-parse --strict", rate: "20/s")
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
    let tweets = Self.records(result, "tweet")
    let services = Dictionary(grouping: tweets) { $0["service"].text }
    #expect(services.keys.sorted() == ["bluesky", "local", "mastodon:localhost"])
    #expect(Set(tweets.map { $0["service"].text + $0["id"].text }).count == tweets.count, "each post comes once")
    #expect(tweets.allSatisfy { $0["text"].text.contains("#") && !$0["author"]["username"].text.isEmpty })
    // What all three say of one post is the same.
    let texts = services.mapValues { Set($0.map { $0["created_at"].text.prefix(19) }) }
    #expect(!(texts["local"] ?? []).intersection(texts["bluesky"] ?? []).isEmpty)
  }

  @Test(arguments: [
    ("mastodon:#swift@localhost", 7), ("mastodon:home@localhost", 30), ("mastodon:@tomasz_io@localhost", 9),
    ("mastodon:public@localhost", 20), ("mastodon:localhost:list:Nightshift", 9),
    ("mastodon:notifications@localhost", 0),
    ("mastodon:following@localhost", 10), ("bluesky:#swift", 7), ("bluesky:home", 30), ("bluesky:@tomasz-io.test", 9),
    ("bluesky:search:#opensource from:oss_cafe", 2), ("bluesky:notifications", 0), ("bluesky:following", 10),
    ("bluesky:list:Nightshift", 9), ("bluesky:feed:https://bsky.app/profile/you.test/feed/swift", 7),
    ("bluesky:followers", 3), ("mastodon:followers@localhost", 3),
  ])
  func eachSourceIsRead(_ source: String, _ least: Int) throws {
    let result = try demo("tw-stream --once '\(source)' | tw-parse --strict")
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
    let found = Self.records(result, "tweet").count + Self.records(result, "user").count
    #expect(found >= least && found < 80, "\(found)")
    #expect(Self.records(result, "refresh").count == 1)
  }

  /// A token by itself does not say whose it is, and the name of another service is none of Bluesky.
  @Test(arguments: ["", "unset TW_ACCOUNT; "])
  func whoseATokenIsIsAsked(_ first: String) throws {
    let script = """
      \(first)export TW_SERVICE=bluesky
      for source in likes followers following list:Nightshift; do tw-stream --once $source | tw-parse --strict || echo "failed $source"; done
      tw-auth lists | sed 's/^/list /'
      """
    let result = try demo(script)
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
    #expect(!result.output.contains("failed"), "\(result.output)")
    #expect(Self.records(result, "user").count >= 13 && Self.records(result, "tweet").count >= 9)
    #expect(result.output.contains("/app.bsky.graph.list/"), "\(result.output)")
  }

  /// The address that all servers know leads to the post, whatever id it has here.
  @Test func aPostIsNamedByTheAddressThatAllKnow() throws {
    let script = """
      export TW_SERVICE=mastodon:localhost
      toot=$(tw-post 'Hello #address' | sed 's/.*"id":"\\([0-9]*\\)","service.*/\\1/')
      tw-post reply "https://tw-local.example.com/users/you/statuses/$toot" 'An answer'
      tw-post like "https://tw-local.example.com/@you/$toot"
      tw-post like https://fosstodon.org/@bob/11234; echo "other $?"
      """
    let result = try demo(script)
    let tweets = Self.records(result, "tweet")
    #expect(
      tweets.count == 2 && result.output.contains(#""liked":true"#), "\(result.output)\(result.errors)")
    #expect(tweets.contains { $0["text"].text == "An answer" })
    #expect(result.output.contains("other 64") && result.errors.contains("cannot fetch it"), "\(result.errors)")
  }

  /// What is posted by one network is a post of all.
  @Test func whatIsPostedIsEverywhere() throws {
    let script = """
      post() { TW_SERVICE=$1 tw-post "${@:2}"; }
      id() { sed 's/.*"id":"\\([^"]*\\)".*/\\1/'; }
      toot=$(post mastodon:localhost --language de 'Hallo @maren_k #both' | grep '"tw":"tweet"' | head -1 | cut -d, -f2 | id)
      skeet=$(post bluesky --language en 'Hello @maren-k.test #both https://example.com/a?b=1' | grep '"tw":"tweet"' | head -1 | cut -d, -f2 | id)
      echo "toot $toot"; echo "skeet $skeet"
      for service in "mastodon:localhost $toot" "bluesky $skeet"; do
        set -- $service
        post $1 reply "$2" 'An answer #both' > /dev/null && post $1 retweet "$2" > /dev/null && post $1 like "$2" > /dev/null \\
          && post $1 bookmark "$2" > /dev/null && post $1 quote "$2" 'Look #both' > /dev/null || echo "failed at $1"
      done
      tw-stream --once '#both' mastodon:'#both@localhost' bluesky:'#both' | tw-parse --strict
      tw-stream --once mastodon:"localhost:conversation:$toot" bluesky:"conversation:$skeet" | tw-parse --strict
      tw-stream --once mastodon:bookmarks@localhost mastodon:likes@localhost bluesky:bookmarks bluesky:likes | tw-parse --strict
      post mastodon:localhost unretweet "$toot" > /dev/null && post mastodon:localhost delete "$toot" > /dev/null
      post bluesky unlike "$skeet" > /dev/null && post bluesky unretweet "$skeet" > /dev/null \\
        && post bluesky delete "$skeet" > /dev/null || echo "failed to undo"
      tw-stream --once '#both' | tw-parse --strict | sed 's/"tw":"tweet"/"tw":"left"/'
      """
    let result = try demo(script)
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(!result.output.contains("failed"), "\(result.output) \(result.errors)")
    let tweets = Self.records(result, "tweet")
    let toot = try #require(result.lines.first { $0.hasPrefix("toot ") }?.dropFirst(5))
    let skeet = try #require(result.lines.first { $0.hasPrefix("skeet ") }?.dropFirst(6))
    #expect(toot.allSatisfy(\.isNumber) && skeet.hasPrefix("at://did:plc:twlocal"), "\(toot) \(skeet)")
    for service in ["local", "mastodon:localhost", "bluesky"] {
      let found = tweets.filter { $0["service"].text == service && $0["feeds"][0].text == "#both" }
      // X's search finds retweets too.
      #expect(found.count == (service == "local" ? 8 : 6), "\(service): \(found.map { $0["text"].text })")
      #expect(
        found.contains {
          $0["text"].text.hasPrefix("Hallo @maren_k") || $0["text"].text.hasPrefix("Hallo @maren-k.test")
        })
      let link = found.first { $0["text"].text.hasPrefix("Hello") }?["entities"]["urls"][0]["expanded_url"].text
      #expect(link == "https://example.com/a?b=1", "\(service)")
    }
    for (feed, id) in [("conversation:\(toot)", toot), ("conversation:\(skeet)", skeet)] {
      let thread = tweets.filter { $0["feeds"][0].text == feed }
      #expect(thread.first?["id"].text == String(id) && thread.count == 2, "\(thread.map { $0["text"].text })")
    }
    for service in ["mastodon:localhost", "bluesky"] {
      for feed in ["bookmarks", "likes"] {
        #expect(
          tweets.count { $0["service"].text == service && $0["feeds"][0].text == feed } == 2, "\(service) \(feed)")
      }
    }
    // The answers are left, without what they answer.
    #expect(Self.records(result, "left").count == 4, "\(Self.records(result, "left").map { $0["text"].text })")
  }

  /// More than four pictures are a gallery of Bluesky, and so are they read again.
  @Test func aGalleryIsPostedAndRead() throws {
    let file = PictureSample.png(width: 30, height: 20).map { String(format: "\\x%02x", $0) }.joined()
    let script = """
      printf '\(file)' > a.png
      TW_SERVICE=bluesky tw-post $(printf -- '--media a.png %.0s' 1 2 3 4 5) 'Five #gallery' > /dev/null || echo failed
      tw-stream --once 'bluesky:#gallery'
      tw-stream --once 'bluesky:#gallery' | tw-parse --strict
      """
    let result = try demo(script)
    #expect(result.ending == .status(0) && !result.output.contains("failed"), "\(result.errors)")
    #expect(result.output.contains("app.bsky.embed.gallery#viewImage"), "\(result.output)")
    let tweet = Self.records(result, "tweet").first { $0["text"].text.contains("Five") }
    #expect(tweet != nil, "\(result.output)")
    #expect(result.output.matches(of: #/"type":"photo"/#).count == 5, "\(result.output)")
  }

  /// tw-cache keeps both, and refreshes them with the variables of its environment.
  @Test func twCacheRefreshesThem() throws {
    let script = """
      for source in '#swift' mastodon:'#swift@localhost' bluesky:home; do tw-cache source add "$source" > /dev/null; done
      tw-cache refresh > /dev/null && tw-cache refresh > /dev/null && tw-cache list
      """
    let result = try demo(script)
    #expect(result.ending == .status(0), "\(result.errors)")
    let services = Set(Self.records(result, "tweet").map { $0["service"].text })
    #expect(services == ["local", "mastodon:localhost", "bluesky"], "\(result.errors)")
  }

  // MARK: Signing in

  @Test func twAuthSignsInToBoth() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    let home = try TemporaryDirectory()
    try home.write("password", "tw-local\n")
    let bluesky = try Tool.run(
      "tw-auth",
      ["login", "--service", "bluesky", "--endpoint", local.base, "--password-file", "password", "maren-k.test"],
      environment: ["TW_DIRECTORY_BLUESKY": local.base], home: home)
    #expect(bluesky.status == 0, "\(bluesky.errors)")
    let login = try RunningTool(
      "tw-auth", ["login", "--service", "mastodon:localhost", "--endpoint", local.base, "--no-browser"], home: home)
    try login.waitForErrors(containing: "&code_challenge_method=S256")
    let errors = String(decoding: login.stderr, as: UTF8.self)
    let page = try #require(errors.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix(local.base) })
    let answer = try LocalProgram(local: local).post(
      String(page.dropFirst(local.base.count)), ["username": "yuki_dev", "password": "tw-local", "action": "allow"])
    let code = try #require(answer.text.split(separator: "<strong>").last?.prefix { $0 != "<" })
    login.send(ToolInput(code + "\n"))
    #expect(try login.finish().ending == .status(0))
    for (source, service) in [("mastodon:home@localhost", "mastodon:localhost"), ("bluesky:home", "bluesky")] {
      let read = try Tool.run("tw-stream", ["--once", source], home: home)
      #expect(read.status == 0 && read.lines.count > 1, "\(read.errors)")
      let post = try Tool.run("tw-post", ["from \(service)"], environment: ["TW_SERVICE": service], home: home)
      #expect(post.status == 0, "\(post.errors)")
    }
    let wrong = try Tool.run(
      "tw-stream", ["--once", "mastodon:home@localhost"],
      environment: ["TW_SERVICE": "mastodon:localhost", "TW_TOKEN": "wrong", "TW_ENDPOINT": local.base], home: home)
    #expect(wrong.status == 77 && wrong.errors.contains("The access token is invalid"), "\(wrong.errors)")
    for account in ["maren-k.test", "yuki_dev"] {
      #expect(try Tool.run("tw-auth", ["logout", account], home: home).status == 0)
    }
  }

  /// A token of a session ends, and is renewed; the renewal may be asked for again when its answer is lost.
  @Test func aSessionIsRenewed() throws {
    let local = try LocalService(["--demo", "--rate", "0", "--token-life", "1s"])
    let body = ["identifier": "you.test", "password": "tw-local"]
    let session = try local.ask("POST", "/xrpc/com.atproto.server.createSession", token: nil, body: body)
    #expect(session.status == 200 && session["handle"] == "you.test")
    let (access, refresh) = (session["accessJwt"].text, session["refreshJwt"].text)
    func status(_ token: String) throws -> LocalAnswer {
      try local.ask("GET", "/xrpc/com.atproto.server.getSession", token: token)
    }
    let deadline = Date(timeIntervalSinceNow: 20)
    while try status(access).status == 200, Date() < deadline { usleep(100_000) }
    #expect(try status(access)["error"] == "ExpiredToken")
    #expect(try status(refresh).status == 400, "a refresh token reads nothing")
    let renewals = try (0..<2).map { _ in
      try local.ask("POST", "/xrpc/com.atproto.server.refreshSession", token: refresh)
    }
    for renewal in renewals {
      #expect(renewal.status == 200 && renewal["did"].text == session["did"].text)
      #expect(renewal["refreshJwt"].text != refresh)
    }
    #expect(
      try local.ask("POST", "/xrpc/com.atproto.server.deleteSession", token: renewals[1]["refreshJwt"].text).status
        == 200)
    #expect(try local.ask("POST", "/xrpc/com.atproto.server.refreshSession", token: refresh).status == 400)
    let wrong = ["identifier": "you.test", "password": "not-this-one"]
    #expect(try local.ask("POST", "/xrpc/com.atproto.server.createSession", token: nil, body: wrong).status == 401)
  }
}
