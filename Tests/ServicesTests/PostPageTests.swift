import Services
import Testing

@Suite struct PostPageTests {
  @Test(arguments: [
    ("https://x.com/jack/status/20?s=20#m", "x.com", "20"),
    ("twitter.com/i/web/status/20/photo/1", "twitter.com", "20"),
    ("http://127.0.0.1:80/a/status/5", "127.0.0.1:80", "5"), ("localhost/a/status/5", "localhost", "5"),
    ("https://social.example/@jack/109", "social.example", "109"),
    ("https://social.example/users/jack/statuses/109", "social.example", "109"),
    ("https://x.com@Example.COM/jack/status/20", "example.com", "20"),
  ])
  func addresses(text: String, host: String, id: String) {
    let address = PostPage(text)
    #expect(address?.host == host && address?.id == id)
  }

  @Test(arguments: [
    "20", "x:20", "at://did:plc:abc/app.bsky.feed.post/3k", "https://x.com/20", "https://x.com/jack/status/",
    "https://x.com/jack/status/a20", "ftp://x.com/jack/status/20", "", "/", "jack/status/20",
  ])
  func otherTexts(text: String) { #expect(PostPage(text) == nil) }

  @Test func services() throws {
    let (x, local) = (XService(), LocalService())
    let page = "https://mobile.twitter.com/jack/status/20"
    #expect(x.post(at: page, base: nil) == .number(20) && local.post(at: page, base: "http://127.0.0.1:80") == nil)
    let own = "http://127.0.0.1:80/jack/status/20"
    #expect(local.post(at: own, base: "http://127.0.0.1:80") == .number(20))
    #expect(local.post(at: own, base: "http://127.0.0.1:81") == nil && local.post(at: own, base: nil) == nil)
    #expect(x.post(at: own, base: "https://api.x.com") == nil && x.post(at: own, base: "http://127.0.0.1:80") != nil)
  }
}
