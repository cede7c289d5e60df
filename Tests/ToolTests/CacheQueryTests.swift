import Foundation
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import TweetStore

/// tw-cache list QUERY, --query and --host, tw-cache query, and the history of counts.
@Suite(.onOwnThread) struct CacheQueryTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func links(_ urls: String...) -> String {
    let list = urls.map { "{\"start\":0,\"end\":1,\"url\":\"https://t.co/1\",\"expanded_url\":\"\($0)\"}" }
    return ",\"entities\":{\"urls\":[\(list.joined(separator: ","))]}"
  }

  private func fill() throws {
    let retweet = ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"9\"}]"
    let picture = ",\"attachments\":{\"media\":[{\"type\":\"photo\"}]}"
    let input =
      tweet(1, second: 1, text: "tide tables here", likes: 5, tags: ["Sea"], more: ",\"lang\":\"en\"")
      + tweet(2, second: 2, text: "tables of the tide", author: "ann", likes: 50, more: retweet)
      + tweet(3, second: 3, text: "日本 re:invent", author: "ben", feeds: ["#swift"], more: ",\"lang\":\"de\"" + picture)
      + tweet(4, second: 4, text: "nothing", author: "ben", tags: ["sea"])
    #expect(try add(input).status == 0)
    #expect(try cache("label", "+later", "2", "3").status == 0)
  }

  /// A query finds what the options of the same names find.
  @Test func wordsOfOptions() throws {
    try fill()
    for (query, found) in [
      ("tide tables", ["2", "1"]), ("\"tide tables\"", ["1"]), ("  tide  ", ["2", "1"]), ("日本", ["3"]),
      ("author:ann", ["2"]), ("author:ann author:@ben", ["4", "3", "2"]), ("tag:sea", ["4", "1"]),
      ("tag:#sea author:ben", ["4"]), ("#sea", ["4", "1"]), ("lang:de", ["3"]), ("has:media", ["3"]),
      ("is:retweet", ["2"]), ("is:retweet is:original", ["4", "3", "2", "1"]), ("min-likes:6", ["2"]),
      ("min_likes:5 tide", ["2", "1"]), ("label:later", ["3", "2"]), ("mark:later MARK:later", ["3", "2"]),
      ("service:x lang:en", ["1"]), ("service:y", []), ("feed:swift", ["3"]), ("match:\"tide NOT here\"", ["2"]),
      ("since:2021-11-03T21:30:03Z", ["4", "3"]), ("until:\"2021-11-03T21:30:02Z\"", ["1"]), ("after:3", ["4"]),
      ("before:x:3 tide", ["2", "1"]), ("author:\"ann\"", ["2"]), ("\"re:invent\"", ["3"]),
    ] {
      #expect(try list(query) == found, "\(query)")
      #expect(try list("--oldest-first", query) == found.reversed(), "\(query)")
    }
    // As several words, and together with options, which are conditions of their own.
    #expect(try list("tide", "author:ann") == ["2"] && list("--author", "jack", "author:ann") == [])
    #expect(try list("--search", "tide", "tables -is:retweet") == ["1"])
    #expect(try cache("list", "--count", "tide").output == "2\n")
    #expect(try list("--limit", "1", "tide") == ["2"])
    #expect(try list("--sort", "likes", "--limit", "1", "is:original") == ["1"])
  }

  /// What is excluded is what the same words find, and nothing else.
  @Test func wordsThatAreExcluded() throws {
    try fill()
    let all = ["4", "3", "2", "1"]
    for query in [
      "tide", "\"tide tables\"", "author:ann", "author:nobody", "tag:sea", "#sea", "lang:de", "has:media", "is:retweet",
      "is:original", "min-likes:6", "label:later", "label:none", "service:x", "feed:swift", "match:\"tide NOT here\"",
    ] {
      let found = try list(query)
      #expect(try list("--", "-" + query) == all.filter { !found.contains($0) }, "\(query)")
    }
    #expect(try list("tables -here") == ["2"] && list("tag:sea -author:jack") == ["4"])
    #expect(try list("--", "-tide -lang:de") == ["4"] && list("--", "-author:ann -author:ben") == ["1"])
    // Without quotes of the shell, which `-h` in a word must not end.
    #expect(try list("tag:sea", "-author:ben") == ["1"] && list("-author:ben", "--limit", "1", "tide") == ["2"])
  }

  @Test(arguments: [
    ("athor:jack", "did you mean 'author:'?"), ("xyz:1", "since, until, after"), ("tag:", "'tag:' has no value"),
    ("lang:en lang:de", "given twice"), ("is:repl", "did you mean 'reply'?"), ("links:muzic", "did you mean 'music'?"),
    ("min-likes:0", "not a number above 0"), ("since:soon", "not a time"), ("-since:7d", "cannot be excluded"),
    ("\"open", "quote is not closed"), ("label:a,b", "label"), ("host:/", "not a host"), ("has:x", "not one of"),
    ("author:\"\"", "has no value"), (String(repeating: "a ", count: 6000), "at most 10000 bytes"),
  ])
  func wrongQueries(query: String, message: String) throws {
    _ = try add(tweet(1))
    for arguments in [["list", "--", query], ["query", "save", "a", "--", query]] {
      let result = try Tool.run("tw-cache", arguments, home: home)
      #expect(result.status == 64 && result.output == "" && result.errors.contains(message), "\(result.errors)")
    }
    #expect(try cache("query", "list").output == "")
  }

  @Test func queriesAreSaved() throws {
    try fill()
    #expect(try cache("query", "save", "sea", "tag:sea", "-author:ben", "--db", store).status == 0)
    #expect(try cache("query", "show", "sea").output == "tag:sea -author:ben\n")
    #expect(try cache("query", "save", "日本", "日本").status == 0)
    #expect(try list("--query", "sea") == ["1"] && list("--query", "日本", "--author", "ben") == ["3"])
    #expect(try list("--query", "sea", "tide -is:retweet") == ["1"] && list("--query", "sea", "--author", "ben") == [])
    let asked = try cache("query", "save", "sea", "--", "-tag:sea")
    #expect(
      asked.status == 64 && asked.errors.contains("replace query 'sea' (tag:sea -author:ben)? "), "\(asked.errors)")
    #expect(
      try cache("query", "save", "--dry-run", "sea", "--", "-tag:sea").output.hasPrefix("would replace query 'sea'"))
    #expect(try cache("query", "show", "sea").output == "tag:sea -author:ben\n")
    // The same query again is no change.
    #expect(try cache("query", "save", "sea", "tag:sea", "-author:ben").status == 0)
    #expect(try cache("query", "save", "--yes", "sea", "--", "-tag:sea").status == 0)
    #expect(try list("--query", "sea") == ["3", "2"])
    #expect(try cache("query", "list").output == "sea\t-tag:sea\n日本\t日本\n")
    #expect(try cache("query", "show", "sea").output == "-tag:sea\n")
    for arguments in [["list", "--query"], ["query", "show"], ["query", "remove"]] {
      let unknown = try Tool.run("tw-cache", arguments + ["se"], home: home)
      #expect(unknown.status == 66 && unknown.errors.contains("did you mean 'sea'?"))
      let strange = try Tool.run("tw-cache", arguments + ["nothing"], home: home)
      #expect(strange.status == 66 && !strange.errors.contains("did you mean"))
    }
    #expect(try cache("query", "save", "a b", "x").status == 64)
    // They are in exports, and a query that the store has stays.
    let export = try cache("export").output
    #expect(export.contains("{\"tw\":\"saved_query\",\"name\":\"sea\",\"query\":\"-tag:sea\"}"))
    #expect(try cache("query", "remove", "日本").status == 64)
    #expect(try cache("query", "remove", "--dry-run", "日本").output == "would remove query '日本' (日本)\n")
    #expect(try cache("query", "remove", "--yes", "日本").status == 0)
    #expect(try cache("query", "save", "--yes", "sea", "tag:sea").status == 0)
    #expect(try cache("import", stdin: export).status == 0)
    #expect(try cache("query", "list").output == "sea\ttag:sea\n日本\t日本\n")
    #expect(try cache("check", "--repair").status == 0)
    #expect(try cache("query", "list").output == "sea\ttag:sea\n日本\t日本\n" && cache("check").output == "")
  }

  /// Hosts, whatever stands around them in an address; also where a link ended when it was checked.
  @Test func hosts() throws {
    let input =
      tweet(1, second: 1, more: links("https://example.com/a"))
      + tweet(2, second: 2, more: links("https://www.Example.com:8080", "https://a.example.com/"))
      + tweet(3, second: 3, more: links("https://notexample.com/example.com"))
      + tweet(4, second: 4, more: links("https://evil.org/https://example.com/", "https://evil.org?@example.com"))
      + tweet(5, second: 5, more: links("https://user:p@music.example.com?x"))
      + tweet(6, second: 6, more: links("https://short.ly/1")) + tweet(7, second: 7, text: "no link")
    #expect(try add(input).status == 0)
    #expect(try list("--host", "example.com") == ["5", "2", "1"] && list("host:Example.COM.") == ["5", "2", "1"])
    #expect(try list("--host", "https://www.example.com/x") == ["2"] && list("--host", "com") == ["5", "3", "2", "1"])
    #expect(try list("--host", "evil.org", "--host", "music.example.com") == ["5", "4"])
    #expect(try list("host:example.com -host:www.example.com") == ["5", "1"] && list("--host", "none.org") == [])
    #expect(try list("--host", "example.com", "--limit", "1", "--oldest-first") == ["1"])
    #expect(try cache("list", "--count", "--host", "example.com").output == "3\n")
    let media = try MediaStore(Paths.mediaStore(besides: store), note: { _ in })
    try media.store([
      StoredLink(
        url: "https://short.ly/1", unwoundURL: "https://music.example.com/1", verdict: "moved",
        checkedAt: Timestamp(milliseconds: 1_635_975_000_000))
    ])
    #expect(try list("--host", "example.com") == ["6", "5", "2", "1"] && list("--host", "short.ly") == ["6"])
    for host in ["", " ", "a b", "/x"] { #expect(try cache("list", "--host", host).status == 64, "\(host)") }
  }

  /// A page of a list is read again and again: the tweets of a host stay the same, and no transaction is open.
  @Test func hostsOfManyPages() throws {
    let text = String(repeating: "word ", count: 200)
    let input = (1...2000).map { number in
      tweet(number, second: number, text: text, more: links("https://h\(number % 2).example.com/\(number)"))
    }
    #expect(try add(input.joined()).status == 0)
    #expect(try list("--host", "h1.example.com") == (1...2000).reversed().filter { $0 % 2 == 1 }.map(String.init))
  }

  /// Earlier counts stay, at most one an hour; they follow the tweet.
  @Test func countsOverTime() throws {
    func counts(_ likes: Int, _ time: String) -> String {
      let metrics = "{\"retweet_count\":10,\"reply_count\":20,\"quote_count\":30,\"like_count\":\(likes)}"
      return tweet(1, more: ",\"public_metrics\":\(metrics),\"retrieved_at\":\"2021-11-0\(time):00.000Z\"")
    }
    let input = [
      counts(1, "4T00:00"), counts(2, "4T00:10"), counts(3, "4T01:30"), counts(3, "4T03:00"), counts(7, "5T00:00"),
    ]
    for record in input { #expect(try add(record).status == 0) }
    let history = try cache("show", "--counts", "1")
    #expect(
      history.lines == [
        "2021-11-04T00:00:00.000Z\t1\t10\t20\t30", "2021-11-04T03:00:00.000Z\t3\t10\t20\t30",
        "2021-11-05T00:00:00.000Z\t7\t10\t20\t30",
      ])
    // An older version that comes late is a part of the history.
    #expect(try add(counts(2, "4T02:00")).status == 0)
    #expect(try cache("show", "--counts", "x:1").lines.count == 4)
    let export = try cache("export").output
    #expect(try cache("import", "--db", "copy.db", stdin: export).status == 0)
    #expect(try cache("show", "--counts", "--db", "copy.db", "1").lines.count == 4)
    #expect(try cache("export", "--db", "copy.db").output == export)
    #expect(try cache("show", "--counts", "2").status == 66)
    #expect(try cache("show", "--counts", "--versions", "1").status == 64)
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n")
    try checkStore()
    #expect(try cache("check").output == "")
  }
}
