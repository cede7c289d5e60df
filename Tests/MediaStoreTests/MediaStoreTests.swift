import TestSupport
import Testing
import TweetCore

@testable import MediaStore

@Suite(.onOwnThread) struct MediaStoreTests {
  private let path: String
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    path = scratch.path + "/media.db"
  }

  @Test func picturesAndAvatars() throws {
    let time = Timestamp(milliseconds: 1_635_975_000_123)
    var avatar = StoredAvatar(url: "https://a/1", key: "ab", etag: "\"x\"", fetchedAt: time, status: 200)
    let picture = StoredPicture(key: "ab", type: "image/png", width: 48, height: nil, size: 3)
    do {
      let store = try MediaStore(path, note: { _ in })
      #expect(try store.avatar("https://a/1") == nil)
      #expect(try store.picture("ab") == nil)
      try store.store([avatar], pictures: [(picture, [1, 0, 2]), (picture, [1, 0, 2])])
    }
    let store = try MediaStore(path, note: { _ in })
    #expect(try store.avatar("https://a/1") == avatar)
    #expect(try store.picture("ab") == picture)
    #expect(try store.bytes(ofPicture: "ab") == [1, 0, 2])
    avatar.error = "http 404"
    avatar.etag = nil
    try store.store([avatar])
    #expect(try store.avatar("https://a/1") == avatar)
  }

  @Test func theLastCheckOfALinkReplacesTheFormerOne() throws {
    let store = try MediaStore(path, note: { _ in })
    let early = StoredLink(
      url: "https://t.co/a", unwoundURL: "https://b/", status: 200, contentType: "text/html", title: "t", verdict: "ok",
      linkKind: "music", linkKindBy: "type", musicID: "m", canonicalURL: "https://c/", redirects: 3,
      chain: "[{\"url\":\"x\"}]", checkedAt: Timestamp(milliseconds: 5))
    let late = StoredLink(
      url: "https://t.co/a", verdict: "dead", checkedAt: Timestamp(milliseconds: 1_635_975_000_123), error: "dns")
    try store.store([early])
    #expect(try store.link("https://t.co/a") == early)
    try store.store([late])
    #expect(try store.link("https://t.co/a") == late)
    #expect(try store.link("https://t.co/b") == nil)
  }

  @Test func theAnswerIsThePartThatARecordNeeds() throws {
    let store = try MediaStore(path, note: { _ in })
    let time = Timestamp(milliseconds: 1_635_975_000_123)
    let link = StoredLink(
      url: "u", unwoundURL: "v", status: 200, contentType: "text/html", title: "t", verdict: "ok", linkKind: "page",
      canonicalURL: "w", chain: "[1]", checkedAt: time, failures: 2, failingSince: time, isPageRead: true,
      members: #","a":1"#, archivedURL: "x", archivedAt: time, archiveAskedAt: time,
      was: EarlierVerdict(verdict: "dead", status: 404, checkedAt: time), savedIn: "/d", pageText: "words")
    try store.store([link])
    #expect(try store.link("u") == link)
    let answer = StoredAnswer(
      verdict: "ok", linkKind: "page", checkedAt: time, unwoundURL: "v", canonicalURL: "w",
      contentType: "text/html", hasTitle: true, members: Array(#","a":1"#.utf8), chain: [], isPageRead: true,
      status: 200, isArchiveAsked: true, savedIn: "/d")
    #expect(try store.answer("u", withChain: false, withText: false) == answer)
    #expect(try store.answer("u", withChain: true, withText: false)?.chain == Array("[1]".utf8))
    #expect(try store.answer("u", withChain: false, withText: true)?.pageText == "words")
  }

  @Test func hopsAreFoundReplacedAndPruned() throws {
    let store = try MediaStore(path, note: { _ in })
    func hop(_ url: String, _ target: String, at time: Int64) -> (StoredHop, Timestamp) {
      (StoredHop(url: url, target: target), Timestamp(milliseconds: time))
    }
    try store.store([], hops: [hop("http://s/1", "http://s/2", at: 5), hop("http://s/3", "http://end/", at: 20)])
    #expect(try store.target(of: "http://s/1") == "http://s/2")
    #expect(try store.target(of: "http://s/2") == nil)
    try store.store([], hops: [hop("http://s/1", "http://new/", at: 9)])
    #expect(try store.target(of: "http://s/1") == "http://new/")
    #expect(try store.prune(before: Timestamp(milliseconds: 10)) == 1)
    #expect(try store.target(of: "http://s/1") == nil && store.target(of: "http://s/3") == "http://end/")
  }
}
