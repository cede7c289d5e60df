import TestSupport
import Testing
import TweetCore

@testable import TweetStore

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
    var link = StoredLink(
      url: "u", unwoundURL: "v", status: 200, contentType: "text/html", title: "t", verdict: "ok", linkKind: "page",
      canonicalURL: "w", chain: "[1]", checkedAt: time, failures: 2, failingSince: time, isPageRead: true,
      members: #","a":1"#, archivedURL: "x", archivedAt: time, archiveAskedAt: time)
    try store.store([link])
    #expect(try store.link("u") == link)
    let answer = StoredAnswer(
      verdict: "ok", linkKind: "page", checkedAt: time, unwoundURL: "v", canonicalURL: "w",
      contentType: "text/html", hasTitle: true, members: Array(#","a":1"#.utf8), chain: [], isPageRead: true,
      status: 200, isArchiveAsked: true)
    #expect(try store.answer("u", withChain: false) == answer)
    #expect(try store.answer("u", withChain: true)?.chain == Array("[1]".utf8))
    link.members = nil
    try store.store([link])
    #expect(try store.answer("u", withChain: false) == nil)
  }

  /// A store that an earlier version made: its targets are kept, and the permanent redirects of its chains are known.
  @Test func permanentRedirectsOfOldStoresAreTakenOver() throws {
    let chain =
      #"[{"url":"http://s/1","status":301},{"url":"http://s/2","status":302},{"url":"http://s/3","status":308}]"#
    let script = """
      CREATE TABLE pictures (key TEXT PRIMARY KEY, type TEXT NOT NULL, width INTEGER, height INTEGER, bytes BLOB NOT NULL);
      CREATE TABLE avatars (url TEXT PRIMARY KEY, key TEXT, etag TEXT, last_modified TEXT, fetched_at TEXT NOT NULL,
        status INTEGER, error TEXT) WITHOUT ROWID;
      CREATE TABLE links (url TEXT PRIMARY KEY, unwound_url TEXT, status INTEGER, content_type TEXT, title TEXT,
        verdict TEXT NOT NULL, link_kind TEXT, link_kind_by TEXT, music_id TEXT, canonical_url TEXT,
        redirects INTEGER NOT NULL, chain TEXT, checked_at TEXT NOT NULL, error TEXT) WITHOUT ROWID;
      CREATE INDEX links_by_time ON links (checked_at);
      INSERT INTO links (url, unwound_url, verdict, redirects, chain, checked_at) VALUES
        ('http://s/1', 'http://end/', 'ok', 3, '\(chain)', '2026-01-01T00:00:00.000Z'),
        ('http://old/', 'http://old/', 'ok', 0, '{damaged', '2026-01-01T00:00:00.000Z'),
        ('http://none/', 'http://none/', 'ok', 0, NULL, '2026-01-01T00:00:00.000Z');
      PRAGMA application_id = \(0x7477_6D64); PRAGMA user_version = 1;
      """
    try scratch.write("old.sql", script)
    let made = try Tool.shell("sqlite3 media.db < old.sql", home: scratch)
    #expect(made.status == 0, "\(made.errors)")
    let store = try MediaStore(path, note: { _ in })
    #expect(try store.target(of: "http://s/1") == "http://s/2")
    #expect(try store.target(of: "http://s/2") == nil)
    #expect(try store.target(of: "http://s/3") == "http://end/")
    #expect(try store.link("http://s/1")?.unwoundURL == "http://end/")
    #expect(try store.link("http://old/")?.failures == 0)
    try store.store([], hops: [(StoredHop(url: "http://s/1", target: "http://new/"), Timestamp(milliseconds: 9))])
    #expect(try store.target(of: "http://s/1") == "http://new/")
    #expect(try store.prune(before: Timestamp(milliseconds: 10)) == 1)
    #expect(try store.target(of: "http://s/1") == nil && store.target(of: "http://s/3") != nil)
  }
}
