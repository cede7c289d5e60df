import Foundation
import Synchronization
import TestNumbers
import TestSupport
import Testing

/// An account writes to Bluesky.
@Suite(.onOwnThread(minutes: 5)) struct BlueskyWritingTests {
  private static let bob = "at://did:plc:bob/app.bsky.feed.post/3mabcdefghi22"

  private let home: TemporaryDirectory
  private let server: FakePDS

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
    let login = try server.signIn(home)
    try #require(login.status == 0, "\(login.errors)")
  }

  private func post(_ arguments: [String], stdin: ToolInput = "") throws -> ToolResult {
    try Tool.run("tw-post", arguments, stdin: stdin, environment: server.environment, home: home)
  }

  private func record(_ collection: String = "app.bsky.feed.post") throws -> String {
    try #require(server.records(collection).values.first)
  }

  @Test func aPostMarksWhatIsInItByBytes() throws {
    let text = "Grüße 👋 @bob.example, @nobody.example (https://a.example/b_(c)). #tea! #1"
    let posted = try post(["--language", "de", text])
    #expect(posted.status == 0, "\(posted.errors)")
    let key = try #require(server.records().keys.first)
    #expect(key.utf8.count == 13)
    let record = try record()
    #expect(record.contains("\"text\":\"\(text)\"") && record.contains(#""langs":["de"]"#), "\(record)")
    let bytes = Array(text.utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any])
    let facets = try #require(object["facets"] as? [[String: Any]])
    let marked = facets.map { facet in
      let index = facet["index"] as? [String: Int] ?? [:]
      return String(decoding: bytes[(index["byteStart"] ?? 0)..<(index["byteEnd"] ?? 0)], as: UTF8.self)
    }
    #expect(marked == ["@bob.example", "https://a.example/b_(c)", "#tea"])
    #expect(record.contains(#""did":"did:plc:bob""#) && record.contains(#""tag":"tea""#), "\(record)")
    #expect(record.contains(#""uri":"https://a.example/b_(c)""#))
    let out = posted.output
    #expect(out.contains(#""id":"at://did:plc:alice/app.bsky.feed.post/\#(key)","service":"bluesky""#), "\(out)")
    #expect(out.contains(#""url":"https://bsky.app/profile/alice.example/post/\#(key)""#), "\(out)")
    #expect(out.contains(#""username":"bob.example""#) || out.contains("did:plc:bob"), "\(out)")
  }

  /// As Bluesky's own client does: the whole address is in the facet. What fits is posted as it was written.
  @Test func aLongLinkIsShownShort() throws {
    let link = "https://a.example/" + String(repeating: "b", count: 320) + "?c=1"
    let posted = try post(["Grüße: \(link), #tea https://b.example/"])
    #expect(posted.status == 0, "\(posted.errors)")
    let record = try record()
    let text = "Grüße: a.example/bbbbbbbbbbbb..., #tea b.example"
    #expect(record.contains("\"text\":\"\(text)\"") && record.contains("\"uri\":\"\(link)\""), "\(record)")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(record.utf8)) as? [String: Any])
    let marked = try #require(object["facets"] as? [[String: Any]]).map { facet in
      let index = facet["index"] as? [String: Int] ?? [:]
      return String(decoding: Array(text.utf8)[(index["byteStart"] ?? 0)..<(index["byteEnd"] ?? 0)], as: UTF8.self)
    }
    #expect(marked == ["a.example/bbbbbbbbbbbb...", "#tea", "b.example"])
    #expect(posted.output.contains(link), "\(posted.output)")
    #expect(try post(["length", "a \(link)"]).output == "27 of 300\n")
    let fits = "https://a.example/" + String(repeating: "b", count: 282)
    #expect(try post([fits]).status == 0)
    #expect(server.records().values.contains { $0.contains("\"text\":\"\(fits)\"") })
    #expect(try post(["--dry-run", String(repeating: "a", count: 280) + " " + link]).status == 65)
  }

  /// A name is text only where there is no such account: of a server that does not say it now nobody knows.
  @Test(arguments: [(400, "ExpiredToken"), (400, "InvalidToken"), (401, "AuthMissing"), (429, "RateLimitExceeded")])
  func aMentionIsNotLostWithTheSession(_ code: Int, _ error: String) throws {
    server.state.withLock { $0.nameFaults = Array(repeating: (code, error), count: 3) }
    let first = try post(["Hello @bob.example"])
    #expect(first.status == (code == 429 ? 75 : 77) && server.records().isEmpty, "\(first.errors)")
    server.state.withLock { $0.nameFaults = [] }
    let second = try post(["Hello @bob.example"])
    #expect(second.status == 0 && server.records().count == 1, "\(second.errors)")
    #expect(try record().contains(#""did":"did:plc:bob""#))
  }

  /// Tags are as long as the lexicon says, 64 letters and 640 bytes; a mark at the end of a name or tag is none of it.
  @Test func whatIsMarked() throws {
    func facets(_ text: String) throws -> [String] {
      let shown = try post(["--dry-run", text])
      #expect(shown.status == 0, "\(shown.errors)")
      return shown.output.matches(of: #/"(?:tag|uri)":"([^"]*)"/#).map { String($0.1) }
    }
    let (long, wide) = (String(repeating: "a", count: 64), String(repeating: "👨‍👩‍👧‍👦", count: 25) + "a")
    #expect(try facets("#\(long) #\(long)a #\(long)! ##a #a#b #7 #_") == [long, long])
    #expect(try facets("#\(wide)") == [wide] && facets("#\(wide)👨‍👩‍👧‍👦").isEmpty)
    #expect(
      try facets("https://a.example/b. (http://b.example) http:// https://? ＃tea,") == [
        "https://a.example/b", "http://b.example", "tea",
      ])
    let asked = server.calls("com.atproto.identity.resolveHandle").count
    #expect(try post(["Ask @bob.example. Or @alice.example- and @bob.example"]).status == 0)
    let dids = try record().matches(of: #/"did":"([^"]*)"/#).map { String($0.1) }
    #expect(dids == ["did:plc:bob", "did:plc:alice", "did:plc:bob"])
    #expect(server.calls("com.atproto.identity.resolveHandle").count == asked + 2)
  }

  /// A session that has ended keeps what waits.
  @Test(arguments: [
    (400, "InvalidToken", "queued"), (401, "AuthMissing", "queued"), (400, "InvalidRequest", "refused"),
  ])
  func whatIsNotTakenNowWaits(_ code: Int, _ error: String, _ state: String) throws {
    #expect(try post(["--later", "Hello there"]).status == 0)
    server.state.withLock { state in
      state.faults = Array(repeating: .answer(code, #"{"error":"\#(error)","message":"no"}"#, []), count: 3)
    }
    let flushed = try post(["flush"])
    #expect(flushed.status != 0, "\(flushed.errors)")
    #expect(try post(["outbox"]).lines.map { $0.split(separator: "\t")[1] } == [state[...]])
  }

  @Test func aReplyNamesItsThread() throws {
    #expect(try post(["reply", Self.bob, "no"]).status == 0)
    #expect(
      try record().contains(
        #""reply":{"parent":{"cid":"bafyhi22","uri":"\#(Self.bob)"},"root":{"cid":"bafyhi22","uri":"\#(Self.bob)"}}"#))
    server.state.withLock { $0.records = [:] }
    let deep = "at://did:plc:bob/app.bsky.feed.post/3mreply"
    #expect(try post(["reply", deep, "yes"]).status == 0)
    let reply = try record()
    #expect(reply.contains(#""parent":{"cid":"bafyeply","uri":"\#(deep)"},"root":{"cid":"bafyroot""#), "\(reply)")
    server.state.withLock { $0.records = [:] }
    #expect(try post(["quote", Self.bob, "look"]).status == 0)
    #expect(try record().contains(#""embed":{"$type":"app.bsky.embed.record","record":{"cid":"bafyhi22""#))
    let gone = try post(["reply", "at://did:plc:bob/app.bsky.feed.post/3mgone", "hello?"])
    #expect(gone.status == 69 && gone.errors.contains("does not show the post"), "\(gone.errors)")
  }

  /// What its author does not allow is refused with the reason, and no record is made that nobody is shown.
  @Test(arguments: [("reply", "replyDisabled", "answered"), ("quote", "embeddingDisabled", "quoted")])
  func whatIsNotAllowedIsNotMade(_ verb: String, _ sign: String, _ word: String) throws {
    server.state.withLock { $0.viewer = "\"\(sign)\":true" }
    let refused = try post([verb, Self.bob, "no"])
    #expect(refused.status == 77 && refused.errors.contains("may not be \(word)"), "\(refused.errors)")
    #expect(server.state.withLock(\.records).isEmpty)
    server.state.withLock { $0.viewer = "\"\(sign)\":false" }
    #expect(try post([verb, Self.bob, "no"]).status == 0)
  }

  /// The next post of a thread asks the account's own server for the one before it.
  @Test func aThreadIsAChain() throws {
    let thread = try post(["--thread", "one\n---\ntwo\n---\nthree"])
    #expect(thread.status == 0 && thread.lines.count == 3, "\(thread.errors)")
    let records = server.records().sorted { $0.key < $1.key }
    try #require(records.count == 3)
    let texts = records.map { $0.value.firstMatch(of: /"text":"([a-z]+)"/).map { String($0.1) } }
    #expect(texts == ["one", "two", "three"], "keys rise with the posts")
    #expect(records[2].value.contains("/\(records[1].key)") && records[2].value.contains("/\(records[0].key)"))
    #expect(server.calls("app.bsky.feed.getPosts").isEmpty)
  }

  @Test func whatIsThereIsChanged() throws {
    for (verb, collection) in [
      ("like", "app.bsky.feed.like"), ("retweet", "app.bsky.feed.repost"), ("follow", "app.bsky.graph.follow"),
    ] {
      let target = verb == "follow" ? "bob.example" : Self.bob
      let done = try post([verb, target])
      #expect(done.status == 0, "\(done.errors)")
      let subject =
        verb == "follow" ? #""subject":"did:plc:bob""# : #""subject":{"cid":"bafyhi22","uri":"\#(Self.bob)"}"#
      #expect(try record(collection).contains(subject))
      if verb == "like" { #expect(done.output.contains(#""viewer":{"liked":true"#), "\(done.output)") }
      // The AppView does not know it yet, the server does.
      let undone = try post(["un" + verb, target])
      #expect(undone.status == 0 && server.records(collection).isEmpty, "\(undone.errors)")
      let again = try post(["un" + verb, target])
      #expect(again.status == 0, "\(again.errors)")
    }
    #expect(try post(["bookmark", Self.bob]).status == 0)
    #expect(server.calls("app.bsky.bookmark.createBookmark").last?.body == #"{"uri":"\#(Self.bob)","cid":"bafyhi22"}"#)
    #expect(try post(["unbookmark", Self.bob]).status == 0)
    #expect(server.calls("app.bsky.bookmark.deleteBookmark").last?.body == #"{"uri":"\#(Self.bob)"}"#)
    // What the AppView knows is not done twice.
    server.state.withLock { $0.viewer = #""like":"at://did:plc:alice/app.bsky.feed.like/3mlike""# }
    let before = server.calls("com.atproto.repo.putRecord").count
    #expect(try post(["like", Self.bob]).status == 0)
    #expect(server.calls("com.atproto.repo.putRecord").count == before)
    #expect(try post(["unlike", Self.bob]).status == 0)
    #expect(
      server.calls("com.atproto.repo.deleteRecord").last?.body
        == #"{"repo":"did:plc:alice","collection":"app.bsky.feed.like","rkey":"3mlike"}"#)
  }

  @Test func aPostIsDeleted() throws {
    #expect(try post(["Hello there"]).status == 0)
    let key = try #require(server.records().keys.first)
    let deleted = try post(["--yes", "delete", "at://did:plc:alice/app.bsky.feed.post/\(key)"])
    #expect(deleted.status == 0 && server.records().isEmpty, "\(deleted.errors)")
    #expect(deleted.output.contains(#""tw":"delete","service":"bluesky""#), "\(deleted.output)")
    #expect(try post(["Hello again"]).status == 0)
    #expect(try post(["--yes", "undo"]).status == 0)
    #expect(server.records().isEmpty)
  }

  @Test func lengthsAreCharactersAndBytes() throws {
    let family = "👨‍👩‍👧‍👦"
    for (text, length) in [
      (String(repeating: "é", count: 300), 300), (String(repeating: "a", count: 301), 301),
      (String(repeating: family, count: 100), 250),
      (String(repeating: family, count: 121), 303),
    ] {
      let result = try Tool.run("tw-post", ["length", text], environment: ["TW_SERVICE": "bluesky"])
      #expect(result.output == "\(length) of 300\n" && result.status == (length > 300 ? 65 : 0), "\(result.output)")
    }
    let long = try post(["--thread", String(repeating: "tea and more tea. ", count: 40)])
    #expect(long.status == 0 && long.lines.count == 3, "\(long.errors)")
  }

  @Test func picturesAreShown() throws {
    let png = PictureSample.png(width: 3, height: 2)
    try home.write("a.png", png)
    let posted = try post(["--media", "a.png", "--alt", "a \"cup\"", "Look here"])
    #expect(posted.status == 0, "\(posted.errors)")
    #expect(server.calls("com.atproto.repo.uploadBlob").first?["Content-Type"] == "image/png")
    let record = try record()
    #expect(
      record.contains(#""images":[{"alt":"a \"cup\"","aspectRatio":{"height":2,"width":3},"image":{"$type":"blob","#),
      "\(record)")
    try home.write("big.png", png + [UInt8](repeating: 0, count: 2_000_001))
    let big = try post(["--keep-metadata", "--media", "big.png", "Look here too"])
    #expect(
      big.status != 0 && big.errors.contains("takes 2000000: make it smaller, or leave --keep-metadata out"),
      "\(big.errors)")
    #expect(server.records().count == 1)
  }

  // MARK: Once

  /// The answer is lost, or there is none: the same record is put again, and nothing is looked for.
  @Test(arguments: [
    [FakePDS.Fault.lostAnswer], [.lostAnswer, .lostAnswer],
    [.answer(502, "<html>bad gateway</html>", [])],
    [.answer(500, #"{"error":"InternalServerError"}"#, []), .lostAnswer],
    [.answer(503, #"{"error":"NotEnoughResources"}"#, [])],
  ])
  func aPostWithoutAnAnswerIsPutAgain(_ faults: [FakePDS.Fault]) throws {
    server.state.withLock { $0.faults = faults }
    let posted = try post(["Hello there"])
    #expect(posted.status == 0 && posted.lines.count == 1, "\(posted.errors)")
    let calls = server.calls("com.atproto.repo.putRecord")
    #expect(calls.count == faults.count + 1 && Set(calls.map(\.body)).count == 1, "the same to the byte")
    #expect(server.records().count == 1)
    #expect(server.calls("com.atproto.repo.listRecords").isEmpty)
  }

  @Test func aTokenThatExpiresInBetweenIsRenewed() throws {
    server.state.withLock { $0.expired = 0 }
    let posted = try post(["Hello there"])
    #expect(posted.status == 0 && server.records().count == 1, "\(posted.errors)")
    server.state.withLock { $0.faults = [.answer(401, #"{"error":"ExpiredToken","message":"late"}"#, [])] }
    let late = try post(["Hello again"])
    #expect(late.status == 0 && server.records().count == 2, "\(late.errors)")
  }

  @Test func aRateLimitIsKept() throws {
    let reset = Int(Date.now.timeIntervalSince1970) + 2
    server.state.withLock {
      $0.faults = [
        .answer(429, #"{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}"#, ["ratelimit-reset: \(reset)"])
      ]
    }
    let posted = try post(["--wait", "Hello there"])
    #expect(posted.status == 0 && server.records().count == 1, "\(posted.errors)")
    #expect(Int(Date.now.timeIntervalSince1970) >= reset)
  }

  @Test func aPostThatIsRefusedIsNotPutAgain() throws {
    server.state.withLock {
      $0.faults = [.answer(400, #"{"error":"InvalidRequest","message":"Invalid app.bsky.feed.post record"}"#, [])]
    }
    let posted = try post(["Hello there"])
    #expect(posted.status == 69 && posted.errors.contains("Invalid app.bsky.feed.post record"), "\(posted.errors)")
    #expect(server.calls("com.atproto.repo.putRecord").count == 1)
  }

  /// The AppView does not know of the like; the account's own server does.
  @Test func aLikeThatWasCutOffIsMadeOnce() throws {
    let like = { try RunningTool("tw-post", ["like", Self.bob], environment: server.environment, home: home) }
    server.state.withLock { $0.writeDelay = 0.5 }
    let tool = try like()
    try waitUntil { !server.records("app.bsky.feed.like").isEmpty }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    server.state.withLock { $0.writeDelay = 0 }
    let again = try post(["like", Self.bob])
    #expect(again.status == 0 && server.records("app.bsky.feed.like").count == 1, "\(again.errors)")
  }

  /// Killed at any moment, and said again: each post and each like is there once.
  @Test func killedAtAnyMoment() throws {
    var chance = Chance()
    for round in 0..<12 {
      let command =
        round % 3 == 0 ? ["like", "at://did:plc:bob/app.bsky.feed.post/3mabcdefgh\(round)2"] : ["round \(round)"]
      let tool = try RunningTool("tw-post", command, environment: server.environment, home: home)
      chance.pause(upTo: 120_000)
      tool.signal(SIGKILL)
      let killed = try tool.finish()
      guard killed.output.isEmpty else { continue }
      let again = try post(command)
      #expect(again.status == 0 && again.lines.count == 1, "\(again.errors)")
    }
    let flushed = try post(["flush"])
    #expect(flushed.status == 0, "\(flushed.errors)")
    let texts = server.records().values.compactMap { $0.firstMatch(of: /"text":"(round [0-9]+)"/)?.1 }
    #expect(texts.count == 8 && Set(texts).count == 8, "\(texts)")
    #expect(server.records("app.bsky.feed.like").count == 4)
  }
}
