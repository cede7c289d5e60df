import Foundation
import Services
import TestSupport
import Testing
import TweetCore

struct CheckpointFileTests {
  private static func key(_ feed: String, _ account: String? = nil) -> Checkpoint.Key {
    Checkpoint.Key(service: "x", base: "https://api.x.com", account: account, feed: feed)
  }

  @Test func theCheckpointOfAFeedIsKeptBesideThoseOfOthers() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/places"
    let file = CheckpointFile(path)
    #expect(try file.checkpoint(of: Self.key("#a")) == nil)
    let gaps = [Checkpoint.Gap(since: nil, until: "5"), Checkpoint.Gap(since: "7", until: "9")]
    try file.save([Self.key("#a"): Checkpoint(newestID: "12", gaps: gaps)])
    try file.save([Self.key("#a", "jack"): Checkpoint(newestID: "99")])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      try? CheckpointFile(path).save([Self.key("#\(number)b"): Checkpoint(newestID: "\(number)")])
    }
    let kept = try #require(try file.checkpoint(of: Self.key("#a")))
    #expect(kept.newestID == "12" && kept.gaps == gaps)
    for number in 0..<8 { #expect(try file.checkpoint(of: Self.key("#\(number)b"))?.newestID == "\(number)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == ["places", "places.lock"])
  }

  /// A wrong path must not cost a file.
  @Test func anotherFileIsNotReplaced() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("notes.json", #"{"mine":true}"#)
    let error = #expect(throws: ToolError.self) {
      try CheckpointFile(path).save([Self.key("#a"): Checkpoint(newestID: "1")])
    }
    #expect(error?.status == .configuration)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"mine":true}"#)
  }

  /// Entries of a later version of the kit keep the members that this one does not know.
  @Test func otherEntriesKeepTheirBytes() throws {
    let home = try TemporaryDirectory()
    let entry = ##"{"service":"x","base":"b","feed":"#b","newest_id":"7","new":[1.00]}"##
    let path = try home.write("places", #"{"tw":"checkpoints","checkpoints":[\#(entry),"odd"]}"#)
    try CheckpointFile(path).save([Self.key("#a"): Checkpoint(newestID: "1")])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(entry) && text.contains("\"odd\""))
  }

  @Test func aRecordAndAnEntryAreReadTheSame() throws {
    let text = ##"{"tw":"checkpoint","feed":"#a","service":"x","base":"b","account":"j","newest_id":"9","##
    let document = try JSONDocument(
      Array((text + #""gaps":[{"until_id":"5"}],"at":"2026-01-02T03:04:05.000Z"}"#).utf8))
    let checkpoint = document.read { Checkpoint($0) }
    let key = try #require(document.read { Checkpoint.Key($0) })
    var list = CheckpointList()
    list.set(checkpoint, of: key)
    let read = try #require(CheckpointList(list.document.array)?.checkpoint(of: key))
    #expect(read == checkpoint)
    #expect(read.newestID == "9" && read.gaps == [Checkpoint.Gap(since: nil, until: "5")])
    #expect(read.updatedAt.rfc3339 == "2026-01-02T03:04:05.000Z")
    let noService = try JSONDocument(Array(##"{"feed":"#a","base":"b"}"##.utf8))
    #expect(noService.read { Checkpoint.Key($0) } == nil)
  }

  /// A source plugin has no address of ours, and its checkpoint is a text that only it understands.
  @Test func aCursorIsKeptAsItIs() throws {
    let home = try TemporaryDirectory()
    let key = Checkpoint.Key(service: "sky", base: nil, account: nil, feed: "sky:x")
    let cursor = "{\"a\":\"\u{1F600}\n\"}"
    try CheckpointFile(home.path + "/state").save([key: Checkpoint(cursor: cursor)])
    #expect(try CheckpointFile(home.path + "/state").checkpoint(of: key)?.cursor == cursor)
  }
}
