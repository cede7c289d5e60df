import Foundation
import Synchronization
import TestSupport
import Testing

/// One post at several services: each has its copy once, and says by itself what became of it.
@Suite(.onOwnThread(minutes: 5)) struct CrosspostTests {
  private let site: CrosspostSite

  init() throws { site = try CrosspostSite() }

  private static let refusal = FakePDS.Fault.answer(
    400, #"{"error":"InvalidRequest","message":"Invalid app.bsky.feed.post record"}"#, [])

  @Test func oneTextAtThreeServices() throws {
    let posted = try site.post(["--to", site.all, "Hello there #tea"])
    #expect(posted.status == 0 && posted.lines.count == 3, "\(posted.errors)")
    #expect(site.x.posts.map(\.text) == ["Hello there #tea"])
    #expect(site.mastodon.posts.map(\.text) == ["Hello there #tea"])
    #expect(site.blueskyTexts == ["Hello there #tea"])
    // Each record names the others.
    let key = try #require(site.bluesky.records().keys.first)
    let x = "https://x.com/jack/status/1000"
    let bluesky = "https://bsky.app/profile/alice.example/post/\(key)"
    let mastodon = "https://tea.example/@maja/2000"
    let known = try posted.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    #expect(known.map { $0["service"] as? String } == ["x", site.mastodon.name, "bluesky"])
    let copies = known.map { ($0["extra"] as? [String: Any])?["copies"] as? [String] ?? [] }
    #expect(copies == [[mastodon, bluesky], [x, bluesky], [x, mastodon]], "\(copies)")
    #expect(try site.outbox().isEmpty)
    // Said again it is another post.
    #expect(try site.post(["--to", site.all, "Hello there #tea"]).status == 0)
    #expect(site.counts == [2, 2, 2])
  }

  @Test func accountsAreNamedAsEverywhere() throws {
    let named = "x:jack, \(site.mastodon.name):maja ,bluesky:alice.example"
    let posted = try site.post(["--to", named, "Hello there"])
    #expect(posted.status == 0 && site.counts == [1, 1, 1], "\(posted.errors)")
    for (wrong, message) in [
      ("x,x:jack", "which is named before"), ("x,,bluesky", "a name is empty"), ("x,jack", "did you mean 'x:jack'?"),
      ("nowhere", "is neither a service"), ("mastodon:", "is neither a service"),
    ] {
      let result = try site.post(["--to", wrong, "Hello again"])
      #expect(result.status == 64 && result.errors.contains(message), "\(wrong): \(result.errors)")
    }
    let stranger = try site.post(["--to", "x,bluesky:bob.example", "Hello again"])
    #expect(stranger.status == 77 && stranger.errors.contains("bob.example"), "\(stranger.errors)")
    #expect(try site.post(["--to", "x", "--account", "jack", "Hello again"]).status == 64)
    #expect(try site.post(["--to", "x", "like", "1"]).status == 64)
    #expect(try site.post(["--to", "x", "flush"]).status == 64)
    #expect(site.counts == [1, 1, 1])
  }

  @Test func aTokenOfTheEnvironmentIsForItsServiceAlone() throws {
    let posted = try site.post(["--to", "local,bluesky", "Hello there"], site.x.environment)
    #expect(posted.status == 0 && site.counts == [1, 0, 1], "\(posted.errors)")
    #expect(site.x.requests.allSatisfy { $0["Authorization"] == "Bearer secret-token" })
    #expect(!site.bluesky.server.requests.contains { $0["Authorization"]?.contains("secret-token") == true })
    let undone = try site.post(["undo", "--yes"], site.x.environment)
    #expect(undone.status == 0 && undone.lines.count == 2 && site.bluesky.records().isEmpty, "\(undone.errors)")
  }

  @Test func aDryRunShowsWhatEachWouldHave() throws {
    // Bluesky has no short links, but shows them short.
    let link = "https://example.com/" + String(repeating: "a", count: 290)
    let long = String(repeating: link + " ", count: 6) + String(repeating: "b", count: 136)
    let shown = try site.post(["--dry-run", "--to", site.all, long])
    #expect(shown.status == 65)
    let heads = shown.lines.filter { !$0.hasPrefix(" ") }
    #expect(
      heads == [
        "x:jack: 280 of 280", "\(site.mastodon.name):maja: 280 of 500",
        "bluesky:alice.example: 304 of 300, too long by 4",
      ], "\(heads)")
    #expect(
      shown.errors.contains(
        "bluesky:alice.example: the text is too long: 304 of 300; beyond the limit: 'bbbb'"))
    let sentences = String(repeating: "A sentence that says it at length. ", count: 12)
    let split = try site.post(["--dry-run", "--thread", "--number", "--to", site.all, sentences])
    #expect(split.status == 0, "\(split.errors)")
    #expect(split.lines.filter { $0.hasPrefix("x:jack: post ") }.count == 2)
    #expect(split.lines.filter { $0.hasPrefix("\(site.mastodon.name):maja: 4") }.count == 1, "\(split.output)")
    #expect(split.lines.filter { $0.hasPrefix("bluesky:alice.example: post ") }.count == 2)
    #expect(site.counts == [0, 0, 0] && site.x.requests.isEmpty && site.mastodon.tries.isEmpty)
    // Too long for one of them: nothing is sent.
    let sent = try site.post(["--to", site.all, long])
    #expect(sent.status == 65 && sent.errors.contains("nothing was posted: "), "\(sent.errors)")
    #expect(site.counts == [0, 0, 0])
    let lengths = try site.post(["length", "--to", site.all, long])
    #expect(lengths.lines.last == "bluesky:alice.example: 304 of 300" && lengths.status == 65, "\(lengths.output)")
  }

  /// What a post would lose on its way its author decides, before anything is sent.
  @Test func whatOneCannotTakeStopsAll() throws {
    let result = try site.post(["--warning", "soup", "--visibility", "unlisted", "--to", site.all, "Hello there"])
    #expect(result.status == 64)
    for name in ["x:jack: service 'x'", "bluesky:alice.example: service 'bluesky'"] {
      #expect(result.errors.contains("\(name) has no choice of who sees a post (--visibility)"), "\(result.errors)")
    }
    #expect(result.errors.contains("x:jack: service 'x' has no content warnings (--warning)"), "\(result.errors)")
    #expect(!result.errors.contains("\(site.mastodon.name):maja: service"))
    #expect(result.errors.contains("or leave x:jack, bluesky:alice.example out of --to"), "\(result.errors)")
    #expect(site.counts == [0, 0, 0] && site.x.requests.isEmpty)
    #expect(try site.outbox().isEmpty)
    // Bluesky has labels, and no warnings in words.
    let words = try site.post(["--warning", "soup", "--to", "\(site.mastodon.name),bluesky", "Hello there"])
    let hint = "bluesky:alice.example: service 'bluesky' has no warnings in words: --warning is sexual, nudity, porn, "
    #expect(words.status == 64 && words.errors.contains(hint), "\(words.errors)")
    #expect(words.errors.contains("can be the first line of the text") && words.output.isEmpty, "\(words.errors)")
    #expect(site.counts == [0, 0, 0] && site.mastodon.tries.isEmpty)
    let label = try site.post(["--warning", "nudity", "--to", "\(site.mastodon.name),bluesky", "Hello there"])
    #expect(label.status == 0 && site.counts == [0, 1, 1], "\(label.errors)")
    #expect(site.mastodon.tries.last?.body.contains(#""spoiler_text":"nudity""#) == true)
    #expect(site.bluesky.records().values.first?.contains(#""val":"nudity""#) == true)
    let site = try CrosspostSite()
    #expect(try site.post(["--warning", "soup", "--to", site.mastodon.name, "Hello there"]).status == 0)
    // A long post where there are such; the others are threads.
    let long = String(repeating: "A sentence that says it at length. ", count: 20)
    let both = try site.post(["--long", "--thread", "--to", site.all, long])
    #expect(both.status == 0, "\(both.errors)")
    #expect(site.counts == [1, 3, 3], "\(site.counts)")
  }

  /// Readers read the same without it.
  @Test func aLanguageCountsWhereThereIsOne() throws {
    let posted = try site.post(["--language", "de", "--to", site.all, "Guten Tag"])
    #expect(posted.status == 0 && site.counts == [1, 1, 1], "\(posted.errors)")
    #expect(
      posted.errors.contains("x:jack has no language of a post (--language): the post goes there without it"),
      "\(posted.errors)")
    #expect(!posted.errors.contains("bluesky:alice.example has no language"))
    #expect(site.mastodon.tries.last?.body.contains(#""language":"de""#) == true)
    #expect(site.bluesky.records().values.first?.contains(#""langs":["de"]"#) == true)
    #expect(try site.post(["--language", "de", "--to", "x", "Guten Tag"]).status == 0)
    // One who names a single service means that one.
    let single = try site.post(["--account", "x:jack", "--language", "de", "Guten Abend"])
    #expect(single.status == 64 && site.x.posts.count == 2, "\(single.errors)")
    let hidden = try site.post(
      ["--poll", "a", "--poll", "b", "--poll-hide-totals", "--to", "x,\(site.mastodon.name)", "Tea or coffee?"])
    #expect(hidden.status == 0 && site.x.posts.count == 3, "\(hidden.errors)")
    #expect(hidden.errors.contains("x:jack has no polls that hide their numbers"), "\(hidden.errors)")
    #expect(site.mastodon.tries.last?.body.contains(#""hide_totals":true"#) == true)
  }

  @Test func aThreadIsSplitByEachLimit() throws {
    let site = try CrosspostSite(longest: 40)
    let posted = try site.post(["--thread", "--to", site.all, "One short sentence here. Another short sentence there."])
    #expect(posted.status == 0 && posted.lines.count == 4, "\(posted.errors)")
    #expect(site.counts == [1, 2, 1])
    #expect(site.mastodon.posts.map(\.replyTo) == ["", "2000"])
  }

  @Test func picturesGoToEach() throws {
    try site.home.write("a.png", PictureSample.png(width: 3, height: 2))
    let posted = try site.post(["--media", "a.png", "--alt", "a cup", "--to", "x,bluesky", "Look here"])
    #expect(posted.status == 0, "\(posted.errors)")
    #expect(site.x.requests.contains { $0.target == "POST /2/media/metadata" && $0.body.contains("a cup") })
    #expect(site.bluesky.records().values.first?.contains(#""alt":"a cup""#) == true)
    let copies = try FileManager.default.contentsOfDirectory(
      atPath: site.home.path + "/.local/share/tw/outbox.db.files")
    #expect(copies == [], "what is posted needs no copy")
    // Two pictures and what is in them, at all three; each as its service wants it.
    try site.home.write("b.png", PictureSample.png(width: 5, height: 4))
    let two = ["--media", "a.png", "--alt", "a cup", "--media", "b.png", "--alt", "a \"pot\"", "--to", site.all]
    let both = try site.post(two + ["Look again"])
    #expect(both.status == 0 && both.lines.count == 3, "\(both.errors)")
    #expect(both.lines.allSatisfy { $0.contains("a cup") && $0.contains(#"a \"pot\""#) }, "\(both.output)")
    let forms = site.mastodon.server.server.requests.filter { $0.target == "POST /api/v2/media" }.map(\.body)
    #expect(forms.count == 2 && forms[0].contains("a cup\r\n") && forms[1].contains("a \"pot\"\r\n"))
    #expect(site.mastodon.tries.last?.body.contains(#""media_ids":["m1","m1"]"#) == true)
    let record = site.bluesky.records().values.first { $0.contains("Look again") } ?? ""
    let alts = record.matches(of: #/"alt":"((?:[^"\\]|\\.)*)"/#).map { String($0.1) }
    #expect(alts == ["a cup", #"a \"pot\""#], "\(record)")
  }

  /// A card is made where there are such; the page is read once, however many accounts show it.
  @Test func aCardIsMadeWhereThereAreSuch() throws {
    let pages = try CardSite().server
    let other = try FakePDS()
    let path = site.home.path + "/.config/tw/credentials.json"
    // A second account, at another server of the same network.
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let first = try #require(text.firstMatch(of: #/\{[^{}]*"service":"bluesky"[^{}]*\}/#)).output
    let second = first.replacing("alice.example", with: "bob.example").replacing("did:plc:alice", with: "did:plc:bob")
      .replacing(site.bluesky.base, with: other.base)
    try text.replacing(first, with: first + "," + second).write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    let tokens = site.home.path + "/.local/state/tw/tokens"
    for name in try FileManager.default.contentsOfDirectory(atPath: tokens) where name.hasSuffix("alice.example") {
      let copy = name.replacing("alice.example", with: "bob.example")
      try FileManager.default.copyItem(atPath: "\(tokens)/\(name)", toPath: "\(tokens)/\(copy)")
    }
    let posted = try site.post(
      ["--card", "first", "--to", "\(site.all),bluesky:bob.example", "See \(pages.base)/ now"], pages.environment)
    #expect(posted.status == 0 && posted.lines.count == 4, "\(posted.errors)")
    #expect(site.counts == [1, 1, 1] && other.records().count == 1)
    for server in [site.bluesky, other] {
      let record = server.records().values.first ?? ""
      #expect(record.contains(#""title":"Tea & milk""#) && record.contains("bafkpicture"), "\(record)")
    }
    #expect(site.mastodon.posts.first?.text == "See \(pages.base)/ now")
    #expect(
      pages.targets.count { $0.hasSuffix(" /") } == 1 && pages.targets.count { $0.hasSuffix("/picture.png") } == 1)
  }

  // MARK: What becomes of each

  @Test func oneThatIsRefusedStopsNoOther() throws {
    site.bluesky.state.withLock { $0.faults = [Self.refusal] }
    let posted = try site.post(["--to", "bluesky,x,\(site.mastodon.name)", "Hello there"])
    #expect(posted.status == 1 && posted.lines.count == 2, "\(posted.errors)")
    #expect(posted.errors.contains("bluesky:alice.example: refused: "), "\(posted.errors)")
    #expect(site.counts == [1, 1, 0])
    let left = try site.outbox()
    #expect(left.count == 1 && left.first?[1] == "refused" && left.first?.last == "copy of 1", "\(left)")
    // The same command asks again where it was refused, and nowhere else.
    let again = try site.post(["--to", site.all, "Hello there"])
    #expect(again.status == 0 && again.lines.count == 3, "\(again.errors)")
    #expect(again.errors.contains("going on with the same post"), "\(again.errors)")
    #expect(try site.counts == [1, 1, 1] && site.outbox().isEmpty)
  }

  @Test(arguments: [true, false]) func oneThatWaitsIsSentLater(_ byFlush: Bool) throws {
    let full = FakePDS.Fault.answer(429, #"{"error":"RateLimitExceeded","message":"Rate Limit Exceeded"}"#, [])
    site.bluesky.state.withLock { $0.faults = [full] }
    let posted = try site.post(["--to", site.all, "Hello there"])
    #expect(posted.status == 75 && posted.lines.count == 2, "\(posted.errors)")
    #expect(posted.errors.contains("it waits in the outbox, and 'tw-post flush' sends it"), "\(posted.errors)")
    let left = try site.outbox()
    #expect(left.count == 1 && left.first?[1] == "queued" && left.first?.last == "copy of 1", "\(left)")
    let shown = try site.post(["outbox", "show", "3"])
    #expect(shown.output == "Hello there\n")
    #expect(shown.errors.contains("another copy is write 1, done at x:jack: https://x.com/jack/status/1000"))
    #expect(shown.errors.contains("this is write 3, queued at bluesky:alice.example"), "\(shown.errors)")
    let sent = try site.post(byFlush ? ["flush"] : ["--to", site.all, "Hello there"])
    #expect(sent.status == 0 && sent.lines.count == (byFlush ? 1 : 3), "\(sent.errors)")
    #expect(sent.lines.last?.contains(#""copies":["https://x.com/jack/status/1000""#) == true, "\(sent.output)")
    #expect(site.counts == [1, 1, 1])
    #expect(try site.outbox().isEmpty)
  }

  /// For one of the accounts alone it is the same post as well.
  @Test func whatWaitsIsNotPostedAgainByItself() throws {
    let down = FakePDS.Fault.answer(429, #"{"error":"RateLimitExceeded"}"#, [])
    site.bluesky.state.withLock { $0.faults = [down] }
    #expect(try site.post(["--to", "x,bluesky", "Hello there"]).status == 75)
    let alone = try site.post(["--to", "bluesky", "Hello there"])
    #expect(alone.status == 0 && alone.lines.count == 1, "\(alone.errors)")
    // One that was not asked before joins the others.
    site.bluesky.state.withLock { $0.faults = [down] }
    #expect(try site.post(["--to", "x,bluesky", "Hello again"]).status == 75)
    let wider = try site.post(["--to", site.all, "Hello again"])
    #expect(wider.status == 0 && wider.lines.count == 3, "\(wider.errors)")
    #expect(site.counts == [2, 1, 2])
  }

  @Test func whatWasNowhereMadeIsNotKept() throws {
    let path = site.home.path + "/.config/tw/credentials.json"
    let dead = try String(contentsOfFile: path, encoding: .utf8).replacing(
      /http:..127.0.0.1:\d+/, with: "http://127.0.0.1:9")
    try dead.write(toFile: path, atomically: true, encoding: .utf8)
    chmod(path, 0o600)
    let posted = try site.post(["--to", "x,\(site.mastodon.name)", "Hello there"])
    #expect(posted.status == 75 && posted.output.isEmpty, "\(posted.errors)")
    #expect(!posted.errors.contains("waits in the outbox"), "\(posted.errors)")
    #expect(try site.outbox().isEmpty)
    #expect(try site.post(["--later", "--to", "x,\(site.mastodon.name)", "Hello there"]).status == 0)
    #expect(try site.outbox().count == 2)
  }

  @Test func anOutboxOfAnEarlierVersionGetsTheTable() throws {
    #expect(try site.post(["--to", "x", "Hello there"]).status == 0)
    let path = site.home.path + "/.local/share/tw/outbox.db"
    let dropped = try Tool.run(
      "/usr/bin/env",
      ["python3", "-c", "import sqlite3,sys; sqlite3.connect(sys.argv[1]).execute('DROP TABLE copies')", path])
    try #require(dropped.status == 0, "\(dropped.errors)")
    #expect(try site.post(["--to", site.all, "Hello again"]).status == 0)
    #expect(site.counts == [2, 1, 1])
  }

  @Test func aLengthIsTheServers() throws {
    let site = try CrosspostSite(longest: 40)
    let result = try site.post(["length", "two words"], ["TW_SERVICE": site.mastodon.name])
    #expect(result.output == "9 of 40\n", "\(result.errors)")
    // Nobody is signed in: nothing is asked.
    let asked = site.mastodon.server.targets.count
    let unknown = try Tool.run("tw-post", ["length", "two words"], environment: ["TW_SERVICE": site.mastodon.name])
    #expect(unknown.output == "9 of 500\n" && site.mastodon.server.targets.count == asked)
  }
}
