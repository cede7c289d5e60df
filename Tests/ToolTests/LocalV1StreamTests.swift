import Foundation
import TestSupport
import Testing

@testable import tw_local

/// tw-local's X v1.1 streams, over real sockets.
@Suite(.onOwnThread) struct LocalV1StreamTests {
  private func post(_ local: LocalService, _ text: String, _ more: [String: Any] = [:]) throws -> String {
    try local.ask("POST", "/2/tweets", body: more.merging(["text": text]) { $1 })["data"]["id"].text
  }

  /// The next message of a stream with lengths. Checks that the length counts the bytes that follow, with the line end.
  private func delimited(_ stream: LocalClient) throws -> LooseJSON {
    var bytes: [UInt8] = []
    var pieces = 0
    while let piece = try stream.line() {
      pieces += 1
      // More keep-alives than in 20 s: the message will not come.
      try #require(pieces < 400)
      bytes += piece.utf8
      while bytes.starts(with: [13, 10]) { bytes.removeFirst(2) }
      guard let end = bytes.firstRange(of: [13, 10]) else { continue }
      let length = try #require(Int(String(decoding: bytes[..<end.lowerBound], as: UTF8.self)))
      let message = bytes[end.upperBound...]
      if message.count < length { continue }
      try #require(message.count == length && message.suffix(2) == [13, 10])
      return LooseJSON(try JSONSerialization.jsonObject(with: Data(message)))
    }
    throw CocoaError(.fileReadUnknown)
  }

  @Test func tracksWords() throws {
    let local = try LocalService(["--keep-alive", "50ms"])
    let form = "track=apple+pie%2C%23x,@nobody&delimited=length&language=en"
    let stream = try local.open(
      "POST", "/1.1/statuses/filter.json", headers: ["Content-Type": "application/x-www-form-urlencoded"],
      body: Array(form.utf8))
    let head = try stream.head()
    #expect(head.status == 200 && head.headers["transfer-encoding"] == "chunked")
    #expect(try stream.line() == "\r\n")
    for text in ["apple", "Pie — for an APPLE 👩🏽‍🚒 & <you>", "x #xy", "gruß #X", "hi @Nobody", "日本 #x"] {
      _ = try post(local, text)
    }
    let first = try delimited(stream)
    #expect(first["text"] == "Pie — for an APPLE 👩🏽‍🚒 &amp; &lt;you&gt;" && first["truncated"] == false)
    #expect(first["user"]["screen_name"] == "you" && first["user"]["id_str"].text == "\(first["user"]["id"].number)")
    #expect(first["created_at"].text.contains(/^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 20\d\d$/))
    #expect(Int(first["timestamp_ms"].text) != nil && first["filter_level"] == "low")
    #expect(try delimited(stream)["entities"]["hashtags"][0]["text"] == "X")
    // A name that no account has is tracked too. Posts in other languages are not sent.
    #expect(try delimited(stream)["text"] == "hi @Nobody")
    let last = try post(local, "end #x")
    #expect(try delimited(stream)["id_str"].text == last)
  }

  @Test func truncatesLongPostsAndSendsDeletions() throws {
    let local = try LocalService()
    let stream = try local.open("GET", "/1.1/statuses/sample.json?delimited=length")
    #expect(try stream.head().status == 200)
    let id = try post(local, String(repeating: "wörter & ", count: 20) + "http://example.com/a #end")
    let message = try delimited(stream)
    #expect(message["truncated"] == true && message["text"].text.unicodeScalars.count <= 140)
    #expect(message["text"].text.contains("… http") && message["entities"]["hashtags"].array.isEmpty)
    let link = message["entities"]["urls"][0]
    #expect(link["expanded_url"].text.hasSuffix("/i/web/status/\(id)"))
    #expect(try local.ask("GET", String(link["url"].text.dropFirst(local.base.count)), token: nil).status == 301)
    let whole = message["extended_tweet"]
    #expect(whole["full_text"].text.hasSuffix(" #end") && whole["entities"]["hashtags"][0]["text"] == "end")
    #expect(whole["entities"]["urls"][0]["expanded_url"] == "http://example.com/a")

    let me = message["user"]["id_str"].text
    #expect(try local.ask("POST", "/2/users/\(me)/retweets", body: ["tweet_id": id]).status == 200)
    let retweet = try delimited(stream)
    #expect(retweet["text"].text.hasPrefix("RT @you: wörter") && retweet["text"].text.hasSuffix("…"))
    #expect(retweet["retweeted_status"]["extended_tweet"]["full_text"] == whole["full_text"])
    let answer = try post(local, "@you yes", ["reply": ["in_reply_to_tweet_id": id]])
    let reply = try delimited(stream)
    #expect(reply["in_reply_to_status_id_str"].text == id && reply["in_reply_to_screen_name"] == "you")
    #expect(reply["display_text_range"].array.map(\.number) == [5, 8])
    _ = try local.ask("DELETE", "/2/tweets/\(id)")
    // A retweet is deleted with its original; a reply is not.
    let gone = try [delimited(stream), delimited(stream)].map { $0["delete"]["status"] }
    #expect(gone.map { $0["id_str"].text } == [id, retweet["id_str"].text])
    #expect(gone.allSatisfy { $0["user_id_str"].text == me })
    _ = try local.ask("DELETE", "/2/tweets/\(answer)")
    #expect(try delimited(stream)["delete"]["status"]["id_str"].text == answer)
  }

