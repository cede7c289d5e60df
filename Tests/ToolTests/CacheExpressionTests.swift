import TestNumbers
import TestSupport
import Testing
import TweetCore

/// OR, parentheses and negation in queries, against a simple evaluator.
@Suite(.onOwnThread) struct CacheExpressionTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// A query whose tweets are known without a database.
  private indirect enum Expression {
    case word(String)
    case phrase(String, String)
    case tag(String)
    case author(String)
    case likes(Int)
    case not(Expression)
    case all([Expression])
    case any([Expression])

    static let words = ["tide", "low", "fig", "plum"]
    static let authors = ["ann", "ben", "cleo"]

    /// - Parameter hasFields: whether names with values may be in it.
    static func random(_ chance: inout Chance, depth: Int, hasFields: Bool) -> Expression {
      func next(_ chance: inout Chance) -> Expression { random(&chance, depth: depth - 1, hasFields: hasFields) }
      let kinds = hasFields ? 6 : 4
      switch Int.random(in: 0..<(depth > 0 ? kinds + 5 : kinds), using: &chance) {
      case 0, 1: return .word(words.randomElement(using: &chance) ?? "")
      case 2:
        return .phrase(words.randomElement(using: &chance) ?? "", words.randomElement(using: &chance) ?? "")
      case 3: return .tag(["sea", "sky"].randomElement(using: &chance) ?? "")
      case 4 where hasFields: return .author(authors.randomElement(using: &chance) ?? "")
      case 5 where hasFields: return .likes(Int.random(in: 1...4, using: &chance))
      case kinds: return .not(next(&chance))
      case kinds + 1, kinds + 2: return .all((0..<Int.random(in: 2...3, using: &chance)).map { _ in next(&chance) })
      default: return .any((0..<Int.random(in: 2...3, using: &chance)).map { _ in next(&chance) })
      }
    }

    /// How it is written, with no more parentheses than it needs.
    func text(isInAll: Bool = false) -> String {
      switch self {
      case .word(let word): return word
      case .phrase(let one, let other): return "\"\(one) \(other)\""
      case .tag(let tag): return "#\(tag)"
      case .author(let name): return "author:\(name)"
      case .likes(let count): return "min-likes:\(count)"
      case .not(let inner):
        switch inner {
        case .all, .any, .not: return "-(\(inner.text()))"
        default: return "-" + inner.text()
        }
      case .all(let parts): return parts.map { $0.text(isInAll: true) }.joined(separator: " ")
      case .any(let parts):
        let text = parts.map { $0.text() }.joined(separator: " OR ")
        return isInAll ? "(\(text))" : text
      }
    }

    func matches(_ tweet: Sample) -> Bool {
      switch self {
      case .word(let word): tweet.words.contains(word)
      case .phrase(let one, let other): zip(tweet.words, tweet.words.dropFirst()).contains { $0 == (one, other) }
      case .tag(let tag): tweet.tags.contains(tag)
      case .author(let name): tweet.author == name
      case .likes(let count): tweet.likes.map { $0 >= count } ?? false
      case .not(let inner): !inner.matches(tweet)
      case .all(let parts): parts.allSatisfy { $0.matches(tweet) }
      case .any(let parts): parts.contains { $0.matches(tweet) }
      }
    }

    /// Several authors side by side are any of them, in queries as in options.
    var hasSeveralAuthors: Bool {
      switch self {
      case .all(let parts):
        parts.count { if case .author = $0 { true } else { false } } > 1
          || parts.contains { if case .all = $0 { true } else { $0.hasSeveralAuthors } } || repeatsLikes(parts)
      case .any(let parts): parts.contains(where: \.hasSeveralAuthors)
      case .not(let inner): inner.hasSeveralAuthors
      default: false
      }
    }

    /// A name that an option takes once is an error twice.
    private func repeatsLikes(_ parts: [Expression]) -> Bool {
      parts.count { if case .likes = $0 { true } else { false } } > 1
    }
  }

  private struct Sample {
    var words: [String]
    var tags: [String]
    var author: String
    var likes: Int?
  }

  @Test func randomQueriesFindWhatASimpleEvaluatorFinds() throws {
    var chance = Chance()
    let samples = (0..<60).map { _ in
      Sample(
        words: (0..<Int.random(in: 0...4, using: &chance)).map { _ in
          Expression.words.randomElement(using: &chance) ?? ""
        },
        tags: ["sea", "sky"].filter { _ in Int.random(in: 0..<3, using: &chance) == 0 },
        author: Expression.authors.randomElement(using: &chance) ?? "",
        likes: Int.random(in: 0..<4, using: &chance) == 0 ? nil : Int.random(in: 0...5, using: &chance))
    }
    let records = samples.enumerated().map { number, sample in
      tweet(
        number, second: number, text: (sample.words + ["end"]).joined(separator: " "), author: sample.author,
        likes: sample.likes, tags: sample.tags)
    }
    #expect(try add(records.joined()).status == 0)
    for round in 0..<300 {
      let hasFields = round % 2 == 0
      let expression = Expression.random(&chance, depth: 4, hasFields: hasFields)
      if expression.hasSeveralAuthors { continue }
      let text = expression.text()
      let expected = samples.indices.reversed().filter { expression.matches(samples[$0]) }.map(String.init)
      let found = try hasFields ? list("--", text) : list("--search", text)
      #expect(found == expected, "\(text)")
      if round % 10 == 0 {
        #expect(
          try list("--oldest-first", "--limit", "3", "--", text) == Array(expected.reversed().prefix(3)), "\(text)")
        #expect(try cache("list", "--count", "--", text).output == "\(expected.count)\n", "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("tide OR", "at character 6, 'OR': nothing follows 'OR'"),
    ("OR tide", "character 1, 'OR tide': nothing stands before"),
    ("tide OR OR low", "character 9"), ("(tide", "at character 1, '(tide': nothing closes '('"),
    ("tide) low", "at character 5, ') low': ')' closes nothing"), ("()", "nothing is in the parentheses"),
    ("tide AND", "nothing follows 'AND'"), ("a \"tide", "at character 3, '\"tide': a quote is not closed"),
    (String(repeating: "(", count: 40) + "a", "more than 24 groups"),
    (String(repeating: "w ", count: 501), "it has more than 500 words"), ("-(tide", "at character 2"),
  ])
  func errorsSayWhere(query: String, message: String) throws {
    _ = try add(tweet(1))
    for arguments in [["list", "--search", query], ["list", "--", query], ["query", "save", "a", "--", query]] {
      let result = try Tool.run("tw-cache", arguments, home: home)
      #expect(result.status == 64 && result.output == "")
      // A message repeats a value, up to its own length.
      if arguments[1] == "--search", query.count > 100 { continue }
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  /// The largest queries that are taken do not reach SQLite's limits.
  @Test func largestQueries() throws {
    _ = try add(tweet(1, text: "fig"))
    for word in ["w", "-w", "#w", "-#w", "author:w", "-min-likes:"] {
      for separator in [" ", " OR "] {
        if separator == " ", word == "author:w" { continue }
        let query = (1...500).map { word + String($0) }.joined(separator: separator)
        let result = try cache("list", "--quiet", "--", query)
        #expect(result.status == 0 && result.errors == "", "\(word)\(separator): \(result.errors)")
      }
    }
    let deep = (0..<24).reduce("fig") { $1 % 2 == 0 ? "a OR (\($0))" : "-b (\($0))" }
    #expect(try list("--", deep) == ["1"])
  }

  /// Whatever stands in a search is text, and not the language of the index or of SQL.
  @Test func hostileSearchesAreText() throws {
    _ = try add(tweet(1, text: "near the text") + tweet(2, second: 1, text: "f(x) :) 5 \\\" wide"))
    for query in [
      "text:near", "near*", "NEAR(near text)", "{text} : near", "^near", "near + the", "near NOT the", "';--", "near'",
      "\u{0} near", "near\"", "a\"b\"c", "\\\"", "%", "?1", "near:the", "-- near", "\" OR near OR \"",
    ] {
      let result = try cache("list", "--search=\(query)")
      #expect([0, 64].contains(result.status) && !result.errors.contains("fts5"), "\(query): \(result.errors)")
    }
    #expect(try list("--search", "near NOT the") == [] && list("--search", "near*") == ["1"])
    #expect(try list("--search", "f(x)") == ["2"] && list("--search", "wide :)") == ["2"])
    #expect(try list("--search", "(near OR wide)") == ["2", "1"] && list("--search", "-near") == ["2"])
    #expect(try cache("list", "--search", "--limit", "3").status == 64)
  }

  /// Tweets that wait before they come to their tables are found by the same queries.
  @Test func waitingTweetsAreFound() throws {
    let records = [tweet(1, text: "tide low"), tweet(2, second: 1, text: "fig", author: "ann"), tweet(3, second: 2)]
    _ = try add(records[0])
    let live = try RunningTool("tw-cache", ["add"], home: home)
    for record in records[1...] {
      live.send(ToolInput(record))
      #expect(try live.line().map { $0 + "\n" } == record)
    }
    #expect(try list() == ["3", "2", "1"])
    #expect(try list("tide OR author:ann") == ["2", "1"] && list("--search", "low OR fig") == ["2", "1"])
    #expect(try list("--", "-(tide OR author:ann)") == ["3"])
    live.closeInput()
    #expect(try live.finish().status == 0)
    #expect(try list("tide OR author:ann") == ["2", "1"])
  }

  /// What signed-in accounts did with tweets, and the kinds of their media.
  @Test func marksAndMedia() throws {
    func media(_ types: String...) -> String {
      ",\"attachments\":{\"media\":[\(types.map { "{\"type\":\"\($0)\"}" }.joined(separator: ","))]}"
    }
    let input =
      tweet(1, second: 1, likes: 3, more: media("photo"))
      + tweet(2, second: 2, likes: 9, more: media("photo", "video"))
      + tweet(3, second: 3, more: media("animated_gif") + ",\"viewer\":{\"account\":\"a\",\"liked\":true}")
      + tweet(4, second: 4, more: ",\"attachments\":{\"media_keys\":[\"3_1\"]},\"viewer\":{\"liked\":false}")
      + tweet(5, second: 5, likes: 0, more: ",\"viewer\":{\"account\":\"a\",\"bookmarked\":true}")
    #expect(try add(input).status == 0)
    #expect(try list("has:photo") == ["2", "1"] && list("--has", "video") == ["3", "2"])
    #expect(try list("has:photo has:video") == ["2"] && list("has:media") == ["4", "3", "2", "1"])
    #expect(
      try list("is:liked") == ["3"] && list("--is", "bookmarked") == ["5"] && list("is:liked is:bookmarked") == [])
    #expect(try list("is:liked OR is:bookmarked") == ["5", "3"] && list("is:original is:liked") == ["3"])
    #expect(try list("max-likes:3") == ["5", "1"] && list("--max-likes", "0") == ["5"])
    #expect(try list("min-likes:1 max-likes:5") == ["1"])
    // Another account's state comes beside the first one's.
    let other = ",\"viewer\":{\"account\":\"b\",\"liked\":true,\"bookmarked\":true}"
    #expect(try add(tweet(3, second: 3, read: 9, more: other) + tweet(5, second: 5, read: 9, more: other)).status == 0)
    #expect(try list("is:liked is:bookmarked") == ["5", "3"])
    let unliked = ",\"viewer\":{\"account\":\"a\",\"liked\":false},\"viewers\":[{\"account\":\"b\",\"liked\":false}]"
    #expect(try add(tweet(3, second: 3, read: 10, more: unliked)).status == 0)
    #expect(try list("is:liked") == ["5"])
    #expect(try cache("check").output == "")
  }
}
