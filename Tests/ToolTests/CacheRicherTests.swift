import Foundation
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// A file of `Shapes`: one post as services and files send it in several shapes, some of which say more than others.
/// The first line names the post, each other line is a shape: its name and its documents, in the order in which
/// tw-parse reads them.
struct PostShapes: CustomTestStringConvertible, Sendable {
  let name: String
  var testDescription: String { name }

  static let all = [
    "x-quote", "x-retweet", "x-reply", "mastodon-status", "mastodon-boost", "bluesky-post",
  ].map { PostShapes(name: $0) }

  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Shapes/"

  struct Post {
    var service: String
    var id: String
    /// The whole text, and those of the posts inside it.
    var texts: [String]
    /// Names, and lines of JSON.
    var shapes: [(name: String, documents: String)]
  }

  func post() throws -> Post {
    let text = try String(contentsOfFile: Self.directory + name + ".jsonl", encoding: .utf8)
    let lines = try JSONObject.list(text.split(separator: "\n").map(String.init))
    let shapes = try lines.dropFirst().map { line in
      let documents = try #require(line["documents"] as? [[String: Any]]).map { document in
        String(decoding: try JSONSerialization.data(withJSONObject: document, options: .sortedKeys), as: UTF8.self)
          + "\n"
      }
      return (try #require(line["shape"] as? String), documents.joined())
    }
    return Post(
      service: try #require(lines[0]["service"] as? String), id: try #require(lines[0]["id"] as? String),
      texts: try #require(lines[0]["texts"] as? [String]), shapes: Array(shapes))
  }
}

/// A version that says less takes nothing away from what the store has, whichever of the two is newer, and whichever
/// comes first.
@Suite(.onOwnThread) struct CacheRicherTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private struct Pair {
    /// The id that this pair has in place of the post's.
    var id: String
    var older: Int
    var newer: Int
  }

  /// Each two shapes of a post become a post of their own, with an id of its own.
  private func pairs(_ post: PostShapes.Post) -> [Pair] {
    var pairs: [Pair] = []
    for older in post.shapes.indices {
      for newer in post.shapes.indices where newer != older {
        pairs.append(Pair(id: post.id.dropLast(2) + String(format: "%02d", pairs.count), older: older, newer: newer))
      }
    }
    return pairs
  }

