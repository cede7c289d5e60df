import Foundation
import TestSupport
import Testing

/// tw-cache add --state: the checkpoints of a pipeline.
@Suite(.onOwnThread) struct CacheCheckpointTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func checkpoint(_ newest: Int, feed: String = "#tea") -> String {
    "{\"tw\":\"checkpoint\",\"feed\":\"\(feed)\",\"service\":\"x\",\"base\":\"https://api.x.com\",\"newest_id\":\"\(newest)\","
      + "\"gaps\":[{\"since_id\":\"1\",\"until_id\":\"3\"}],\"at\":\"\(time(0))\"}\n"
  }

  private func saved() throws -> String {
    home.exists("places") ? String(decoding: try home.read("places"), as: UTF8.self) : ""
  }

  @Test func theLastCheckpointOfEachFeedIsSavedAndPassedOn() throws {
    let input = tweet(1) + checkpoint(1) + tweet(2) + checkpoint(5, feed: "#coffee") + checkpoint(2)
    let result = try add(input, ["--state", "places"])
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output == input)
    let state = try saved()
    let gap = "\"gaps\":[{\"since_id\":\"1\",\"until_id\":\"3\"}]"
    #expect(state.contains("\"feed\":\"#coffee\",\"newest_id\":\"5\",\(gap)"))
    #expect(state.contains("\"feed\":\"#tea\",\"newest_id\":\"2\"") && !state.contains("\"newest_id\":\"1\""))
    // tw-parse does not change it, nor move it.
    #expect(try Tool.run("tw-parse", stdin: ToolInput(input), home: home).output == input)
  }

  /// The disk is full: what was not stored must be fetched again.
  @Test func aCheckpointBehindTweetsThatWereNotStoredIsNotSaved() throws {
    let tweets = (1...1500).map { tweet($0, second: $0, text: String(repeating: "full ", count: 60)) }.joined()
    try home.write("records", tweets + checkpoint(1500))
    #expect(try add(tweet(2000)).status == 0)
    // The tweets fit into memory, so that only the commit fails.
    let full = try Tool.shell("ulimit -f 300; tw-cache add --state places records > /dev/null", home: home)
    #expect(full.status == 74, "\(full.errors)")
    #expect(try saved() == "")
    let whole = try Tool.shell("tw-cache add --state places records > /dev/null", home: home)
    #expect(whole.status == 0)
    #expect(try saved().contains("\"newest_id\":\"1500\""))
  }

  @Test func aFileThatCannotBeSavedIsAnError() throws {
    try home.write("mine", "{}")
    let other = try add(tweet(1) + checkpoint(1), ["--state", "mine"])
    #expect(other.status == 78 && other.errors.contains("'mine' is not a file of checkpoints"))
    #expect(try home.read("mine") == Array("{}".utf8))
  }

  @Test func withoutCheckpointsAMessageSaysHowToGetThem() throws {
    let result = try add(tweet(1), ["--state", "places"])
    #expect(result.status == 0 && result.errors.contains("tw-stream --resume"))
    #expect(try add(tweet(1), ["--state", "places", "--quiet"]).errors == "")
  }
}
