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
    // Entities belong to one text; `withheld` and `viewer` hold only as long as the service sends them.
    (#"{"text":"a"}"#, #"{"text":"b","entities":{},"withheld":{},"viewer":{}}"#, #"{"text":"a"}"#),
    (#"{"text":"a"}"#, #"{"text":"a","entities":{}}"#, #"{"text":"a","entities":{}}"#),
    (#"{"entities":{"urls":[]}}"#, #"{"entities":{"urls":[1],"x":1}}"#, #"{"entities":{"urls":[]}}"#),
  ])
  func theNewerVersionDecidesAndTheOlderOneFillsIn(newer: String, older: String, expected: String) throws {
    let one = try JSONDocument(newer)
    let other = try JSONDocument(older)
    var buffer = ByteBuffer()
    RecordMerge.append(newer: one.root, older: other.root, to: &buffer)
    #expect(buffer.string == expected)
  }

  /// A record may have any number of unknown keys. To compare each with each would take an hour.
  @Test(.onOwnThread(minutes: 1))
  func mergingManyKeysAndFeedsIsFast() throws {
    func record(_ range: Range<Int>) -> String {
      "{\"feeds\":[\(range.map { "\"\($0)\"" }.joined(separator: ","))],"
        + range.map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    }
    let one = try JSONDocument(record(100_000..<300_000))
    let other = try JSONDocument(record(0..<200_000))
    var buffer = ByteBuffer()
    RecordMerge.append(newer: one.root, older: other.root, to: &buffer)
    let merged = try JSONDocument(buffer.array)
    #expect(merged.root.count == 300_001)
    #expect(merged.root["feeds"]?.count == 300_000)
  }
}