  /// The records that tw-parse makes of documents, read at a time.
  private func records(_ post: PostShapes.Post, _ pairs: [Pair], _ shape: KeyPath<Pair, Int>, at time: String) throws
    -> String
  {
    var input = ""
    // An archive's marks are its owner's.
    let account = post.service == "x" ? "mia_k" : "me"
    for pair in pairs {
      input +=
        #"{"tw":"context","feed":"home","service":"\#(post.service)","account":"\#(account)","at":"\#(time)"}"# + "\n"
      input += post.shapes[pair[keyPath: shape]].documents.replacing(post.id, with: pair.id)
    }
    let result = try Tool.run("tw-parse", stdin: ToolInput(input), home: home)
    #expect(result.errors == "" && result.status == 0)
    return result.lines.filter { $0.hasPrefix(#"{"tw":"tweet""#) }.map { $0 + "\n" }.joined()
  }

  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

  @Test(arguments: PostShapes.all, [false, true])
  func aVersionThatSaysLessTakesNothingAway(_ shapes: PostShapes, newerComesFirst: Bool) throws {
    let post = try shapes.post()
    let pairs = pairs(post)
    let older = try records(post, pairs, \.older, at: "2024-03-01T00:00:00.000Z")
    let newer = try records(post, pairs, \.newer, at: "2024-03-02T00:00:00.000Z")
    for records in newerComesFirst ? [newer, older] : [older, newer] {
      #expect(try add(records).status == 0)
    }
    let merged = try JSONObject.list(try cache("list", "--all", "--all-copies", "--oldest-first").lines)
    try #require(merged.count == pairs.count)
    let (olds, news) = (try JSONObject.list(lines(older)), try JSONObject.list(lines(newer)))
    try #require(olds.count == pairs.count && news.count == pairs.count)
    for ((pair, old), new) in zip(zip(pairs, olds), news) {
      let record = try #require(merged.first { $0["id"] as? String == old["id"] as? String })
      var comparison = RecordComparison(texts: post.texts)
      comparison.compare(record, older: old, newer: new, at: "")
      #expect(
        comparison.faults == [], "\(post.shapes[pair.older].name), then \(post.shapes[pair.newer].name)")
      try JSONObject.checkOffsets(of: record)
    }
    // None of them is an edit.
    let database = try Database(store, TweetStore.kind, .readOnly)
    let edits = try database.first("SELECT count(*) FROM tweet_versions") { row in row.integer(0) }
    #expect(edits == 0)
    try checkStore()
  }

  private func stored(_ id: Int) throws -> [String: Any] {
    try #require(try JSONObject.list(try cache("list", "--all").lines).first { $0["id"] as? String == "\(id)" })
  }

  /// What is found by a part of a record is found after a poorer version too.
  @Test func whatIsFoundStaysFound() throws {
    let text = "RT @ann: the ferry is run by the service which sells the tickets #ferry https://t.co/f"
    let inner =
      ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"7\",\"text\":\"\(text.dropFirst(9))\","
      + "\"author\":{\"id\":\"u\",\"username\":\"ann\"}}]"
    let links =
      ",\"entities\":{\"hashtags\":[{\"start\":65,\"end\":71,\"tag\":\"ferry\"}],\"urls\":[{\"start\":72,\"end\":86,"
      + "\"url\":\"https://t.co/f\",\"expanded_url\":\"https://ferry.example/times\"}]}"
    let rich = tweet(1, text: text, likes: 1, read: 10, more: links + inner)
    let poor = tweet(
      1, text: "RT @ann: the ferry is run by the service wh\u{2026}", likes: 2, read: 20,
      more: ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"7\"}]")
    for records in [[rich, poor], [poor, rich]] {
      for record in records { _ = try add(record) }
      #expect(try list("--search", "tickets") == ["1"])
      #expect(try list("--tag", "ferry") == ["1"] && list("--host", "ferry.example") == ["1"])
      #expect(try cache("show", "--versions", "1").lines.count == 1)
      #expect(try stored(1)["text"] as? String == text)
      try checkStore()
      try FileManager.default.removeItem(atPath: store)
    }
  }

  /// What a text had goes with it; the earlier version has it still. Both orders give the same.
  @Test func anEditTakesAway() throws {
    func media(_ key: String) -> String {
      ",\"attachments\":{\"media_keys\":[\"\(key)\"],\"media\":[{\"media_key\":\"\(key)\",\"alt_text\":\"\(key)\"}]}"
    }
    let first = tweet(1, text: "one #a", likes: 1, read: 10, tags: ["a"], more: media("m1"))
    let second = tweet(1, text: "two", likes: 2, read: 20, more: media("m2"))
    // The text stays, the picture goes.
    let third = tweet(1, text: "two", likes: 3, read: 40, more: ",\"extra\":{\"edited_at\":\"\(time(30))\"}")
    for records in [[first, second, third], [third, second, first], [second, third, first]] {
      for record in records { _ = try add(record) }
      #expect(try list("--tag", "a") == [] && list("--has", "media") == [])
      let versions = try JSONObject.list(try cache("show", "--versions", "1").lines)
      #expect(versions.map { $0["text"] as? String } == ["one #a", "two", "two"])
      let media = versions.map { ($0["attachments"] as? [String: Any])?["media_keys"] as? [String] }
      #expect(media == [["m1"], ["m2"], nil])
      try checkStore()
      try FileManager.default.removeItem(atPath: store)
    }
  }

  /// What was deleted inside another tweet does not come back with an older or a richer version of that one.
  @Test func whatWasDeletedStaysAway() throws {
    func quote(_ read: Int, _ more: String) -> String {
      tweet(2, author: "bob", read: read, more: ",\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"1\"\(more)}]")
    }
    let copy = ",\"text\":\"secret\",\"author\":{\"id\":\"ujack\"}"
    _ = try add(quote(10, copy))
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"1\"}\n")
    for read in [5, 20] {
      _ = try add(quote(read, copy))
      _ = try add(quote(read, ""))
      #expect(!(try cache("list").output.contains("secret")))
    }
    try checkStore()
  }

  /// The members of a check of a link belong together, and so do those of a picture. The later ones count, and a record
  /// that was not looked up takes neither away.
  @Test func whatWasLookedUpStays() throws {
    func record(_ read: Int, link: String, avatar: String) -> String {
      let url = "{\"start\":0,\"end\":5,\"url\":\"https://t.co/a\"\(link)}"
      return "{\"tw\":\"tweet\",\"id\":\"1\",\"service\":\"x\",\"text\":\"hello\",\"author\":{\"id\":\"5\"\(avatar)},"
        + "\"entities\":{\"urls\":[\(url)]},\"retrieved_at\":\"\(time(read))\"}\n"
    }
    let good =
      ",\"unwound_url\":\"https://a.example/\",\"status\":200,\"verdict\":\"ok\",\"checked_at\":\"\(time(100))\""
    let bad = ",\"verdict\":\"error\",\"checked_at\":\"\(time(50))\",\"error\":\"timeout\""
    let picture = ",\"avatar\":{\"key\":\"k\",\"type\":\"image/png\"}"
    let failure = ",\"avatar\":{\"error\":\"http 404\"}"
    let best = record(30, link: good, avatar: picture)
    _ = try add(record(20, link: good, avatar: picture))
    _ = try add(record(25, link: "", avatar: ""))
    _ = try add(record(30, link: bad, avatar: failure))
    #expect(try cache("list").output == best)
    #expect(try cache("users").output.contains(picture.dropFirst()))
  }

