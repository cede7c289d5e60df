import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

@Suite struct RecordBatchTests {
  private func append(_ line: String, to batch: inout RecordBatch) throws {
    let document = try JSONDocument(line)
    document.read { batch.append($0) }
  }

  private func tweet(_ id: Int, second: Int) -> String {
    #"{"tw":"tweet","service":"m","id":"\#(id)","text":"t","created_at":"2021-11-03T21:30:\#(10 + second).000Z"}"#
  }

  /// Between deletions and notices, that is: these apply to what came before them.
  @Test func tweetsAreInTheOrderOfTheirKeys() throws {
    var batch = RecordBatch()
    let lines = [
      tweet(3, second: 3), tweet(1, second: 1), tweet(3, second: 3), tweet(2, second: 2),
      #"{"tw":"delete","service":"m","id":"1"}"#, tweet(1, second: 1), tweet(0, second: 0),
    ]
    for line in lines[..<2] { try append(line, to: &batch) }
    #"{"tw":"context"}"#.withContiguousBytes { batch.append(other: $0) }
    for line in lines[2...] { try append(line, to: &batch) }
    #expect(batch.order == [1, 4, 0, 3, 5, 7, 6])
    #expect(batch.stored == 7 && batch.count == 8 && !batch.hasOnlyTweets && !batch.isStored(2) && !batch.isTweet(5))
    let stored = (0..<batch.count).map { index in batch.withRecord(index) { String(decoding: $0, as: UTF8.self) } }
    #expect(stored == lines[..<2] + [#"{"tw":"context"}"#] + lines[2...])
    let last = batch.withLines(6..<8) { String(decoding: $0, as: UTF8.self) }
    #expect(last == lines[5] + "\n" + lines[6] + "\n")
    batch.removeAll()
    #expect(batch.isEmpty && batch.stored == 0 && batch.order == [])
  }

  /// Only a large batch has the memory of a bulk load.
  @Test func memoryOfABulkLoad() throws {
    let scratch = try TemporaryDirectory()
    var writer = try TweetWriter(try TweetStore(scratch.path + "/tw.db", .readWrite, syncs: false))
    let long = String(repeating: "long ", count: 500_000)
    for (count, cache) in [(1, -20_000), (9, -128_000), (1, -20_000)] {
      var batch = RecordBatch()
      for id in 0..<count { try append(tweet(id, second: id).replacing(#""t""#, with: "\"\(long)\""), to: &batch) }
      _ = try writer.store(batch)
      #expect(try writer.database.first("PRAGMA cache_size") { $0.integer(0) } == cache)
    }
  }
}

extension String {
  fileprivate func withContiguousBytes(_ body: (ByteView) -> Void) {
    Array(utf8).withBytes(body)
  }
}
