import TestSupport
import Testing
import TweetCore

@testable import TweetStore

struct MediaStoreTests {
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
      let store = try MediaStore(path)
      #expect(try store.avatar("https://a/1") == nil)
      #expect(try store.picture("ab") == nil)
      try store.store([avatar], pictures: [(picture, [1, 0, 2]), (picture, [1, 0, 2])])
    }
    let store = try MediaStore(path)
    #expect(try store.avatar("https://a/1") == avatar)
    #expect(try store.picture("ab") == picture)
    #expect(try store.bytes(ofPicture: "ab") == [1, 0, 2])
    avatar.error = "http 404"
    avatar.etag = nil
    try store.store([avatar])
    #expect(try store.avatar("https://a/1") == avatar)
  }

  @Test func theLastCheckOfALinkReplacesTheFormerOne() throws {
    let store = try MediaStore(path)
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
}
