import Services
import TestSupport
import Testing
import TweetCore
import TweetNet

@testable import TweetServices

/// Whether a post of the account is what came of a draft, as services change texts.
@Suite struct PostLikenessTests {
  private func post(
    _ text: String, links: [(String, String)] = [], quoteOf: String? = nil, replyTo: String? = nil,
    media: [String] = [],
    isRetweet: Bool = false
  ) -> OwnPosts.Post {
    OwnPosts.Post(
      id: "5",
      text: ReturnedText(text, known: links.map { ($0.0, $0.1) }, shortHost: "t.co") { $0.contains("/status/5/") },
      createdAt: nil, replyTo: replyTo,
      quoteOf: quoteOf, isRetweet: isRetweet, mediaKeys: media,
      postAt: { XService().post(at: $0, base: nil)?.description })
  }

  private static let short = "https://t.co/abc"

  @Test(arguments: [
    ("hello & <world>", "hello &amp; &lt;world&gt;", ""), ("a\n\n b ", "a b", ""),
    ("see (example.com)", "see (\(short))", "http://example.com"),
    ("Look:example.com/A?b=c!", "Look:\(short)!", "http://example.com/A?b=c"),
    ("https://Example.COM/", "\(short)", "https://example.com"), ("e\u{301}", "\u{e9}", ""),
    // Somebody posts a short link.
    ("see https://t.co/abc", "see \(short)", "https://example.com/long"),
  ])
  func theSame(draft: String, text: String, link: String) {
    #expect(post(text, links: [(Self.short, link)]).likeness(to: PostDraft(text: draft)) == .same)
  }

  @Test(arguments: [
    ("see example.com/a", "see \(short)", "http://example.com/b"), ("see this", "see \(short)", "http://example.com"),
    ("one", "two", ""), ("😀", "😂", ""), ("one two", "one", ""), ("a.b c", "a.b d", ""),
  ])
  func different(draft: String, text: String, link: String) {
    #expect(post(text, links: [(Self.short, link)]).likeness(to: PostDraft(text: draft)) == .different)
  }

  @Test(arguments: [
    // The service does not say what the link stands for, has renamed its host, or writes it in another way.
    ("see example.com", "see https://t.co/xyz", ""),
    ("see twitter.com/a/status/1", "see \(short)", "https://x.com/a/status/1"),
    ("see example.com/ü", "see \(short)", "http://example.com/%C3%BC"), ("so – “it” is!", "so - \"it\" is!", ""),
    (
      "A long text that a service has cut off, as services do at times, here",
      "A long text that a service has cut off, as services do…", ""
    ),
  ])
  func unclear(draft: String, text: String, link: String) {
    #expect(post(text, links: [(Self.short, link)]).likeness(to: PostDraft(text: draft)) == .unclear)
  }

  @Test func quotesAnswersAndPictures() {
    let address = (Self.short, "https://twitter.com/jack/status/20")
    let quoting = post("so \(Self.short)", links: [address], quoteOf: "20")
    #expect(quoting.likeness(to: PostDraft(text: "so", quoteOf: "20")) == .same)
    // A post that quotes by its link alone.
    #expect(quoting.likeness(to: PostDraft(text: "so https://x.com/jack/status/20?s=20")) == .same)
    #expect(quoting.likeness(to: PostDraft(text: "so", quoteOf: "21")) == .different)
    #expect(post("@jack @jill hi", replyTo: "20").likeness(to: PostDraft(text: "hi", replyTo: "20")) == .same)
    #expect(post("hi", replyTo: "20").likeness(to: PostDraft(text: "hi")) == .different)
    #expect(post("hi", isRetweet: true).likeness(to: PostDraft(text: "hi")) == .different)
    var draft = PostDraft(text: "look")
    draft.media = [.init(path: "/a", altText: nil)]
    draft.media[0].upload = MediaUpload(id: "9", key: "3_9", type: "image/png")
    let picture = [(Self.short, "https://x.com/jack/status/5/photo/1")]
    #expect(post("look \(Self.short)", links: picture, media: ["3_9"]).likeness(to: draft) == .same)
    #expect(post("look \(Self.short)", links: picture, media: ["3_8"]).likeness(to: draft) == .unclear)
  }

  /// A text of a stranger's choice is compared in bounded time.
  @Test func manyLinksInAWord() {
    let text = String(repeating: "https://t.co/a.", count: 2000)
    #expect(post(text).likeness(to: PostDraft(text: String(repeating: "a.b.", count: 2000))) != .same)
  }
}
