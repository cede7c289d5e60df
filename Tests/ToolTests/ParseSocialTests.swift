import Foundation
import TestSupport
import Testing

/// Posts of Mastodon and Bluesky, read a second time with Foundation: none may be missing, and no field may be wrong.
@Suite(.onOwnThread) struct ParseSocialTests {
  private typealias Object = [String: Any]

  /// The tweets of a run, which must not change when they are parsed again.
  private func tweets(_ input: [UInt8], status: Int32 = 0) throws -> [Object] {
    let result = try Tool.run("tw-parse", ["--quiet"], stdin: ToolInput(input))
    #expect(result.status == status)
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
    let tweets = try JSONObject.list(result.lines).filter { $0["tw"] as? String == "tweet" }
    for tweet in tweets { try JSONObject.checkOffsets(of: tweet) }
    return tweets
  }

  // MARK: Mastodon

  private static let exchanges = "mastodon/http/mastodon.py.exchanges.ndjson"

  /// The replies of a sample, each JSON text or an event stream: its lines, or the bodies of recorded exchanges.
  private func replies(_ sample: ParseSample) throws -> [String] {
    let lines = String(decoding: try sample.bytes(), as: UTF8.self).split(separator: "\n").map(String.init)
    guard sample.name == Self.exchanges else { return lines }
    return try JSONObject.list(lines).compactMap { $0["body"] as? String }
  }

  /// The statuses of a reply that stand for themselves: not those within others.
  private func statuses(in value: Any) -> [Object] {
    if let list = value as? [Any] { return list.flatMap { statuses(in: $0) } }
    guard let object = value as? Object else { return [] }
    if object["account"] is Object, object["visibility"] != nil {
      return identifier(object["id"]) == nil ? [] : [object]
    }
    return ["statuses", "ancestors", "descendants", "status", "last_status"].flatMap { name in
      object[name].map { statuses(in: $0) } ?? []
    }
  }

  /// An id as records have it; Pixelfed's are numbers.
  private func identifier(_ id: Any?) -> String? { id as? String ?? (id as? Int).map(String.init) }

  @Test(
    arguments: [
      ParseSample.made("mastodon-timeline", count: 10), .made("mastodon-replies", count: 9),
      .made("mastodon-servers", count: 3),
    ] + ParseSample.recorded(exchanges, count: 622))
  func readsMastodonReplies(_ sample: ParseSample) throws {
    var expected: [Object] = []
    var input = ""
    for body in try replies(sample) {
      guard let value = try? JSONSerialization.jsonObject(with: Data(body.utf8), options: .fragmentsAllowed) else {
        continue
      }
      expected += statuses(in: value)
      input += body + "\n"
    }
    let status: Int32 = sample.name == "mastodon-timeline" || sample.name == "mastodon-servers" ? 0 : 1
    let found = try tweets(Array(input.utf8), status: status)
    #expect(expected.count == sample.count)
    #expect(found.count == expected.count)
    for (record, status) in zip(found, expected) { try compare(record, withStatus: status) }
  }

  @Test(arguments: [ParseSample.made("mastodon-sse", count: 4)] + ParseSample.recorded(exchanges, count: 9))
  func readsMastodonStreams(_ sample: ParseSample) throws {
    // A made one is a stream and nothing else, its context before it.
    let streams =
      try sample.name == Self.exchanges
      ? replies(sample).filter { $0.hasPrefix(":)") }
      : [String(decoding: sample.bytes(), as: UTF8.self).split(separator: "\n").dropFirst().joined(separator: "\n")]
    let context = #"{"tw":"context","feed":"home","service":"mastodon:h.example","base":"https://h.example"}"#
    let result = try Tool.run("tw-parse", stdin: ToolInput(context + "\n" + streams.joined(separator: "\n")))
    #expect(result.status == 0)
    let records = try JSONObject.list(result.lines)
    let lines = streams.flatMap { $0.split(separator: "\n") }
    let data = lines.filter { $0.hasPrefix("data: {") }
    let expected = try JSONObject.list(data.map { String($0.dropFirst(6)) }).flatMap { statuses(in: $0) }
    let found = records.filter { $0["tw"] as? String == "tweet" }
    #expect(found.count == sample.count)
    #expect(found.map { $0["id"] as? String } == expected.map { $0["id"] as? String })
    #expect(found.allSatisfy { $0["service"] as? String == "mastodon:h.example" })
    let deletions = zip(lines, lines.dropFirst()).filter { $0.0 == "event: delete" }.map { String($0.1.dropFirst(6)) }
    #expect(deletions.count == 1)
    #expect(records.filter { $0["tw"] as? String == "delete" }.map { $0["id"] as? String } == deletions)
  }

  /// Recordings that are files of their own; the golden cases have as much.
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
    #expect(record["id"] as? String == identifier(status["id"]))
    #expect(record["service"] as? String == host(of: account["url"] as? String))
    let language = status["language"] as? String ?? (status["reblog"] as? Object)?["language"] as? String
    #expect(record["lang"] as? String == language)
    #expect(author["id"] as? String == identifier(account["id"]))
    #expect(author["username"] as? String == account["acct"] as? String)
    #expect(author["protected"] as? Bool == account["locked"] as? Bool)
    let metrics = record["public_metrics"] as? Object ?? [:]
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
    arguments: [
      ParseSample.made("bluesky-firehose", count: 2), .made("bluesky-jetstream", count: 6),
      .made("bluesky-tap", count: 2),
      .made("bluesky-views", count: 6),
    ]
      + [
        ("twitwi/bluesky-firehose-posts.json", 9), ("twitwi/bluesky-hydrated-firehose-posts.json", 9),
        ("twitwi/bluesky-tap-posts.json", 14), ("jetstream/expected_v1.jsonl", 17),
        ("MarshalX/thread_view_post_with_embed_media.json", 1), ("MarshalX/post_record.json", 1),
        ("MarshalX/extended_post_record.json", 1), ("MarshalX/custom_record.json", 1),
      ].flatMap { ParseSample.recorded("bluesky/" + $0.0, count: $0.1) })
  func readsBlueskyFiles(_ sample: ParseSample) throws {
    let found = try tweets(try sample.bytes())
    #expect(found.count == sample.count)
    let documents = try sample.documents().flatMap { $0 as? [Any] ?? [$0] }
    let expected = documents.compactMap { post(in: $0) }
    #expect(found.map { $0["id"] as? String } == expected.map(\.address))
    for (record, post) in zip(found, expected) { try compare(record, with: post.record) }
  }

  @Test(
    arguments: [ParseSample.made("bluesky-views")]
      + ParseSample.recorded("bluesky/twitwi/bluesky-hydrated-firehose-posts.json"))
  func readsViewsOfBlueskyPosts(_ sample: ParseSample) throws {
    let bytes = try sample.bytes()
    let views = try #require(try sample.documents().first as? [Object])
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
      let photos = media.filter { $0["type"] as? String == "photo" }
      #expect(photos.map { $0["url"] as? String } == images.map { $0["fullsize"] as? String })
      let video = media.first { $0["type"] as? String == "video" }
      let shown = (view["embed"] as? Object)?["media"] as? Object
      #expect(video?["preview_image_url"] as? String == shown?["thumbnail"] as? String)
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
}
