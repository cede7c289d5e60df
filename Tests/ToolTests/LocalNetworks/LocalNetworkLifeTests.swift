import Foundation
import TestSupport
import Testing

/// What Mastodon's and Bluesky's clients rely on: that what was answered is kept, that what is asked twice is done
/// once, and what a hostile client gets. Over real sockets.
@Suite(.onOwnThread(minutes: 10)) struct LocalNetworkLifeTests {
  private static let post = "app.bsky.feed.post"
  private static let stream = "/xrpc/network.bsky.jetstream.subscribeEvents"

  private func record(_ text: String, key: String, _ did: String) -> [String: Any] {
    [
      "repo": did, "collection": Self.post, "rkey": key,
      "record": ["$type": Self.post, "text": text, "createdAt": "2026-11-27T00:00:00Z"],
    ]
  }

  private func did(_ local: LocalService) throws -> String {
    try local.ask("GET", "/xrpc/com.atproto.server.getSession")["did"].text
  }

  private func token(_ local: LocalService) throws -> String {
    let app = try LocalProgram(local: local).post(
      "/api/v1/apps", ["client_name": "a", "redirect_uris": LocalProgram.redirect, "scopes": "read write"])
    let (key, secret) = (app["client_id"].text, app["client_secret"].text)
    let page =
      "/oauth/authorize?response_type=code&client_id=\(key)&scope=read+write&redirect_uri="
      + percentEncoded(LocalProgram.redirect)
    let program = LocalProgram(local: local)
    let answer = try program.post(page, ["username": "you", "password": "tw-local", "action": "allow"])
    let tokens = try program.post(
      "/oauth/token",
      [
        "grant_type": "authorization_code", "code": program.redirected(answer)["code"] ?? "",
        "redirect_uri": LocalProgram.redirect, "client_id": key, "client_secret": secret,
      ])
    #expect(tokens.status == 200 && tokens["scope"] == "read write follow" || tokens["scope"] == "read write")
    return tokens["access_token"].text
  }

  /// Killed at any time, it has what it has answered: posts, tokens, and the keys that make a post one post.
  @Test func whatWasAnsweredIsKept() throws {
    let home = try TemporaryDirectory()
    var local = try LocalService(["--demo", "--rate", "0", "--db", home.path + "/db"])
    let (token, did) = (try token(local), try did(local))
    let session = try local.ask(
      "POST", "/xrpc/com.atproto.server.createSession", token: nil, body: ["identifier": did, "password": "tw-local"])
    let jwt = session["accessJwt"].text
    var ids: [String] = []
    for round in 1...3 {
      for answer in try [
        local.ask(
          "POST", "/api/v1/statuses", token: token,
          headers: ["Idempotency-Key": "k", "Content-Type": "application/json"], body: ["status": "toot #kept"]),
        local.ask(
          "POST", "/xrpc/com.atproto.repo.putRecord", token: jwt, body: record("skeet #kept", key: "3lzzzzzzzzz22", did)
        ),
      ] {
        #expect(answer.status == 200, "\(answer.text)")
        ids.append(answer["id"].text + answer["uri"].text)
      }
      local.tool.signal(SIGKILL)
      _ = try local.tool.finish()
      local = try LocalService(["--demo", "--rate", "0", "--db", home.path + "/db"])
      #expect(Set(ids).count == 2, "round \(round): \(ids)")
    }
    #expect(try local.search("%23kept".removingPercentEncoding ?? "")["data"].array.count == 2)
    // A post that is gone frees its key.
    let toot = ids[0].prefix(while: \.isNumber)
    let gone = try local.ask("DELETE", "/api/v1/statuses/\(toot)", token: token)
    #expect(gone.status == 200 && gone["text"] == "toot #kept")
    let again = try local.ask(
      "POST", "/api/v1/statuses", token: token, headers: ["Idempotency-Key": "k", "Content-Type": "application/json"],
      body: ["status": "new"])
    #expect(again.status == 200 && again["id"].text != toot)
  }

  /// A stream goes on where it was, over a service that was killed.
  @Test func aStreamGoesOnAfterAKill() throws {
    let home = try TemporaryDirectory()
    var local = try LocalService(["--db", home.path + "/db"])
    let port = String(local.port)
    let tool = try RunningTool(
      "tw-stream", ["-n", "9", "bluesky:#kept"],
      environment: ["TW_ENDPOINT_BLUESKY": local.base, "TW_STREAM_BLUESKY": local.base], home: home)
    try tool.waitForLines(2)
    for number in 1...9 {
      try local.post("\(number) #kept")
      if number % 3 == 0, number < 9 {
        local.tool.signal(SIGKILL)
        _ = try local.tool.finish()
        local = try LocalService(["--db", home.path + "/db", "--port", port])
      }
    }
    let result = try tool.finish()
    // A post is printed again when its author comes later; that is not a second post.
    var numbers: [String] = []
    for line in result.lines {
      guard let range = line.range(of: #""text":"\d"#, options: .regularExpression) else { continue }
      let number = String(line[range].suffix(1))
      if !numbers.contains(number) { numbers.append(number) }
    }
    #expect(numbers == (1...9).map(String.init), "\(result.output) \(result.errors)")
  }

  /// Clients at the same time, with one key.
  @Test func aKeyIsForOnePostAlsoAtOnce() throws {
    let local = try LocalService()
    let did = try did(local)
    let toot = Array(#"{"status":"toot"}"#.utf8)
    let skeet = try Array(JSONSerialization.data(withJSONObject: record("skeet", key: "a-key", did)))
    let headers = ["Idempotency-Key": "one", "Content-Type": "application/json"]
    // All are sent before any answer is read.
    let clients = try (0..<16).map { index in
      try index % 2 == 0
        ? local.open("POST", "/api/v1/statuses", headers: headers, body: toot)
        : local.open("POST", "/xrpc/com.atproto.repo.putRecord", body: skeet)
    }
    let answers = try clients.map { try $0.answer(to: "POST") }.map { $0["id"].text + $0["uri"].text }
    #expect(Set(answers).count == 2, "\(answers)")
    let posts = try local.ask("GET", "/api/v1/timelines/public", token: nil)
    #expect(posts.text.components(separatedBy: "\"in_reply_to_id\"").count == 3)
  }

  // MARK: Refusals

  @Test(arguments: [
    ("GET", "/api/v1/nothing", 404), ("GET", "/api/v3/statuses", 404), ("DELETE", "/api/v1/timelines/home", 404),
    ("GET", "/api/v1/statuses/1e3", 404), ("GET", "/api/v1/statuses/99999999999999999999", 404),
    ("GET", "/api/v1/timelines/home?max_id=x", 422), ("GET", "/xrpc/app.bsky.nothing.atAll", 501),
    ("GET", "/xrpc", 501),
    ("POST", "/xrpc/app.bsky.feed.getTimeline", 400), ("GET", "/xrpc/app.bsky.feed.getTimeline?limit=101", 400),
    ("GET", "/xrpc/app.bsky.feed.getTimeline?cursor=x", 400), ("GET", "/xrpc/app.bsky.feed.getPosts", 400),
    ("GET", "/xrpc/app.bsky.feed.getPostThread?uri=at://x/app.bsky.feed.post/1", 400),
    ("GET", "/xrpc/com.atproto.identity.resolveHandle?handle=nobody.test", 400),
    ("GET", "/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa", 404), ("GET", "/did:plc:twlocal7777777777777777", 404),
    ("GET", "/did:plc:twlocalzzzzzzzzzzzzzzzzz", 404), ("GET", "\(stream)?cursor=x", 400), ("GET", stream, 426),
    ("GET", "\(stream)?zstdDictionary=1", 400), ("GET", "/subscribe", 426),
  ])
  func whatIsNotThereIsRefused(_ method: String, _ path: String, _ status: Int) throws {
    let local = try LocalService()
    let answer = try local.ask(method, path, body: method == "GET" ? nil : [:])
    #expect(answer.status == status, "\(answer.text)")
    if status != 426 { #expect(answer["error"].text != "" || answer["message"].text != "") }
  }

  @Test func nobodyDoesWhatNeedsAnAccount() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    for (method, path) in [
      ("GET", "/api/v1/timelines/home"), ("POST", "/api/v1/statuses"), ("GET", "/api/v1/streaming/user"),
      ("GET", "/xrpc/app.bsky.feed.getTimeline"), ("POST", "/xrpc/com.atproto.repo.putRecord"),
      ("GET", "/xrpc/app.bsky.feed.searchPosts?q=swift"),
    ] {
      let status = try local.ask(method, path, token: nil, body: method == "POST" ? [:] : nil).status
      #expect([401, 422].contains(status), "\(path): \(status)")
      #expect(
        [400, 401].contains(try local.ask(method, path, token: "wrong", body: method == "POST" ? [:] : nil).status))
    }
    // A token of one account changes no other's repository.
    let maren = try local.ask("GET", "/xrpc/com.atproto.identity.resolveHandle?handle=maren-k.test")["did"].text
    #expect(try local.ask("POST", "/xrpc/com.atproto.repo.putRecord", body: record("x", key: "k", maren)).status == 403)
    let statuses = try local.ask("GET", "/api/v1/accounts/lookup?acct=maren_k")["id"].text
    let other = try JSONSerialization.jsonObject(
      with: Data(try local.ask("GET", "/api/v1/accounts/\(statuses)/statuses").body))
    let id = LooseJSON(other)[0]["id"].text
    #expect(try local.ask("DELETE", "/api/v1/statuses/\(id)").status == 404)
  }

  @Test func whatCannotBeAPostIsRefused() throws {
    let local = try LocalService()
    let did = try did(local)
    let json = ["Content-Type": "application/json"]
    for body: [String: Any] in [
      ["status": ""], ["status": String(repeating: "é", count: 501)], ["status": "x", "visibility": "private"],
      ["status": "x", "spoiler_text": "y"], ["status": "x", "media_ids": ["1"]],
      ["status": "x", "poll": ["options": ["a"], "expires_in": 300]],
      ["status": "x", "scheduled_at": "2030-01-01T00:00:00Z"],
    ] {
      #expect(try local.ask("POST", "/api/v1/statuses", headers: json, body: body).status == 422, "\(body)")
    }
    #expect(
      try local.ask("POST", "/api/v1/statuses", headers: json, body: ["status": "x", "in_reply_to_id": "5"]).status
        == 404)
    #expect(
      try local.ask("POST", "/api/v1/statuses", headers: json, raw: Array(repeating: 0x5B, count: 100_000)).status
        == 422)
    for (name, value): (String, Any) in [
      ("text", String(repeating: "x", count: 301)), ("embed", ["$type": "app.bsky.embed.external"]),
      ("facets", [["index": ["byteStart": 0, "byteEnd": 99], "features": []]]), ("createdAt", "today"),
      ("reply", ["parent": ["uri": "at://x/y/z", "cid": ""]]), ("text", 5),
    ] {
      var body = record("x", key: "k", did)
      var record = body["record"] as? [String: Any] ?? [:]
      record[name] = value
      body["record"] = record
      #expect(try local.ask("POST", "/xrpc/com.atproto.repo.putRecord", body: body).status == 400, "\(name)")
    }
    for key in ["", "a/b", "..", String(repeating: "k", count: 513)] {
      #expect(try local.ask("POST", "/xrpc/com.atproto.repo.putRecord", body: record("x", key: key, did)).status == 400)
    }
    #expect(try local.ask("GET", "/api/v1/timelines/public", token: nil).text == "[]")
  }
}
