import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// The full-text index: what does not matter to a search, and what other programs do with it.
@Suite(.onOwnThread) struct CacheSearchTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func sql(_ script: String) throws -> String {
    try home.write("script.sql", script)
    let result = try Tool.shell("sqlite3 '\(store)' < script.sql", home: home)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.output
  }

  /// Marks that do not matter, in texts and in queries of both languages.
  @Test func marks() throws {
    let texts = ["Ο λόγος", "ο λογοσ", "Ὁ ΛΌΓΟΣ", "ο λο\u{301}γος", "ещё", "ЕЩЕ", "мой", "мои", "café", "CAFE"]
    _ = try add(texts.enumerated().map { tweet($0.offset, second: $0.offset, text: $0.element) }.joined())
    let found = [
      "λόγος": ["3", "2", "1", "0"], "ΛΟΓΟΣ": ["3", "2", "1", "0"], "ὁ": ["3", "2", "1", "0"], "еще": ["5", "4"],
      "Ещё": ["5", "4"], "мой": ["6"], "мои": ["7"], "cafe": ["9", "8"],
    ]
    for (word, ids) in found {
      #expect(try list("--search", word) == ids, "\(word)")
      #expect(try list("--match", word) == ids, "\(word)")
    }
    #expect(try list("--match", "λό* NOT ε*") == ["3", "2", "1", "0"])
  }

  /// FTS5 makes its index again from what the store has, also of tweets that were changed meanwhile, and nothing is
  /// lost.
  @Test func anIndexThatOthersMakeAgain() throws {
    let texts = ["東京 tower", "plain", "🎉🎉 party", "λόγος", "ｗｉｄｅ", "كِتَاب"]
    _ = try add(texts.enumerated().map { tweet($0.offset, second: $0.offset, text: $0.element, read: 1) }.joined())
    // To another form, to the same form, and to one that is the text itself.
    _ = try add(
      tweet(1, second: 1, text: "大阪", read: 2) + tweet(3, second: 3, text: "λογός", read: 2)
        + tweet(4, second: 4, text: "narrow", read: 2))
    let found = ["東京": ["0"], "大阪": ["1"], "🎉": ["2"], "λογος": ["3"], "narrow": ["4"], "كتاب": ["5"], "plain": []]
    func look() throws {
      for (word, ids) in found { #expect(try list("--search", word) == ids, "\(word)") }
      #expect(try cache("check").output == "")
      #expect(try sql("INSERT INTO tweet_search (tweet_search, rank) VALUES ('integrity-check', 1);") == "")
    }
    try look()
    #expect(try sql("INSERT INTO tweet_search (tweet_search) VALUES ('rebuild');") == "")
    try look()
    // An index that is empty is told, and can be made again.
    #expect(try sql("INSERT INTO tweet_search (tweet_search) VALUES ('delete-all');") == "")
    #expect(try list("--search", "東京") == [])
    #expect(try cache("check").output == "the full-text index does not agree with the texts\n")
    #expect(try sql("INSERT INTO tweet_search (tweet_search) VALUES ('rebuild');") == "")
    try look()
    // What is indexed must be what follows from the text.
    _ = try sql(
      "UPDATE tweets SET indexed = NULL WHERE id = '0'; INSERT INTO tweet_search (tweet_search) VALUES ('rebuild');")
    #expect(try cache("check").output == "tweet 'x:0' is damaged\n")
  }

  /// What else a reader sees is found too, after tweets that have the words themselves, and can be asked for alone.
  @Test func whatAReaderSawIsFound() throws {
    func inner(_ type: String, _ more: String) -> String {
      #","referenced_tweets":[{"type":"\#(type)","id":"90"\#(more)}]"#
    }
    func media(_ alt: String) -> String { #","attachments":{"media":[{"type":"photo","alt_text":"\#(alt)"}]}"# }
    let quoted = #","text":"the kettle boils","author":{"id":"9","username":"eve"}"#
    let tweets = [
      tweet(1, second: 1, text: "my kettle"),
      tweet(2, second: 2, text: "this", more: inner("quoted", quoted)),
      tweet(3, second: 3, text: "that", more: media("a red kettle")),
      tweet(
        4, second: 4, text: "a poll",
        more: #","attachments":{"poll":{"options":[{"label":"Kettle"},{"label":"pan"}]}}"#),
      tweet(5, second: 5, text: "covered", more: #","extra":{"spoiler_text":"kettles; a kettle"}"#),
      tweet(
        6, second: 6, text: "a page",
        more: #","extra":{"card":{"url":"https://a.example/","title":"Kettle shop"}}"#),
      tweet(
        7, second: 7, text: "a link",
        more: #","entities":{"urls":[{"start":0,"end":1,"url":"https://b.example/","title":"More on the kettle"}]}"#),
      // A retweet has what it shows of the tweet that it retweets.
      tweet(
        8, second: 8, text: "RT @eve: this",
        more: inner("retweeted", #","text":"this""# + media("kettle 東京") + inner("quoted", quoted))),
      tweet(9, second: 9, text: "hidden", more: inner("quoted", quoted) + #","extra":{"quote":{"state":"rejected"}}"#),
      tweet(10, second: 10, text: "the kettle of 10"),
    ]
    _ = try add(tweets.joined())
    func look() throws {
      #expect(try list("--search", "kettle") == ["10", "1", "8", "7", "6", "5", "4", "3", "2"])
      #expect(try list("--search", "kettle", "--limit", "4") == ["10", "1", "8", "7"])
      #expect(try list("--search", "kettle", "--limit", "2") == ["10", "1"])
      #expect(try list("--search", "kettle", "--oldest-first") == ["1", "2", "3", "4", "5", "6", "7", "8", "10"])
      #expect(try list("kettle -of") == ["1", "8", "7", "6", "5", "4", "3", "2"])
      #expect(try list("boils OR my") == ["1", "8", "2"])
      for narrowed in [["--search", "kettle in:text"], ["in:text kettle"]] {
        #expect(try Tool.run("tw-cache", ["list"] + narrowed, home: home).lines.count == 2, "\(narrowed)")
      }
      #expect(try list("--search", "in:quote kettle") == ["8", "2"])
      #expect(try list("--search", "kettle in:alt") == ["8", "3"])
      #expect(try list("--search", "東京 in:alt") == ["8"])
      #expect(try list("--search", "kettle in:more") == ["7", "6", "5", "4"])
      #expect(try list("kettle -(kettle in:alt)", "--oldest-first") == ["1", "2", "4", "5", "6", "7", "10"])
      #expect(try sql("SELECT count(*) FROM tweet_search WHERE tweet_search MATCH 'kettle';") == "9\n")
      let ranked = try sql(
        "SELECT t.id FROM tweet_search s JOIN tweets t ON t.key = s.rowid "
          + "WHERE tweet_search MATCH 'kettle' ORDER BY rank LIMIT 2;")
      #expect(Set(ranked.split(separator: "\n")) == ["1", "10"])
      #expect(try cache("check").output == "")
      try checkStore()
    }
    try look()
    #expect(try sql("INSERT INTO tweet_search (tweet_search) VALUES ('rebuild');") == "")
    try look()
    // An address, and a place that is none, are words; a place without words is an error.
    #expect(try list("--search", "in:space") == [])
    for wrong in [["--search", "in:alt"], ["in:alt"], ["kettle in:space"], ["kettle in:alt in:text"]] {
      #expect(try Tool.run("tw-cache", ["list"] + wrong, home: home).status == 64, "\(wrong)")
    }
    // What is taken out of a tweet is found no more: a quoted tweet that was deleted, a description that was changed.
    _ = try add(
      #"{"tw":"delete","service":"x","id":"90"}"# + "\n"
        + tweet(3, second: 3, text: "that", read: 9, more: media("a pan")))
    #expect(try list("--search", "boils") == [])
    #expect(try list("--search", "kettle in:alt") == [] && list("--search", "pan in:alt") == ["3"])
    #expect(try cache("check").output == "")
    try checkStore()
  }

  /// The examples of tw-db(5), as they stand there.
  @Test func examplesOfThePage() throws {
    _ = try add(
      tweet(1, second: 1, text: "swift 東京", likes: 3) + tweet(2, second: 2, text: "東の京")
        + tweet(3, second: 3, text: "京東"))
    let page = try Package.text("man/tw-db.5")
    let examples = try #require(page.range(of: ".Sh EXAMPLES\n")).upperBound
    var commands: [String] = []
    for match in page[examples...].matches(of: /\n\.Dl (sqlite3 .*)|\n\.Bd -literal\n((?:[^.].*\n)+)\.Ed/) {
      commands.append(
        String(match.1 ?? match.2 ?? "").replacing(/\\\[u([0-9A-F]+)\]/) { escape in
          UInt32(escape.1, radix: 16).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
        })
    }
    let outputs = try commands.map { command in
      let result = try Tool.shell(command, home: home)
      #expect(result.status == 0 && result.errors == "", "\(command): \(result.errors)")
      return result.output
    }
    #expect(outputs == ["2021-11-03|3|1\n", "jack|3\n", "swift 東京\n"])
  }
}