  @Test func followsUsers() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    let maren = try local.ask("GET", "/2/users/by/username/maren_k")["data"]["id"].text
    let hers = try local.search("from:maren_k -is:retweet -is:reply", "max_results=10")["data"][0]["id"].text
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    let stream = try local.open("GET", "/1.1/statuses/filter.json?follow=\(maren),7&filter_level=low")
    #expect(try stream.head().status == 200)
    _ = try post(local, "to nobody")
    let answer = try post(local, "yes", ["reply": ["in_reply_to_tweet_id": hers]])
    _ = try local.ask("POST", "/2/users/\(me)/retweets", body: ["tweet_id": hers])
    let first = try stream.message()
    #expect(first["id_str"].text == answer)
    #expect(try stream.message()["retweeted_status"]["id_str"].text == hers)
  }

  @Test func aQueueReportsHowFullItIs() async throws {
    let queue = StreamQueue(id: 1)
    var percents: [Int] = []
    for _ in 1...4096 { percents.append(queue.append(StreamChunk([0x78]))) }
    #expect(percents.first == 1 && percents.last == 100 && percents == percents.sorted())
    #expect(percents.firstIndex { $0 >= V1Message.warningLevel }.map { (2300...2600).contains($0) } == true)
    // One more finishes the queue; what it holds is still sent.
    queue.append(StreamChunk([0x79]))
    var count = 0
    for await _ in queue.chunks { count += 1 }
    #expect(count == 4096)
  }

  @Test func aNewStreamEndsTheOldOne() throws {
    let local = try LocalService()
    let first = try local.open("GET", "/1.1/statuses/sample.json")
    #expect(try first.head().status == 200)
    let second = try local.open("GET", "/1.1/statuses/filter.json?track=x")
    #expect(try second.head().status == 200)
    #expect(try first.message()["disconnect"]["code"].number == 7)
    #expect(try first.line() == nil && first.endedWithLastChunk)
    _ = try post(local, "x")
    #expect(try second.message()["text"] == "x")
  }

  @Test(arguments: [
    ("/1.1/statuses/filter.json", 406, "No filter parameters found"),
    ("/1.1/statuses/filter.json?language=en", 406, "follow track"),
    ("/1.1/statuses/filter.json?locations=1,2,3", 406, "locations"),
    ("/1.1/statuses/filter.json?follow=jack", 406, "follow"),
    ("/1.1/statuses/filter.json?track=" + String(repeating: "a", count: 61), 406, "track item"),
    ("/1.1/statuses/filter.json?track=" + String(repeating: "a,", count: 401), 413, "too long"),
    ("/1.1/statuses/firehose.json", 404, "\"code\":34"),
  ])
  func refuses(path: String, status: Int, text: String) throws {
    let answer = try LocalService().ask("GET", path)
    #expect(answer.status == status && answer.text.contains(text))
  }

  @Test func hasItsOwnFormOfErrors() throws {
    let local = try LocalService(["--rate-limit", "2"])
    let unknown = try local.ask("GET", "/1.1/statuses/sample.json", token: "wrong")
    #expect(unknown.status == 401 && unknown["errors"][0]["code"].number == 89)
    for left in ["1", "0"] {
      let stream = try local.open("GET", "/1.1/statuses/sample.json")
      #expect(try stream.head().headers["x-rate-limit-remaining"] == left)
    }
    let refused = try local.ask("GET", "/1.1/statuses/sample.json")
    #expect(refused.status == 429 && refused["errors"][0]["code"].number == 88)
  }
}
