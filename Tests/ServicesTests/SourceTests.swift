import Services
import Testing
import TweetCore

struct SourceTests {
  @Test(arguments: [
    ("#swift", "#swift"), ("swift", "#swift"), ("＃日本語", "#日本語"), ("search:a b", "search:a b"),
    ("user:jack", "user:jack"), ("@jack", "user:jack"), ("user:@jack", "user:jack"), ("#home", "#home"),
    ("#hom", "#hom"), ("#bookmarks", "#bookmarks"), ("tea", "#tea"), ("日本語", "#日本語"),
    ("#caf\u{e9}_1", "#caf\u{e9}_1"), ("home", "home"), ("mentions", "mentions"), ("sample", "sample"),
    ("list:84839422", "list:84839422"), ("conversation:1", "conversation:1"), ("conversation:x:1", "conversation:1"),
    ("conversation:https://x.com/a/status/1", "conversation:1"), ("https://x.com/jack/status/20?s=20", "post:20"),
    ("post:x:20", "post:20"), ("ids:-", "ids:-"),
    ("bookmarks", "bookmarks"), ("likes", "likes"), ("followers", "followers"), ("following", "following"),
    ("ids:a b:c", "ids:a b:c"), ("mastodon:#caf\u{e9}@host", "mastodon:#caf\u{e9}@host"), ("a-1:", "a-1:"),
    ("https://x.com/jack", "user:jack"), ("https://twitter.com/hashtag/swift?src=hash", "#swift"),
    ("https://x.com/i/lists/84839422", "list:84839422"), ("https://x.com/home", "home"),
  ])
  func isReadAs(_ text: String, _ feed: String) throws { #expect(try Source(text, of: XService()).feed == feed) }

  /// Addresses of people, as the programs show them that speak Mastodon's language.
  @Test(arguments: [
    ("https://px.example/maja", "user:maja"), ("https://px.example/maja/", "user:maja"),
    ("https://px.example/@maja", "user:maja"), ("https://other.example/profile/maja", "user:maja@other.example"),
    ("https://px.example/profile/maja", "user:maja"), ("https://px.example/profile/maja/conversations", "user:maja"),
    ("https://px.example/users/maja", "user:maja"),
  ])
  func addressesOfPeople(_ text: String, _ feed: String) throws {
    let service = try #require(MastodonService(named: "mastodon:px.example"))
    #expect(try Source(text, of: service).feed == feed)
  }

  /// A page of a server about itself is nobody, and nothing but a name is an account of a server only if that is known
  /// to be one.
  @Test(arguments: [
    "https://px.example/about", "https://px.example/discover", "https://other.example/maja",
    "https://px.example/display/d9309488-1234", "https://px.example/profile/maja/other", "https://px.example/",
  ])
  func addressesOfNobody(_ text: String) throws {
    let service = try #require(MastodonService(named: "mastodon:px.example"))
    #expect(throws: ToolError.self) { try Source(text, of: service) }
  }

  @Test func aPluginsNameEndsAtTheFirstColon() throws {
    #expect(try Source("mastodon:tag:x", of: XService()) == .plugin(name: "mastodon", rest: "tag:x"))
  }

  @Test(arguments: [
    "", "#", "a b", "#a b", " swift", "swift\n", "#c++", "##a", "#a\u{2028}b", "search:", "search:  ", "user:", "@",
    "@a b", "@jäck", "list: ", "list:", "conversation:https://example.com/a/status/1", "conversation:local:1",
    "post:x", "ids:", "home:", "#a OR b",
    "#a\"", "Mastodon:x", ":x", "-a:x", "a_b:x", "from:jack", "lang:en", "https://example.com/", "https://x.com/a/b",
    "#123", "hom", "Home", "mention", "smaple", "bookmark", "like", "notifications", "follower", "Following",
    "lists", "list", "search", "User", "https://x.com/notifications", "https://x.com/explore",
  ])
  func isRefused(_ text: String) {
    let error = #expect(throws: ToolError.self) { try Source(text, of: XService()) }
    #expect(error?.status == .usage)
  }

  /// The message names the source that was probably meant.
  @Test(arguments: [
    ("two words", "use 'search:two words'"),
    ("#c++", "a hashtag holds letters, digits and '_', and at least one letter"),
    ("from:jack", "the source is 'search:from:jack'"),
    ("list: ", "'list:' needs the name or the id of a list"), ("https://example.com/", "is an address, not a source"),
    ("hom", "did you mean 'home'? The hashtag is '#hom'"), ("Mentions", "did you mean 'mentions'?"),
    ("bookmark", "did you mean 'bookmarks'? The hashtag is '#bookmark'"),
    ("notifications", "this service has no notifications to read; the hashtag is '#notifications'"),
    ("list", "'list:NAME' is; the hashtag is '#list'"),
  ])
  func nearMissesAreExplained(_ text: String, _ hint: String) throws {
    let error = #expect(throws: ToolError.self) { try Source(text, of: XService()) }
    #expect(error?.message?.contains(hint) == true, "\(error?.message ?? "")")
  }
}
