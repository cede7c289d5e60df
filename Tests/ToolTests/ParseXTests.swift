import Foundation
import TestSupport
import Testing

/// Posts in X's shapes, read a second time with Foundation: none may be missing, and no field may be wrong.
@Suite(.onOwnThread) struct ParseXTests {
  @Test(arguments: [
    ParseSample.made("v1-search-full", count: 9), .made("v1-modes", count: 8), .made("v1-tweets"),
    .made("v2-pages", count: 9),
    .made("v2-flattened", count: 5), .made("v2-lookups", count: 1), .made("gnip-activities", count: 7),
    .made("x-archive-tweets", count: 8),
  ])
  func everyMadePostIsFound(_ sample: ParseSample) throws {
    let found = try checkCount(of: [try sample.bytes()], sample.name)
    #expect(sample.count == 0 || found == sample.count)
  }

  /// Every recording that has posts.
  @Test(
    .enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"),
    arguments: ["v1", "v2", "archive"])
  func everyRecordedPostIsFound(_ folder: String) throws {
    let root = URL(fileURLWithPath: try #require(TestData.directory)).appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var posts = 0
    while let file = files?.nextObject() as? URL {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true, file.pathExtension != "yaml"
      else { continue }
      let bytes = [UInt8](try Data(contentsOf: file))
      let documents = file.lastPathComponent.hasSuffix(".exchanges.ndjson") ? bodies(of: bytes) : [bytes]
      posts += try checkCount(of: documents, file.path)
    }
    #expect(posts > ["v1": 900, "v2": 500, "archive": 300][folder] ?? 0)
  }

  /// Counts the posts in some documents, which tw-parse must all find, and whose records it must not change.
  private func checkCount(of documents: [[UInt8]], _ name: String) throws -> Int {
    var expected = 0
    var input: [UInt8] = []
    for document in documents {
      guard let count = Self.count(in: document) else { continue }
      expected += count
      input += document + [0x0A]
    }
    if input.isEmpty { return 0 }
    let result = try Tool.run("tw-parse", ["--owner", "1:me"], stdin: ToolInput(input))
    let found = result.lines.filter { $0.hasPrefix(#"{"tw":"tweet","#) }
    #expect(found.count == expected, "\(name)")
    let again = try Tool.run("tw-parse", stdin: ToolInput(result.stdout))
    let isSame = again.stdout == result.stdout
    #expect(isSame, "\(name)")
    return expected
  }

  /// The answers within recorded exchanges, one a line, each a text.
  private func bodies(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A).compactMap { line in
      let exchange = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      return (exchange?["body"] as? String).map { Array($0.utf8) }
    }
  }

  /// How many posts are in one document, or in one a line; `nil` for what Foundation cannot read at all.
  private static func count(in bytes: [UInt8]) -> Int? {
    var text = bytes[...]
    if text.starts(with: "window.".utf8), let equals = text.firstIndex(of: UInt8(ascii: "=")) {
      text = text[(equals + 1)...]
    }
    if let document = try? JSONSerialization.jsonObject(with: Data(text)) { return posts(in: document) }
    let lines = text.split(separator: 0x0A).compactMap { try? JSONSerialization.jsonObject(with: Data($0)) }
    return lines.isEmpty ? nil : lines.reduce(0) { $0 + posts(in: $1) }
  }

  private static func posts(in value: Any) -> Int {
    if let list = value as? [Any] { return list.reduce(0) { $0 + posts(in: $1) } }
    guard let object = value as? [String: Any] else { return 0 }
    if object.count == 1, object["tweet"] is [String: Any] { return 1 }
    if let page = object["statuses"] ?? object["results"], page is [Any] { return posts(in: page) }
    if let data = object["data"] {
      let elements = data as? [Any] ?? [data]
      // An id and a text alone are no sign of a post.
      return elements.compactMap { $0 as? [String: Any] }.count {
        $0["text"] != nil && $0.count > 2 && $0["community_id"] == nil
      }
    }
    if object["event"] != nil, let target = object["target_object"] { return posts(in: target) }
    if object["for_user"] != nil, let message = object["message"] { return posts(in: message) }
    if object["objectType"] as? String == "activity" { return 1 }
    // A direct message has a sender and a recipient.
    guard object["sender"] == nil, object["id"] ?? object["id_str"] != nil else { return 0 }
    return object["text"] ?? object["full_text"] ?? object["extended_tweet"] == nil ? 0 : 1
  }

  /// Fields of v1.1 tweets. The recorded page lies pretty-printed, 100 tweets, 73 of them retweets.
  @Test(
    arguments: [ParseSample.made("v1-search-full", count: 9)]
      + ParseSample.recorded("v1/simdjson/twitter.json", count: 100))
  func v1FieldsAreRight(_ sample: ParseSample) throws {
    let bytes = try sample.bytes()
    let result = try Tool.run("tw-parse", stdin: ToolInput(bytes))
    #expect(result.ending == .status(0))
    let page = try #require(try sample.documents().first as? [String: Any])
    let statuses = try #require(page["statuses"] as? [[String: Any]])
    let records = try JSONObject.list(result.lines)
    #expect(records.count == sample.count && statuses.count == sample.count)
    for (record, status) in zip(records, statuses) { try compare(record, withV1: status) }
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
  }

  private func compare(_ record: [String: Any], withV1 status: [String: Any]) throws {
    let user = try #require(status["user"] as? [String: Any])
    let author = try #require(record["author"] as? [String: Any])
    #expect(record["id"] as? String == status["id_str"] as? String)
    for (key, other) in [
      ("id", "id_str"), ("username", "screen_name"), ("name", "name"), ("description", "description"),
    ] {
      #expect(JSONObject.areEqual(author[key], user[other]), "\(key)")
    }
    let counts = try #require(author["public_metrics"] as? [String: Any])
    for (key, other) in [
      ("followers_count", "followers_count"), ("following_count", "friends_count"), ("tweet_count", "statuses_count"),
      ("listed_count", "listed_count"), ("like_count", "favourites_count"),
    ] { #expect(counts[key] as? Int == user[other] as? Int) }
    let metrics = try #require(record["public_metrics"] as? [String: Any])
    #expect(metrics["retweet_count"] as? Int == status["retweet_count"] as? Int)
    #expect(metrics["like_count"] as? Int == status["favorite_count"] as? Int)
    let viewer = try #require(record["viewer"] as? [String: Any])
    #expect(viewer["liked"] as? Bool == status["favorited"] as? Bool)
    #expect(viewer["retweeted"] as? Bool == status["retweeted"] as? Bool)
    #expect(record["lang"] as? String == status["lang"] as? String)
    let text = try #require(record["text"] as? String)
    let references = record["referenced_tweets"] as? [[String: Any]] ?? []
    var expected: [String: String] = [:]
    if let original = status["retweeted_status"] as? [String: Any] {
      let name = try #require((original["user"] as? [String: Any])?["screen_name"] as? String)
      #expect(text == "RT @\(name): " + unescaped(original["text"]))
      expected["retweeted"] = original["id_str"] as? String
      try compare(try #require(references.first), withV1: original)
    } else {
      #expect(text == unescaped(status["text"]))
      expected["quoted"] = status["quoted_status_id_str"] as? String
    }
    expected["replied_to"] = status["in_reply_to_status_id_str"] as? String
    let found = references.map { ($0["type"] as? String ?? "", $0["id"] as? String ?? "") }
    #expect(Dictionary(uniqueKeysWithValues: found) == expected)
    let media = ((status["extended_entities"] as? [String: Any])?["media"] as? [[String: Any]] ?? [])
    let inlined = (record["attachments"] as? [String: Any])?["media"] as? [[String: Any]] ?? []
    #expect(inlined.count >= media.count)
    for (item, other) in zip(inlined, media) {
      #expect((item["media_key"] as? String)?.hasSuffix("_\(other["id_str"] as? String ?? "?")") == true)
      #expect((item["url"] ?? item["preview_image_url"]) as? String == other["media_url_https"] as? String)
    }
    try JSONObject.checkOffsets(of: record)
  }

  /// Fields of v2 pages, put together by hand: the author out of the includes, the whole text.
  @Test(
    arguments: [ParseSample.made("v2-pages")]
      + ["brexit", "noflat", "media_policy_violation_off", "geo_tweets", "mentions_tweet", "edited_after"].flatMap {
        ParseSample.recorded("v2/pages/twarc-csv/\($0).jsonl")
      })
  func v2FieldsAreRight(_ sample: ParseSample) throws {
    let bytes = try sample.bytes()
    let records = try JSONObject.list(Tool.run("tw-parse", ["--only", "tweet"], stdin: ToolInput(bytes)).lines)
    var at = 0
    for page in try JSONObject.list(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)) {
      let includes = page["includes"] as? [String: Any] ?? [:]
      let users = byID(includes["users"])
      let tweets = byID(includes["tweets"])
      let media = byID(includes["media"], "media_key")
      let data = page["data"] as? [[String: Any]] ?? (page["data"] as? [String: Any]).map { [$0] } ?? []
      for tweet in data {
        let record = records[at]
        at += 1
        #expect(record["id"] as? String == tweet["id"] as? String)
        #expect(record["created_at"] as? String == tweet["created_at"] as? String)
        let author = try #require(users[tweet["author_id"] as? String ?? ""])
        let found = try #require(record["author"] as? [String: Any])
        for (key, value) in author { #expect(JSONObject.areEqual(found[key], value), "\(sample): author's \(key)") }
        let metrics = try #require(tweet["public_metrics"] as? [String: Any])
        #expect(JSONObject.areEqual(record["public_metrics"], metrics))
        let references = tweet["referenced_tweets"] as? [[String: Any]] ?? []
        #expect(
          (record["referenced_tweets"] as? [[String: Any]] ?? []).map { $0["id"] as? String }
            == references.map { $0["id"] as? String })
        let text = try #require(record["text"] as? String)
        if let original = references.first(where: { $0["type"] as? String == "retweeted" }).flatMap({
          tweets[$0["id"] as? String ?? ""]
        }), let user = users[original["author_id"] as? String ?? ""] {
          let note = original["note_tweet"] as? [String: Any]
          #expect(text == "RT @\(user["username"] ?? ""): " + unescaped(note?["text"] ?? original["text"]))
        } else {
          #expect(text == unescaped((tweet["note_tweet"] as? [String: Any])?["text"] ?? tweet["text"]))
        }
        let keys = (tweet["attachments"] as? [String: Any])?["media_keys"] as? [String] ?? []
        let inlined = (record["attachments"] as? [String: Any])?["media"] as? [[String: Any]] ?? []
        #expect(JSONObject.areEqual(inlined, keys.compactMap { media[$0] }))
        let polls = (tweet["attachments"] as? [String: Any])?["poll_ids"] as? [String] ?? []
        #expect(
          JSONObject.areEqual(
            (record["attachments"] as? [String: Any])?["poll"], polls.first.flatMap { byID(includes["polls"])[$0] }))
        let place = (tweet["geo"] as? [String: Any])?["place_id"] as? String
        for (key, value) in place.flatMap({ byID(includes["places"])[$0] }) ?? [:] where key != "id" {
          #expect(JSONObject.areEqual((record["geo"] as? [String: Any])?[key], value), "\(sample): \(key)")
        }
        // X has sent entities of no length.
        if sample.isMade { try JSONObject.checkOffsets(of: record) }
      }
    }
    #expect(at == records.count && at > 0)
  }

  /// Fields of an archive, whose numbers are strings.
  @Test(arguments: [ParseSample.made("x-archive-tweets")] + ParseSample.recorded("archive/milahu-2026/tweets.js"))
  func archiveFieldsAreRight(_ sample: ParseSample) throws {
    let archive = try sample.bytes()
    let start = try #require(archive.firstIndex(of: UInt8(ascii: "[")))
    let tweets = try #require(try JSONSerialization.jsonObject(with: Data(archive[start...])) as? [[String: Any]])
    let records = try JSONObject.list(Tool.run("tw-parse", ["--owner", "7:me"], stdin: ToolInput(archive)).lines)
    #expect(records.count == tweets.count)
    for (record, element) in zip(records, tweets) {
      let tweet = try #require(element["tweet"] as? [String: Any])
      #expect(record["id"] as? String == tweet["id_str"] as? String)
      #expect(record["text"] as? String == unescaped(tweet["full_text"]))
      let metrics = try #require(record["public_metrics"] as? [String: Any])
      #expect((metrics["like_count"] as? Int).map(String.init) == tweet["favorite_count"] as? String)
      #expect((record["author"] as? [String: Any])?["username"] as? String == "me")
    }
  }

  @Test(
    arguments: [ParseSample.made("gnip-activities", count: 7)]
      + ParseSample.recorded("v1/enterprise-gnip/tweet_parser/activity_streams_examples.json"))
  func gnipFieldsAreRight(_ sample: ParseSample) throws {
    let gnip = try sample.bytes()
    let lines = String(decoding: gnip, as: UTF8.self).split(separator: "\n").map(String.init)
    for (record, activity) in zip(
      try JSONObject.list(Tool.run("tw-parse", stdin: ToolInput(gnip)).lines), try JSONObject.list(lines))
    {
      #expect((activity["id"] as? String)?.hasSuffix(":\(record["id"] as? String ?? "?")") == true)
      #expect(record["created_at"] as? String == activity["postedTime"] as? String)
      let actor = try #require(activity["actor"] as? [String: Any])
      let author = try #require(record["author"] as? [String: Any])
      #expect(author["username"] as? String == actor["preferredUsername"] as? String)
      #expect(author["name"] as? String == actor["displayName"] as? String)
      if activity["verb"] as? String == "post" {
        let long = activity["long_object"] as? [String: Any]
        #expect(record["text"] as? String == unescaped(long?["body"] ?? activity["body"]))
      }
    }
  }

  private func byID(_ list: Any?, _ key: String = "id") -> [String: [String: Any]] {
    var found: [String: [String: Any]] = [:]
    for object in list as? [[String: Any]] ?? [] {
      if let id = object[key] as? String { found[id] = object }
    }
    return found
  }

  private func unescaped(_ text: Any?) -> String {
    (text as? String ?? "").replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
      .replacingOccurrences(of: "&amp;", with: "&")
  }
}
