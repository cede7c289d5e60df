import Foundation
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

struct CheckpointFileTests {
  private let access = ServiceAccess(service: "x", base: "https://api.x.com", token: Secret("t"))

  @Test func theCheckpointOfAFeedIsKeptBesideThoseOfOthers() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/places"
    let file = CheckpointFile(path, for: access)
    #expect(try file.checkpoint(of: "#a") == nil)
    let gaps = [Checkpoint.Gap(since: nil, until: "5"), Checkpoint.Gap(since: "7", until: "9")]
    try file.save(Checkpoint(newestID: "12", gaps: gaps), of: "#a")
    try CheckpointFile(
      path, for: ServiceAccess(service: "x", base: "https://api.x.com", token: Secret("t"), account: "jack")
    )
    .save(Checkpoint(newestID: "99"), of: "#a")
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      try? CheckpointFile(path, for: access).save(Checkpoint(newestID: "\(number)"), of: "#\(number)b")
    }
    let kept = try #require(try file.checkpoint(of: "#a"))
    #expect(kept.newestID == "12" && kept.gaps == gaps)
    for number in 0..<8 { #expect(try file.checkpoint(of: "#\(number)b")?.newestID == "\(number)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == ["places", "places.lock"])
  }

  /// A wrong path must not cost a file.
  @Test func anotherFileIsNotReplaced() throws {
    let home = try TemporaryDirectory()
    let path = try home.write("notes.json", #"{"mine":true}"#)
    let error = #expect(throws: ToolError.self) {
      try CheckpointFile(path, for: access).save(Checkpoint(newestID: "1"), of: "#a")
    }
    #expect(error?.status == .configuration)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"mine":true}"#)
  }
}
