import Foundation
import Synchronization
import TestSupport
import Testing

/// A crosspost in a store, which has it from tw-post and from each of the services.
@Suite(.onOwnThread(minutes: 5)) struct CrosspostStoreTests: CacheSuite {
  private let site: CrosspostSite
  var home: TemporaryDirectory { site.home }

  init() throws { site = try CrosspostSite() }

  private func refresh() throws {
    for (service, source) in [(site.mastodon.name, "user:maja"), ("bluesky", "user:alice.example")] {
      let result = try Tool.run(
        "tw-cache", ["refresh", "--no-fetch-avatars", source],
        environment: site.environment.merging(["TW_SERVICE": service]) { $1 }, home: home)
      #expect(result.status == 0 && result.errors.isEmpty, "\(service): \(result.errors)")
    }
  }

  /// What each record says is the address of all, by its service; nothing for one that says none.
  private func shared(_ output: String) -> [String: String] {
    let records = output.split(separator: "\n").map {
      LooseJSON(try? JSONSerialization.jsonObject(with: Data($0.utf8)))
    }
    return Dictionary(records.map { ($0["service"].text, $0["extra"]["same_as"].text) }) { $1 }
  }

  /// Whether the store learns of the copies from tw-post first or from the services.
  @Test(arguments: [false, true]) func itIsListedOnce(_ isRefreshedFirst: Bool) throws {
    let posted = try site.post(["--to", site.all, "Hello there #tea"])
    #expect(posted.status == 0 && posted.lines.count == 3, "\(posted.errors)")
    if isRefreshedFirst {
      try refresh()
      #expect(try list().count == 2, "nothing says that they are one, whatever a server may say")
    }
    #expect(try add(posted.output).status == 0)
    try refresh()
    let shown = try list()
    #expect(try shown.count == 1 && list("--all-copies").count == 3)
    #expect(try list("--service", "bluesky").count == 1 && list("--service", "x") == ["1000"])
    #expect(try ids(cache("show", "--copies", "x:1000").lines).count == 3)
    // They are one in a pipe too, and after an export.
    for (options, count) in [([], 1), (["--all-copies"], 3)] {
      let shown = try Tool.run(
        "tw-render", ["--format", "line"] + options, stdin: ToolInput(posted.output), home: home)
      #expect(shown.lines.count == count, "\(shown.output)")
    }
    let copy = home.path + "/copy.db"
    #expect(try cache("import", "--db", copy, stdin: cache("export").output).status == 0)
    #expect(try list("--db", copy).count == 1 && list("--db", copy, "--all-copies").count == 3)
    #expect(try cache("label", "+read", "x:1000").status == 0)
    #expect(try list("--label", "read", "--all-copies").count == 3)
    #expect(try cache("check").output == "")
    try checkStore()
  }

  /// The first record that was printed has said the address, whoever comes later.
  @Test func aCopyThatCameLaterSaysTheSame() throws {
    site.mastodon.expect([.answer(422, #"{"error":"no"}"#)])
    site.bluesky.state.withLock { $0.faults = [.answer(429, #"{"error":"RateLimitExceeded"}"#, [])] }
    let first = try site.post(["--to", site.all, "Hello there"])
    #expect(first.status == 75 && first.lines.count == 1, "\(first.errors)")
    let flushed = try site.post(["flush"])
    #expect(flushed.status == 0 && flushed.lines.count == 1, "\(flushed.errors)")
    let again = try site.post(["--to", site.all, "Hello there"])
    #expect(again.status == 0 && again.lines.count == 3, "\(again.errors)")
    let all = [first, flushed, again].map { shared($0.output) }
    #expect(Set(all.flatMap(\.values)) == ["https://x.com/jack/status/1000"], "\(all)")
    for output in [first, flushed, again] { #expect(try add(output.output).status == 0) }
    try refresh()
    #expect(try list().count == 1 && list("--all-copies").count == 3)
  }

  /// Where a service's posts have an address that others know, that is the one.
  @Test func whatOthersKnowIsPreferredToTheAddressAtX() throws {
    let posted = try site.post(["--to", site.all, "Hello there"])
    let page = "https://tea.example/@maja/2000"
    #expect(shared(posted.output) == ["x": page, site.mastodon.name: page, "bluesky": page], "\(posted.output)")
    // It is shown through another server.
    let seen =
      #"{"tw":"tweet","id":"77","service":"mastodon:milk.example","created_at":"2026-11-27T01:00:00.000Z","text":"Hello there","#
      + #""url":"\#(page)","author":{"id":"9","username":"maja@tea.example"},"#
      + #""extra":{"uri":"https://tea.example/users/maja/statuses/2000"}}"#
    #expect(try add(posted.output + seen + "\n").status == 0)
    #expect(try list().count == 1 && list("--all-copies").count == 4)
  }

  /// A bridge names the address at Bluesky.
  @Test func thatOfBlueskyIsPreferredToThatOfX() throws {
    let posted = try site.post(["--to", "x,bluesky", "Hello there"])
    let key = try #require(site.bluesky.records().keys.first)
    let address = "at://did:plc:alice/app.bsky.feed.post/\(key)"
    #expect(shared(posted.output) == ["x": address, "bluesky": address], "\(posted.output)")
    let carried =
      #"{"tw":"tweet","id":"77","service":"mastodon:milk.example","created_at":"2026-11-27T01:00:00.000Z","text":"Hello there","#
      + #""author":{"id":"9","username":"alice"},"extra":{"uri":"https://bsky.brid.gy/convert/ap/\#(address)"}}"#
    #expect(try add(posted.output + carried + "\n").status == 0)
    #expect(try list().count == 1 && list("--all-copies").count == 3)
  }

  /// Posts of threads that were split in other ways have other texts: each is shown.
  @Test func partsThatDifferAreNotOne() throws {
    let long = String(repeating: "A sentence that says it at length. ", count: 20)
    let posted = try site.post(["--long", "--thread", "--to", "x,\(site.mastodon.name)", long])
    #expect(posted.status == 0 && site.counts == [1, 3, 0] || site.counts == [1, 2, 0], "\(posted.errors)")
    #expect(!posted.output.contains("same_as"), "\(posted.output)")
    #expect(try site.post(["--to", "x", "Alone"]).output.contains("same_as") == false)
  }
}
