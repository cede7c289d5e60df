import Foundation
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

  /// Files of programs that were killed go after an hour, thumbnails of no picture at once; nothing else does, and no
  /// link is followed.
  @Test func straysAreRemovedAndNothingElse() throws {
    let thumbnails = Thumbnails(beside: path)
    let (stored, stray) = (String(repeating: "ab", count: 32), "ab" + String(repeating: "cd", count: 31))
    for key in [stored, stray] { try thumbnails.write([1], for: key) }
    // Of a process that was killed and had the same id.
    try scratch.write("thumbnails/ab/.\(stored).\(getpid())", "half")
    try thumbnails.write([1, 2], for: stored)
    #expect(thumbnails.read(stored) == [1, 2] && thumbnails.contains(stray))
    // A power failure may leave an empty one, which is none.
    try scratch.write("thumbnails/ab/\(stray).png", "")
    #expect(!thumbnails.contains(stray) && thumbnails.read(stray) == nil)
    let (new, old) = (".\(stored).1", ".\(stored).2")
    for name in [new, old, "ab.txt", "mine.png"] { try scratch.write("thumbnails/ab/\(name)", "x") }
    for (name, age) in [(new, 3500), (old, 3700), ("ab.txt", 9000), ("mine.png", 9000)] {
      let time = timeval(tv_sec: time(nil) - age, tv_usec: 0)
      #expect(utimes(scratch.path + "/thumbnails/ab/" + name, [time, time]) == 0)
    }
    try scratch.write("thumbnails/notes/abc.png", "x")
    try scratch.write("elsewhere/cdmine.png", "x")
    symlink("../elsewhere", scratch.path + "/thumbnails/cd")
    try thumbnails.removeStrays { $0 == stored }
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/thumbnails/ab").sorted()
    #expect(left == [new, "ab.txt", "\(stored).png", "mine.png"].sorted(), "\(left)")
    #expect(scratch.exists("elsewhere/cdmine.png") && scratch.exists("thumbnails/notes/abc.png"))
    #expect(throws: ToolError.self) { try thumbnails.write([1], for: "cd" + String(repeating: "0", count: 62)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/elsewhere") == ["cdmine.png"])
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
