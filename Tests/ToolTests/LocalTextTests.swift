import TestSupport
import Testing
import TweetCore

@testable import tw_local

/// Texts and messages of tw-local, without a socket.
@Suite(.onOwnThread) struct LocalTextTests {
  private static let site = SiteAddress(base: "http://127.0.0.1:1")

  /// Every limit is tried, so that one of them lies inside each escape, link and grapheme cluster.
  @Test func truncatesOnlyBetweenCharacters() {
    let text = WireText("a & b <c> 👨‍👩‍👧‍👦 https://example.com/x #tag e\u{301} @name ok", Self.site)
    #expect(text.count == text.text.unicodeScalars.count && text.spans.count == 3)
    for limit in 1..<text.count {
      let cut = text.truncated(to: limit)
      #expect(cut.count == cut.text.unicodeScalars.count && cut.count <= limit)
      #expect(cut.text.last == "…" && text.text.hasPrefix(cut.text.dropLast()))
      #expect(!cut.text.contains(/&[a-z]*…/), "\(cut.text)")
      #expect(cut.spans.allSatisfy { $0.end <= cut.count - 1 })
      // No part of a link, tag or name is left without its span.
      #expect(cut.text.filter { ":#@".contains($0) }.count == cut.spans.count + (cut.text.contains("http") ? 1 : 0))
    }
    #expect(text.truncated(to: text.count).text == text.text)
  }

  @Test func warnsAStalledV1StreamOnce() async throws {
    let directory = try TemporaryDirectory()
    let store = try LocalStore(path: directory.path + "/service.db")
    try store.write { () throws(ToolError) in try Cast.addOwner(to: store, now: .now, isDemo: false) }
    let owner = try #require(try store.account(named: Cast.owner.username))
    let post = try store.write { () throws(ToolError) in
      try store.create(Draft(author: owner.id, text: "x"), at: .now)
    }
    let service = try Service(
      store: store, site: Self.site, keepAlive: .seconds(3600), mostStreams: 9,
      limits: RateLimits(window: 900_000, limit: nil),
      ruleDelay: .zero, signInState: SignInState(run: RunToken("token", account: owner.id), tokenLife: 0, app: .kit))
    let head = "GET /1.1/statuses/sample.json?stall_warnings=true HTTP/1.0\r\nAuthorization: Bearer token"
    guard case .stream(let queue) = await service.answer(try ServerRequest(head: Array(head.utf8))).body else {
      Issue.record("no stream")
      return
    }
    for _ in 1...3000 { try await service.deliver(post) }
    queue.finish()
    var warnings: [(index: Int, percentFull: Int?)] = []
    var index = 0
    for await chunk in queue.chunks {
      let line = chunk.bytes.split(separator: 0x0A, maxSplits: 1)[1]
      let document = try JSONDocument(Array(line.dropLast(2)))
      if let warning = document["warning"] {
        warnings.append((index, warning["percent_full"].flatMap { Int($0.rawText) }))
      }
      index += 1
    }
    #expect(index == 3001 && warnings.count == 1)
    #expect(warnings.first?.percentFull == 60 && (2400...2500).contains(warnings.first?.index ?? 0))
  }
}
