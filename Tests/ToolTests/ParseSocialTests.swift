import Foundation
import TestSupport
import Testing

/// tw-parse over recorded Mastodon and Bluesky data, read a second time with Foundation.
@Suite(.onOwnThread) struct ParseSocialTests {
  private typealias Object = [String: Any]

  private func objects(_ lines: [String]) throws -> [Object] {
    try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Object) }
  }

  /// The tweets of a run, which must not change when they are parsed again.
  private func tweets(_ input: [UInt8], status: Int32 = 0) throws -> [Object] {
    let result = try Tool.run("tw-parse", ["--quiet"], stdin: ToolInput(input))
    #expect(result.status == status)
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
    let tweets = try objects(result.lines).filter { $0["tw"] as? String == "tweet" }
    for tweet in tweets { try checkOffsets(of: tweet) }
    return tweets
  }

  // MARK: Mastodon

  /// The replies that the recording holds, each the body of one exchange, and the posts in them.
  private func replies() throws -> [String] {
    let lines = String(decoding: try TestData.bytes("mastodon/http/mastodon.py.exchanges.ndjson"), as: UTF8.self)
    return try objects(lines.split(separator: "\n").map(String.init)).compactMap { $0["body"] as? String }
  }

  /// The statuses of a reply that stand for themselves: not those within others.
  private func statuses(in value: Any) -> [Object] {
    if let list = value as? [Any] { return list.flatMap { statuses(in: $0) } }
    guard let object = value as? Object else { return [] }
    if object["account"] is Object, object["visibility"] != nil { return object["id"] is String ? [object] : [] }
    return ["statuses", "ancestors", "descendants", "status", "last_status"].flatMap { name in
      object[name].map { statuses(in: $0) } ?? []
    }
  }

  @Test(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
  func readsRecordedMastodonReplies() throws {
    var expected: [Object] = []
    var input = ""
    for body in try replies() {
      guard let value = try? JSONSerialization.jsonObject(with: Data(body.utf8), options: .fragmentsAllowed) else {
        continue
      }
      expected += statuses(in: value)
      input += body + "\n"
    }
    let found = try tweets(Array(input.utf8), status: 1)
    #expect(expected.count == 622)
    #expect(found.count == expected.count)
    for (record, status) in zip(found, expected) { try compare(record, withStatus: status) }
  }

  @Test(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
  func readsRecordedMastodonStreams() throws {
    let streams = try replies().filter { $0.hasPrefix(":)") }
    #expect(streams.count == 4)
    let context = #"{"tw":"context","feed":"home","service":"mastodon:h.example","base":"https://h.example"}"#
    let result = try Tool.run("tw-parse", stdin: ToolInput(context + "\n" + streams.joined(separator: "\n")))
    #expect(result.status == 0)
    let records = try objects(result.lines)
    let data = streams.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("data: {") }
    let expected = try objects(data.map { String($0.dropFirst(6)) }).flatMap { statuses(in: $0) }
    let found = records.filter { $0["tw"] as? String == "tweet" }
    #expect(found.count == 9)
    #expect(found.map { $0["id"] as? String } == expected.map { $0["id"] as? String })
    #expect(found.allSatisfy { $0["service"] as? String == "mastodon:h.example" })
    let deleted = records.filter { $0["tw"] as? String == "delete" }.map { $0["id"] as? String }
    #expect(deleted == ["117024236332527350"])
  }

  @Test(
    .enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"),
    arguments: [
      ("fixtures/MastodonKit/StatusWithNull.json", 1, 0), ("fixtures/MastodonKit/StatusWithoutNull.json", 1, 0),
      ("fixtures/MastodonKit/Timeline.json", 2, 0), ("fixtures/MastodonKit/Context.json", 2, 0),
      ("fixtures/MastodonKit/Results.json", 1, 0), ("fixtures/MastodonKit/Notification.json", 1, 0),
      ("fixtures/MastodonKit/Notifications.json", 2, 0), ("fixtures/TootSDK/streaming_update.json", 1, 0),
      ("fixtures/TootSDK/quote.json", 1, 0), ("mock-hashtag-stream.http", 1, 1),
    ])
  func readsMastodonFiles(_ name: String, _ count: Int, _ status: Int32) throws {
    #expect(try tweets(try TestData.bytes("mastodon/" + name), status: status).count == count)
  }

  /// Field by field, by an independent reading. What the text must be is told by Mastodon's own rules for plain text.
  private func compare(_ record: Object, withStatus status: Object) throws {
    let account = try #require(status["account"] as? Object)
    let author = try #require(record["author"] as? Object)
    #expect(record["id"] as? String == status["id"] as? String)
    #expect(record["service"] as? String == host(of: account["url"] as? String))
    let language = status["language"] as? String ?? (status["reblog"] as? Object)?["language"] as? String
    #expect(record["lang"] as? String == language)
    #expect(author["id"] as? String == account["id"] as? String)
    #expect(author["username"] as? String == account["acct"] as? String)
    #expect(author["protected"] as? Bool == account["locked"] as? Bool)
    let metrics = try #require(record["public_metrics"] as? Object)
    for (name, other) in [
      ("like_count", "favourites_count"), ("retweet_count", "reblogs_count"),
      ("reply_count", "replies_count"), ("quote_count", "quotes_count"),
    ] {
      #expect(metrics[name] as? Int == status[other] as? Int)
    }
    let text = try #require(record["text"] as? String)
    let references = record["referenced_tweets"] as? [Object] ?? []
    if let original = status["reblog"] as? Object {
      let name = try #require((original["account"] as? Object)?["acct"] as? String)
      // What was deleted has its source alone.
      let whole = (original["content"] as? String).map { plain($0) } ?? original["text"] as? String
      #expect(text == "RT @\(name): " + (whole ?? ""))
      #expect(references.first?["type"] as? String == "retweeted")
      #expect(references.first?["id"] as? String == original["id"] as? String)
    } else if let content = status["content"] as? String, !content.contains("<li>") {
      #expect(text == plain(content))
    }
    if let quoted = (status["quote"] as? Object)?["quoted_status"] as? Object {
      #expect(references.first { $0["type"] as? String == "quoted" }?["id"] as? String == quoted["id"] as? String)
    }
    #expect(
      references.first { $0["type"] as? String == "replied_to" }?["id"] as? String == status["in_reply_to_id"]
        as? String)
    let media = (record["attachments"] as? Object)?["media"] as? [Object] ?? []
    #expect(media.count == (status["media_attachments"] as? [Any])?.count ?? 0)
  }

  private func host(of link: String?) -> String? {
    guard let link, let parts = URLComponents(string: link), let host = parts.host else { return nil }
    return "mastodon:" + host + (parts.port.map { ":\($0)" } ?? "")
  }

  /// Another way to the text: tags cut out by a pattern, for HTML that is as regular as Mastodon's own.
  private func plain(_ html: String) -> String {
    var text = html.replacingOccurrences(of: " *</p><p", with: "\n\n<p", options: .regularExpression)
    text = text.replacingOccurrences(of: " *<br ?/?>", with: "\n", options: .regularExpression)
    text = text.replacingOccurrences(of: "<[^>]*>", with: "", options: .regularExpression)
    for (name, character) in [("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")] {
      text = text.replacingOccurrences(of: name, with: character)
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // MARK: Bluesky

  @Test(
    .enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"),
    arguments: [
      ("twitwi/bluesky-firehose-posts.json", 9), ("twitwi/bluesky-hydrated-firehose-posts.json", 9),
      ("twitwi/bluesky-tap-posts.json", 14), ("jetstream/expected_v1.jsonl", 17),
      ("MarshalX/thread_view_post_with_embed_media.json", 1), ("MarshalX/post_record.json", 1),
      ("MarshalX/extended_post_record.json", 1), ("MarshalX/custom_record.json", 1),
    ])
  func readsBlueskyFiles(_ name: String, _ count: Int) throws {
    let bytes = try TestData.bytes("bluesky/" + name)
    let found = try tweets(bytes)
    #expect(found.count == count)
    let documents: [Any]
    if name.hasSuffix(".jsonl") {
      documents = try objects(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
    } else {
      let value = try JSONSerialization.jsonObject(with: Data(bytes))
      documents = value as? [Any] ?? [value]
    }
    let expected = documents.compactMap { post(in: $0) }
    #expect(found.map { $0["id"] as? String } == expected.map(\.address))
    for (record, post) in zip(found, expected) { try compare(record, with: post.record) }
  }

  @Test(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
  func readsViewsOfBlueskyPosts() throws {
    let bytes = try TestData.bytes("bluesky/twitwi/bluesky-hydrated-firehose-posts.json")
    let views = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [Object])
    for (record, view) in zip(try tweets(bytes), views) {
      let author = try #require(view["author"] as? Object)
      let found = try #require(record["author"] as? Object)
      #expect(found["id"] as? String == author["did"] as? String)
      #expect(found["username"] as? String == author["handle"] as? String)
      #expect(found["profile_image_url"] as? String == author["avatar"] as? String)
      let metrics = try #require(record["public_metrics"] as? Object)
      for (name, other) in [
        ("like_count", "likeCount"), ("retweet_count", "repostCount"), ("reply_count", "replyCount"),
      ] {
        #expect(metrics[name] as? Int == view[other] as? Int)
      }
      let media = (record["attachments"] as? Object)?["media"] as? [Object] ?? []
      let images = (view["embed"] as? Object)?["images"] as? [Object] ?? []
      #expect(media.map { $0["url"] as? String } == images.map { $0["fullsize"] as? String })
    }
  }

  /// The address and the record of the post that a document is or brings.
  private func post(in value: Any) -> (address: String, record: Object)? {
    guard let object = value as? Object else { return nil }
    if let thread = object["thread"] as? Object { return thread["post"].flatMap { post(in: $0) } }
    if let address = object["uri"] as? String {
      return ((object["record"] ?? object["value"]) as? Object).map { (address, $0) }
    }
    guard let event = (object["commit"] ?? object["record"]) as? Object, let did = object["did"] ?? event["did"],
      let collection = event["collection"] as? String, collection == "app.bsky.feed.post", let key = event["rkey"],
      let record = event["record"] as? Object
    else { return nil }
    return ("at://\(did)/\(collection)/\(key)", record)
  }

  private func compare(_ record: Object, with post: Object) throws {
    let text = try #require(post["text"] as? String)
    #expect(record["text"] as? String == text)
    #expect(record["lang"] as? String == (post["langs"] as? [String])?.first)
    let reply = post["reply"] as? Object
    let parent = (reply?["parent"] as? Object)?["uri"] as? String
    let references = record["referenced_tweets"] as? [Object] ?? []
    #expect(references.first { $0["type"] as? String == "replied_to" }?["id"] as? String == parent)
    #expect(record["conversation_id"] as? String == (reply?["root"] as? Object)?["uri"] as? String)
    // Every facet, its bytes cut out of the text, is what an entity cuts out by scalars.
    let entities = record["entities"] as? [String: [Object]] ?? [:]
    let utf8 = Array(text.utf8)
    let scalars = Array(text.unicodeScalars)
    let slices = Set(
      entities.values.joined().compactMap { entity -> String? in
        guard let start = entity["start"] as? Int, let end = entity["end"] as? Int else { return nil }
        return String(String.UnicodeScalarView(scalars[start..<end]))
      })
    for facet in post["facets"] as? [Object] ?? [] {
      let index = try #require(facet["index"] as? [String: Any])
      let start = try #require(index["byteStart"] as? Int)
      let end = try #require(index["byteEnd"] as? Int)
      #expect(slices.contains(String(decoding: utf8[start..<end], as: UTF8.self)))
    }
  }

  // MARK: Both

  private func checkOffsets(of tweet: Object) throws {
    let scalars = Array(try #require(tweet["text"] as? String).unicodeScalars)
    for (kind, list) in tweet["entities"] as? [String: [Object]] ?? [:] {
      for entity in list {
        guard let start = entity["start"] as? Int, let end = entity["end"] as? Int else { continue }
        try #require(0 <= start && start < end && end <= scalars.count)
        let slice = String(String.UnicodeScalarView(scalars[start..<end]))
        switch kind {
        case "hashtags": #expect(slice.dropFirst().lowercased() == (entity["tag"] as? String)?.lowercased())
        case "mentions": #expect(slice.hasPrefix("@"))
        case "urls": #expect(slice == entity["url"] as? String || slice == entity["display_url"] as? String)
        default: Issue.record("unexpected entities \(kind)")
        }
      }
    }
    for reference in tweet["referenced_tweets"] as? [Object] ?? [] where reference["text"] != nil {
      try checkOffsets(of: reference)
    }
  }
}
