import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

struct ReferenceTableTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func rows(_ references: String) throws -> [String] {
    var writer = try TweetWriter(try TweetStore(scratch.path + "/t.db", .readWrite))
    let record = try JSONDocument(
      """
      {"tw":"tweet","id":"1","service":"x","text":"","author":{"id":"2"},"referenced_tweets":\(references)}
      """)
    try writer.begin()
    #expect(try writer.add(record).isNew)
    try writer.commit()
    var rows: [String] = []
    try writer.database.forEachRow("SELECT type, id FROM tweet_references ORDER BY type") { row in
      rows.append("\(row.text(0) ?? "") \(row.text(1) ?? "")")
    }
    return rows
  }

  @Test func tweetsInsideTweetsAreReferences() throws {
    let inner = #"[{"type":"quoted","id":"8"}]"#
    #expect(
      try rows(#"[{"type":"retweeted","id":"9","referenced_tweets":\#(inner)}]"#) == [
        "retweeted 9", "retweeted quoted 8",
      ])
  }

  /// The row of an inner tweet repeats the types of the tweets around it. A long type in many rows would fill the disk.
  @Test func aLongReferenceTypeIsLeftOut() throws {
    let inner = (0..<1000).map { #"{"type":"quoted","id":"\#($0)"}"# }.joined(separator: ",")
    let type = String(repeating: "t", count: 100_000)
    #expect(try rows(#"[{"type":"\#(type)","id":"9","referenced_tweets":[\#(inner)]}]"#) == [])
  }
}
