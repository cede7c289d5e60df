import TestSupport
import Testing
import TweetCore

@testable import TweetStore

struct RecordMergeTests {
  @Test(arguments: [
    ("{}", "{}", "{}"),
    (#"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#),
    // Keys that only the older version has keep their position.
    (#"{"b":2,"d":4}"#, #"{"a":1,"b":0,"c":3,"d":0,"e":5}"#, #"{"a":1,"b":2,"c":3,"d":4,"e":5}"#),
    (#"{}"#, #"{"a":1,"b":[]}"#, #"{"a":1,"b":[]}"#),
    (
      #"{"public_metrics":{"like_count":2}}"#, #"{"public_metrics":{"like_count":1,"quote_count":7}}"#,
      #"{"public_metrics":{"like_count":2,"quote_count":7}}"#
    ),
    (#"{"feeds":["b","c"]}"#, #"{"feeds":["a","b"]}"#, #"{"feeds":["a","b","c"]}"#),
    (#"{"author":{"id":"1"}}"#, #"{"author":{"id":"1","name":"n"}}"#, #"{"author":{"id":"1","name":"n"}}"#),
    // Entities belong to one text; `withheld` holds only as long as the service sends it.
    (#"{"text":"a"}"#, #"{"text":"b","entities":{},"withheld":{}}"#, #"{"text":"a"}"#),
    (#"{"text":"a"}"#, #"{"text":"a","entities":{}}"#, #"{"text":"a","entities":{}}"#),
    // What is empty says nothing.
    (#"{"entities":{"urls":[]}}"#, #"{"entities":{"urls":[1],"x":1}}"#, #"{"entities":{"urls":[1],"x":1}}"#),
    (#"{"lang":"","geo":{},"x":null}"#, #"{"lang":"en","geo":{"a":1},"x":1}"#, #"{"lang":"en","geo":{"a":1},"x":1}"#),
  ])
  func theNewerVersionDecidesAndTheOlderOneFillsIn(newer: String, older: String, expected: String) throws {
    let one = try JSONDocument(newer)
    let other = try JSONDocument(older)
    var buffer = ByteBuffer()
    RecordMerge.append(newer: one, older: other, to: &buffer)
    #expect(buffer.string == expected)
  }

  /// Texts are the same in several forms; two that differ otherwise are an edit.
  @Test(arguments: [
    ("seven loaves before…  https://t.co/self", "seven loaves before breakfast", false, false),
    ("seven loaves before breakfast", "seven loaves bef… https://t.co/self", true, false),
    ("seven &amp; eight", "seven & eight", true, false),
    ("seven\nloaves  ", "seven loaves", true, false),
    ("seven loaves", "seven loaves https://t.co/picture", false, false),
    ("", "seven loaves", false, false),
    ("RT @ann: seven loaves bef…", "RT @ann: seven loaves before breakfast", false, false),
    ("RT @ann: seven &am...", "RT @eve: seven &amp; eight loaves", false, false),
    ("RT @eve: seven loaves", "RT @ann: seven loaves", true, false),
    // An ellipsis alone says nothing: people write it.
    ("seven loaves…", "seven loaves before breakfast", true, true),
    ("seven loaves before breakfast", "seven loaves…", true, true),
    ("…", "seven loaves", true, true), ("… https://t.co/self", "seven loaves", true, true),
    ("eight loaves", "seven loaves", true, true),
  ])
  func formsOfOneText(newer: String, older: String, isNewer: Bool, isEdit: Bool) throws {
    func document(_ text: String) throws -> JSONDocument {
      var json = ByteBuffer()
      json.append("{\"text\":")
      json.appendJSONString(text)
      let type = text.hasPrefix("RT") ? "retweeted" : "quoted"
      json.append(",\"referenced_tweets\":[{\"type\":\"\(type)\",\"id\":\"1\"}]}")
      return try JSONDocument(json.array)
    }
    let one = try document(newer)
    let other = try document(older)
    var buffer = ByteBuffer()
    #expect(RecordMerge.append(newer: one, older: other, to: &buffer) == isEdit)
    let merged = try JSONDocument(buffer.array)
    #expect(merged["text"]?.string == (isNewer ? newer : older))
  }

  @Test(arguments: [
    // Entities: those of the text that stays, element by element.
    (
      #"{"text":"a","entities":{"urls":[{"start":0,"end":1,"url":"u","title":"t"}]}}"#,
      #"{"text":"a","entities":{"hashtags":[{"tag":"x"}],"urls":[{"start":0,"end":1,"url":"u","expanded_url":"e"}]}}"#,
      #"{"text":"a","entities":{"hashtags":[{"tag":"x"}],"urls":[{"start":0,"end":1,"url":"u","expanded_url":"e","title":"t"}]}}"#
    ),
    // Two pictures have one address in the text.
    (
      #"{"text":"a","entities":{"urls":[{"start":0,"end":1}]}}"#,
      #"{"text":"a","entities":{"urls":[{"start":0,"end":1,"media_key":"1"},{"start":0,"end":1,"media_key":"2"}]}}"#,
      #"{"text":"a","entities":{"urls":[{"start":0,"end":1,"media_key":"1"},{"start":0,"end":1,"media_key":"2"}]}}"#
    ),
    // One entity a place, whoever found it: of a letter apart, of another kind, of one that only the older version has.
    (
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":2,"end":8,"tag":"swift"}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":3,"end":8,"tag":"Swift","x":1}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":2,"end":8,"tag":"swift","x":1}]}}"#
    ),
    (
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":3,"end":8,"tag":"swift"}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":2,"end":8,"tag":"swift"},{"start":9,"end":10,"tag":"b"}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":3,"end":8,"tag":"swift"},{"start":9,"end":10,"tag":"b"}]}}"#
    ),
    (
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":2,"end":8,"tag":"swift"}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":1,"end":5,"tag":"sw"},{"start":8,"end":9,"tag":"b"}]}}"#,
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":8,"end":9,"tag":"b"},{"start":2,"end":8,"tag":"swift"}]}}"#
    ),
    (
      #"{"text":"a #swift b","entities":{"mentions":[{"start":2,"end":8,"username":"swift"}]}}"#,
      #"{"text":"a #swift b","entities":{"mentions":[],"urls":[{"start":4,"end":8,"url":"u"},{"start":9,"end":10,"url":"v"}],"cashtags":[{"start":2,"end":8,"tag":"s"}]}}"#,
      #"{"text":"a #swift b","entities":{"mentions":[{"start":2,"end":8,"username":"swift"}],"urls":[{"start":9,"end":10,"url":"v"}]}}"#
    ),
    // X says what parts of a text are about, and a picture may share its place.
    (
      #"{"text":"a #swift b","entities":{"hashtags":[{"start":2,"end":8,"tag":"swift"}]}}"#,
      #"{"text":"a #swift b","entities":{"annotations":[{"start":3,"end":8,"type":"Other"}],"urls":[{"start":2,"end":8,"media_key":"1"}]}}"#,
      #"{"text":"a #swift b","entities":{"annotations":[{"start":3,"end":8,"type":"Other"}],"urls":[{"start":2,"end":8,"media_key":"1"}],"hashtags":[{"start":2,"end":8,"tag":"swift"}]}}"#
    ),
    // Of the text that was cut the address of the tweet does not stay.
    (
      #"{"text":"ab… https://t.co/s","entities":{"urls":[{"start":4,"end":18,"url":"https://t.co/s"}]}}"#,
      #"{"text":"ab cd","entities":{"hashtags":[{"start":3,"end":5,"tag":"cd"}]}}"#,
      #"{"text":"ab cd","entities":{"hashtags":[{"start":3,"end":5,"tag":"cd"}]}}"#
    ),
    // Media without keys are known by their place.
    (
      #"{"attachments":{"media":[{"type":"photo","file":"f"}]}}"#,
      #"{"attachments":{"media_keys":["1"],"media":[{"media_key":"1","type":"photo","alt_text":"a"}]}}"#,
      #"{"attachments":{"media_keys":["1"],"media":[{"media_key":"1","type":"photo","alt_text":"a","file":"f"}]}}"#
    ),
    (
      #"{"attachments":{"poll":{"options":[{"position":1,"votes":5}]}}}"#,
      #"{"attachments":{"poll":{"id":"1","options":[{"position":1,"label":"a","votes":4},{"position":2}]}}}"#,
      #"{"attachments":{"poll":{"id":"1","options":[{"position":1,"label":"a","votes":5},{"position":2}]}}}"#
    ),
    // Another tweet of the same type replaces one of which only the id is known, and is replaced by one of which more
    // is.
    (
      #"{"referenced_tweets":[{"type":"quoted","id":"2"}]}"#, #"{"referenced_tweets":[{"type":"quoted","id":"1"}]}"#,
      #"{"referenced_tweets":[{"type":"quoted","id":"2"}]}"#
    ),
    (
      #"{"referenced_tweets":[{"type":"quoted","id":"2"}]}"#,
      #"{"referenced_tweets":[{"type":"quoted","id":"1","text":"t"},{"type":"replied_to","id":"2"}]}"#,
      #"{"referenced_tweets":[{"type":"quoted","id":"1","text":"t"},{"type":"replied_to","id":"2"},{"type":"quoted","id":"2"}]}"#
    ),
    // Two things with ids of their own are not mixed; a list of numbers is one value.
    (#"{"geo":{"place_id":"1"}}"#, #"{"geo":{"place_id":"2","name":"n"}}"#, #"{"geo":{"place_id":"1"}}"#),
    (#"{"geo":{"bbox":[1,1]}}"#, #"{"geo":{"bbox":[1,2],"name":"n"}}"#, #"{"geo":{"bbox":[1,1],"name":"n"}}"#),
    (
      #"{"matching_rules":[{"id":"2"}]}"#, #"{"matching_rules":[{"id":"1"}]}"#,
      #"{"matching_rules":[{"id":"1"},{"id":"2"}]}"#
    ),
    (
      #"{"edit_history_tweet_ids":["1"]}"#, #"{"edit_history_tweet_ids":["1","2"]}"#,
      #"{"edit_history_tweet_ids":["1","2"]}"#
    ),
    // A part of a tweet, such as new counts, does not say that the tweet is withheld no more.
    (
      #"{"public_metrics":{}}"#, #"{"text":"a","withheld":{"x":1}}"#,
      #"{"text":"a","withheld":{"x":1},"public_metrics":{}}"#
    ),
  ])
  func aPoorerVersionTakesNothingAway(newer: String, older: String, expected: String) throws {
    let one = try JSONDocument(newer)
    let other = try JSONDocument(older)
    var buffer = ByteBuffer()
    RecordMerge.append(newer: one, older: other, to: &buffer)
    #expect(buffer.string == expected)
  }

  /// Links to a profile's own description go with it.
  @Test func aChangedDescriptionHasItsOwnLinks() throws {
    let older = try JSONDocument(#"{"id":"1","description":"a","entities":{"description":{"urls":[{"url":"a"}]}}}"#)
    let newer = try JSONDocument(#"{"id":"1","description":"b"}"#)
    var buffer = ByteBuffer()
    newer.read { newer in older.read { RecordMerge.append(newerProfile: newer, older: $0, to: &buffer) } }
    #expect(buffer.string == #"{"id":"1","description":"b"}"#)
  }

  /// What is nested deeper than any service sends is not merged, and takes no stack.
  @Test func deepNesting() throws {
    func nested(_ value: Int, in open: String, _ close: String, _ levels: Int) throws -> JSONDocument {
      try JSONDocument(
        String(repeating: open, count: levels) + "{\"a\":\(value)}" + String(repeating: close, count: levels))
    }
    for (open, close, levels) in [
      ("{\"x\":", "}", 1000), ("{\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"1\",\"x\":", "}]}", 300),
      ("{\"x\":[{\"id\":1,\"y\":", "}]}", 300),
    ] {
      let one = try nested(1, in: open, close, levels)
      let other = try nested(2, in: open, close, levels)
      var buffer = ByteBuffer()
      RecordMerge.append(newer: one, older: other, to: &buffer)
      #expect(buffer.string == one.rawText)
    }
  }

  /// A list of a hostile record is as long as the record. To compare each element with each would take an hour.
  @Test(
    .onOwnThread(minutes: 1),
    arguments: [
      (#"{"text":"t","entities":{"urls":["#, #"{"start":%,"end":%,"url":"u%"}"#, "]}}"),
      (#"{"text":"t","entities":{"urls":["#, #"{"start":1,"end":2,"media_key":"%"}"#, "]}}"),
      (#"{"text":"t","entities":{"urls":["#, #"{"url":"u%"}"#, "]}}"),
      (#"{"text":"t","entities":{"urls":["#, #"{"start":1%0,"end":1%5,"url":"u"}"#, "]}}"),
      (#"{"text":"t","entities":{"urls":["#, #"{"start":%,"end":99999,"url":"u%"}"#, "]}}"),
      (#"{"attachments":{"media":["#, #"{"media_key":"%"}"#, "]}}"),
      (#"{"attachments":{"media":["#, #"{"type":"photo%"}"#, "]}}"),
      (#"{"referenced_tweets":["#, #"{"type":"quoted","id":"%","text":"t"}"#, "]}"),
      (#"{"referenced_tweets":["#, #"{"type":"t%","id":"%"}"#, "]}"),
      (#"{"viewers":["#, #"{"account":"%"}"#, "]}"), (#"{"viewer":{"#, #""k%":1"#, "}}"),
      (#"{"extra":{"x":["#, #"{"id":%}"#, "]}}"), (#"{"extra":{"x":["#, #""%""#, "]}}"),
    ])
  func mergingLongListsIsFast(start: String, element: String, end: String) throws {
    func record(_ numbers: [Int]) throws -> JSONDocument {
      try JSONDocument(start + numbers.map { element.replacing("%", with: "\($0)") }.joined(separator: ",") + end)
    }
    let newer = try record((25_000..<75_000).reversed())
    let older = try record(Array(0..<50_000))
    var buffer = ByteBuffer()
    RecordMerge.append(newer: newer, older: older, to: &buffer)
    _ = try JSONDocument(buffer.array)
    #expect(buffer.count >= newer.rawText.utf8.count)
  }

  /// A record may have any number of unknown keys. To compare each with each would take an hour.
  @Test(.onOwnThread(minutes: 1))
  func mergingManyKeysAndFeedsIsFast() throws {
    func record(_ range: Range<Int>) -> String {
      "{\"feeds\":[\(range.map { "\"\($0)\"" }.joined(separator: ","))],"
        + range.map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    }
    let one = try JSONDocument(record(50_000..<150_000))
    let other = try JSONDocument(record(0..<100_000))
    var buffer = ByteBuffer()
    RecordMerge.append(newer: one, older: other, to: &buffer)
    let merged = try JSONDocument(buffer.array)
    #expect(merged.count == 150_001)
    #expect(merged["feeds"]?.count == 150_000)
  }
}
