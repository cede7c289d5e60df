import Foundation
import TestSupport
import Testing

/// Every recording that holds posts gives all its posts: what tw-parse finds is counted against an independent reading
/// of the same files by Foundation.
@Suite(.onOwnThread, .enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
struct ParseRecordingsTests {
  @Test(arguments: ["v1", "v2", "archive"])
  func everyPostIsFound(_ folder: String) throws {
    let root = URL(fileURLWithPath: try #require(TestData.directory)).appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var posts = 0
    while let file = files?.nextObject() as? URL {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true, file.pathExtension != "yaml"
      else { continue }
      let bytes = [UInt8](try Data(contentsOf: file))
      let documents = file.lastPathComponent.hasSuffix(".exchanges.ndjson") ? bodies(of: bytes) : [bytes]
      var expected = 0
      var input: [UInt8] = []
      for document in documents {
        guard let count = Self.count(in: document) else { continue }
        expected += count
        input += document + [0x0A]
      }
      if input.isEmpty { continue }
      let result = try Tool.run("tw-parse", ["--owner", "1:me"], stdin: ToolInput(input))
      let found = result.lines.filter { $0.hasPrefix(#"{"tw":"tweet","#) }
      #expect(found.count == expected, "\(file.path)")
      let again = try Tool.run("tw-parse", stdin: ToolInput(result.stdout))
      let isSame = again.stdout == result.stdout
      #expect(isSame, "\(file.path)")
      posts += expected
    }
    #expect(posts > ["v1": 900, "v2": 500, "archive": 300][folder] ?? 0)
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
      return elements.count { ($0 as? [String: Any])?["text"] != nil }
    }
    if object["event"] != nil, let target = object["target_object"] { return posts(in: target) }
    if object["for_user"] != nil, let message = object["message"] { return posts(in: message) }
    if object["objectType"] as? String == "activity" { return 1 }
    // A direct message has a sender and a recipient.
    guard object["sender"] == nil, object["id"] ?? object["id_str"] != nil else { return 0 }
    return object["text"] ?? object["full_text"] ?? object["extended_tweet"] == nil ? 0 : 1
  }

  /// Fields of v2 pages, read by Foundation and put together by hand: the author out of the includes, the whole text.
  @Test(arguments: ["brexit", "noflat", "media_policy_violation_off", "geo_tweets", "mentions_tweet", "edited_after"])
  func v2FieldsAreRight(_ name: String) throws {
    let bytes = try TestData.bytes("v2/pages/twarc-csv/\(name).jsonl")
    let records = try objects(Tool.run("tw-parse", ["--only", "tweet"], stdin: ToolInput(bytes)).lines)
    var at = 0
    for page in try objects(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)) {
      let includes = page["includes"] as? [String: Any] ?? [:]
      let users = byID(includes["users"])
      let tweets = byID(includes["tweets"])
      let media = byID(includes["media"], "media_key")
      let data = page["data"] as? [[String: Any]] ?? [page["data"] as? [String: Any] ?? [:]]
      for tweet in data {
        let record = records[at]
        at += 1
        #expect(record["id"] as? String == tweet["id"] as? String)
        #expect(record["created_at"] as? String == tweet["created_at"] as? String)
        let author = try #require(users[tweet["author_id"] as? String ?? ""])
        let found = try #require(record["author"] as? [String: Any])
        for (key, value) in author { #expect(same(found[key], value), "\(name): author's \(key)") }
        let metrics = try #require(tweet["public_metrics"] as? [String: Any])
        #expect(same(record["public_metrics"], metrics))
        let references = tweet["referenced_tweets"] as? [[String: Any]] ?? []
        #expect(
          (record["referenced_tweets"] as? [[String: Any]] ?? []).map { $0["id"] as? String }
            == references.map { $0["id"] as? String })
        let text = try #require(record["text"] as? String)
        if let original = references.first(where: { $0["type"] as? String == "retweeted" }).flatMap({
          tweets[$0["id"] as? String ?? ""]
        }), let user = users[original["author_id"] as? String ?? ""] {
          #expect(text == "RT @\(user["username"] ?? ""): " + unescaped(original["text"]))
        } else {
          #expect(text == unescaped((tweet["note_tweet"] as? [String: Any])?["text"] ?? tweet["text"]))
        }
        let keys = (tweet["attachments"] as? [String: Any])?["media_keys"] as? [String] ?? []
        let inlined = (record["attachments"] as? [String: Any])?["media"] as? [[String: Any]] ?? []
        #expect(same(inlined, keys.compactMap { media[$0] }))
      }
    }
    #expect(at == records.count && at > 0)
  }

  /// Fields of an archive, whose numbers are texts, and of Gnip's activities.
  @Test func archiveAndGnipFieldsAreRight() throws {
    let archive = try TestData.bytes("archive/milahu-2026/tweets.js")
    let start = try #require(archive.firstIndex(of: UInt8(ascii: "[")))
    let tweets = try #require(try JSONSerialization.jsonObject(with: Data(archive[start...])) as? [[String: Any]])
    let records = try objects(Tool.run("tw-parse", ["--owner", "7:me"], stdin: ToolInput(archive)).lines)
    #expect(records.count == tweets.count)
    for (record, element) in zip(records, tweets) {
      let tweet = try #require(element["tweet"] as? [String: Any])
      #expect(record["id"] as? String == tweet["id_str"] as? String)
      #expect(record["text"] as? String == unescaped(tweet["full_text"]))
      let metrics = try #require(record["public_metrics"] as? [String: Any])
      #expect((metrics["like_count"] as? Int).map(String.init) == tweet["favorite_count"] as? String)
      #expect((record["author"] as? [String: Any])?["username"] as? String == "me")
    }
    let path = "v1/enterprise-gnip/tweet_parser/activity_streams_examples.json"
    let gnip = try TestData.bytes(path)
    let lines = String(decoding: gnip, as: UTF8.self).split(separator: "\n").map(String.init)
    for (record, activity) in zip(try objects(Tool.run("tw-parse", stdin: ToolInput(gnip)).lines), try objects(lines)) {
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

  private func objects(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  private func byID(_ list: Any?, _ key: String = "id") -> [String: [String: Any]] {
    var found: [String: [String: Any]] = [:]
    for object in list as? [[String: Any]] ?? [] {
      if let id = object[key] as? String { found[id] = object }
    }
    return found
  }

  /// Equal as JSON; an empty text counts as absent, as in records.
  private func same(_ one: Any?, _ other: Any?) -> Bool {
    if let text = other as? String, text.isEmpty { return one == nil }
    guard let one, let other else { return one == nil && other == nil }
    let texts = [one, other].map { try? JSONSerialization.data(withJSONObject: ["": $0], options: .sortedKeys) }
    return texts[0] == texts[1]
  }

  private func unescaped(_ text: Any?) -> String {
    (text as? String ?? "").replacingOccurrences(of: "&lt;", with: "<").replacingOccurrences(of: "&gt;", with: ">")
      .replacingOccurrences(of: "&amp;", with: "&")
  }
}