  /// A profile says less in some answers: what a fuller one said stays, in the tweet and among the users.
  @Test func aProfileThatSaysLess() throws {
    func author(_ more: String, _ read: Int, _ id: Int) -> String {
      "{\"tw\":\"tweet\",\"id\":\"\(id)\",\"service\":\"x\",\"text\":\"hello\",\"author\":{\"id\":\"5\",\"username\":\"ann\"\(more)},"
        + "\"retrieved_at\":\"\(time(read))\"}\n"
    }
    let rich = ",\"description\":\"bakes\",\"extra\":{\"banner\":\"b\",\"deep\":{\"one\":1,\"two\":2}}"
    let poor = ",\"location\":\"Lund\",\"extra\":{\"deep\":{\"one\":3}}"
    let both = [
      "\"description\":\"bakes\"", "\"location\":\"Lund\"", "\"banner\":\"b\"", "\"deep\":{\"one\":3,\"two\":2}",
    ]
    // The last two have the same members, but for those of an object in them.
    let last = ",\"description\":\"bakes\",\"extra\":{\"deep\":{\"one\":3}}"
    _ = try add(author(rich, 10, 1) + author(poor, 20, 1))
    _ = try add(
      author(rich, 30, 2).replacing("\"5\"", with: "\"6\"") + author(last, 40, 3).replacing("\"5\"", with: "\"6\""))
    let other = try cache("users").lines.last ?? ""
    #expect(other.contains("\"id\":\"6\"") && other.contains("\"banner\":\"b\",\"deep\":{\"one\":3,\"two\":2}"))
    let users = try cache("users").output
    let tweet = try cache("show", "1").output
    for member in both { #expect(users.contains(member) && tweet.contains(member), "\(member)") }
  }
}

/// Compares a merged record with the two versions of it, value by value.
private struct RecordComparison {
  /// Texts that are whole.
  let texts: [String]
  private(set) var faults: [String] = []

  init(texts: [String]) { self.texts = texts }

  mutating func compare(_ merged: Any?, older: Any?, newer: Any?, at path: String) {
    if older == nil && newer == nil { return }
    guard let merged else { return faults.append("\(path) is lost") }
    if let merged = merged as? [String: Any] {
      compare(members: merged, older as? [String: Any], newer as? [String: Any], at: path)
    } else if let merged = merged as? [Any] {
      let lists = [merged, older, newer].map { Self.elements($0 as? [Any] ?? [], path) }
      for key in Set(lists[1].keys).union(lists[2].keys).sorted() {
        compare(lists[0][key], older: lists[1][key], newer: lists[2][key], at: "\(path)[\(key)]")
      }
    } else if !JSONObject.areEqual(merged, newer ?? older) {
      faults.append("\(path) is \(merged)")
    }
  }

  private mutating func compare(
    members merged: [String: Any], _ older: [String: Any]?, _ newer: [String: Any]?, at path: String
  ) {
    var (older, newer) = (older ?? [:], newer ?? [:])
    if let text = merged["text"] as? String {
      let given = [older, newer].compactMap { $0["text"] as? String }
      if given.contains(where: texts.contains), !texts.contains(text) { faults.append("\(path) has '\(text)'") }
      // The other form of the text, and the offsets in it, are not kept.
      for key in ["text", "entities", "display_text_range"] {
        if older["text"] as? String != text { older[key] = nil }
        if newer["text"] as? String != text { newer[key] = nil }
      }
    }
    for key in Set(older.keys).union(newer.keys).sorted() {
      compare(merged[key], older: older[key], newer: newer[key], at: "\(path).\(key)")
    }
  }

  /// The elements by what tells them apart.
  private static func elements(_ list: [Any], _ path: String) -> [String: Any] {
    var found: [String: Any] = [:]
    for (index, element) in list.enumerated() {
      let object = element as? [String: Any] ?? [:]
      let isInOrder = path.hasSuffix(".media") || path.hasSuffix(".options")
      // An archive's retweet has no id.
      let keys =
        path.hasSuffix(".referenced_tweets")
        ? ["type"]
        : object["start"] != nil
          ? ["start", "end", "media_key"] : object["id"] != nil ? ["type", "id"] : ["tag", "url"]
      let names = keys.compactMap { object[$0].map { "\($0)" } }
      let name = names.isEmpty ? JSONObject.text(element) : names.joined(separator: " ")
      found[isInOrder ? "\(index)" : name] = element
    }
    return found
  }
}
