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
