import TestSupport
import Testing
import TweetCore

@testable import tw_local

@Suite struct LocalQueryTests {
  private static let author = LocalAccount(
    id: 7, username: "Ann_1", name: "Ann", description: "", location: "", url: "", isVerified: false,
    createdAt: .init(milliseconds: 0), followers: 0, following: 0)

  private func matches(_ query: String, _ text: String, reply: Bool = false) throws -> Bool {
    let post = Post(
      id: 1, authorID: 7, text: text, createdAt: .init(milliseconds: 0), language: "en", source: "",
      conversationID: 5, replyTo: reply ? 5 : nil)
    let searchable = SearchablePost(
      post, author: Self.author, original: nil, retweetOf: nil, replyTo: reply ? "Bob" : nil, hasVideo: false,
      hasWords: true)
    return try QueryParser.parse(query, as: .search).matches(searchable)
  }

  @Test(arguments: [
    "big cat", "CAT", "\"the big\" -dog", "cat dog OR big", "(dog OR cat) big", "#Swift", "from:ann_1",
    "from:@ANN_1 lang:en",
    "@bob cat", "cat has:links", "url:example cat", "conversation_id:5", "-(dog OR mouse) cat", "don't", "猫", "🐈",
  ])
  func matches(query: String) throws {
    let text = "The big cat, don't ask @Bob #swift https://example.com/a 黒猫です 🐈"
    #expect(try matches(query, text))
  }

  @Test(arguments: [
    "dog", "\"big the\"", "#swif", "ca", "cat -#swift", "to:bob", "cat is:reply", "@bo", "cat has:media",
  ])
  func doesNotMatch(query: String) throws {
    #expect(try !matches(query, "The big cat, don't ask @Bob #swift"))
  }

  @Test func matchesReplies() throws {
    #expect(try matches("to:bob is:reply in_reply_to_tweet_id:5", "x", reply: true))
  }

  @Test(arguments: [
    ("", "'<EOF>' (at position 1)"), ("a OR", "(at position 5)"), ("(a", "missing ')' (at position 3)"),
    ("a)", "(at position 2)"), ("\"a", "closing quote (at position 1)"), ("a near:b", "operator 'near'"),
    ("is:happy a", "operator 'is:happy'"), ("is:retweet", "at least one positive"), ("-a", "at least one positive"),
    ("conversation_id:x", "invalid ID"), (String(repeating: "(", count: 500) + "a", "nested"),
    ("from:", "missing value"),
  ])
  func reportsFaults(query: String, reason: String) throws {
    let fault = #expect(throws: QueryParser.Fault.self) { try QueryParser.parse(query, as: .search) }
    #expect(fault?.message.contains(reason) == true, "\(fault?.message ?? "")")
  }
}
