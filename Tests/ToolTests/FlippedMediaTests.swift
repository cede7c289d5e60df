import Foundation
import TestNumbers
import TestSupport
import Testing

/// A bit that flips in the store of pictures and links: what it changes is fetched again, and never printed.
@Suite(.onOwnThread) struct FlippedMediaTests {
  private static let count = 40

  private static func site() throws -> LoopbackServer {
    try LoopbackServer { request in
      let number = Int(request.path.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
      if request.path.hasSuffix(".png") { return .answer(200, body: PictureSample.png(for: request.path)) }
      switch number % 4 {
      case 0: return .answer(404)
      case 1: return .answer(301, headers: ["Location: /page\(number + 1)"])
      default: return .page("<title>The page number \(number)</title>")
      }
    }
  }

  private static func records(_ tool: String, _ base: String) -> String {
    (0..<count).map { number in
      tool == "tw-avatar"
        ? #"{"tw":"user","service":"x","id":"\#(number)","profile_image_url":"\#(base)/\#(number).png"}"# + "\n"
        : #"{"tw":"link","url":"\#(base)/\#(number)"}"# + "\n"
    }.joined()
  }

  /// The damage shows when some pictures were found already, and are not written yet.
  @Test func whatWasFoundBeforeTheDamageIsWrittenToo() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("records", Self.records("tw-avatar", server.base))
    func look() throws -> (result: ToolResult, files: [String]) {
      try? FileManager.default.removeItem(atPath: home.path + "/pictures")
      let result = try Tool.run(
        "tw-avatar", ["--export", "pictures", "--db", "tw.db", "records"],
        environment: server.environment.merging(["TW_NOW": "2026-03-01T12:00:00Z"]) { $1 }, home: home)
      return (result, try FileManager.default.contentsOfDirectory(atPath: home.path + "/pictures").sorted())
    }
    let expected = try look()
    try DamagedMediaTests.run("PRAGMA wal_checkpoint(TRUNCATE)", home.path + "/media.db")
    // After its URL a row has the picture's key, which an index has too: the next change of the row finds that they
    // differ.
    var bytes = try home.read("media.db")
    let url = Array("\(server.base)/0.png".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: url) })
    bytes[place + url.count] ^= 0x20
    try home.write("media.db", bytes)
    let found = try look()
    #expect(found.result.errors.contains("'media.db' was damaged"), "\(found.result.errors)")
    #expect(found.result.output == expected.result.output)
    #expect(found.files == expected.files && found.files.count == 2 * Self.count)
  }

  /// A key of an index that is not in order any more lets others be lost after they were stored.
  @Test func whatTheIndexDoesNotFindIsWrittenToo() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("records", Self.records("tw-avatar", server.base))
    func look() throws -> ToolResult {
      try? FileManager.default.removeItem(atPath: home.path + "/pictures")
      return try Tool.run(
        "tw-avatar", ["--export", "pictures", "--db", "tw.db", "records"],
        environment: server.environment.merging(["TW_NOW": "2026-03-01T12:00:00Z"]) { $1 }, home: home)
    }
    let expected = try look()
    try DamagedMediaTests.run("PRAGMA wal_checkpoint(TRUNCATE)", home.path + "/media.db")
    let sound = try home.read("media.db")
    // An entry of the index of keys: the length of its head, the types of a text of 64 bytes and of a small integer.
    let entries = (1...9).flatMap { type in
      sound.indices.filter { sound[$0...].starts(with: [4, 0x81, 13, UInt8(type)]) }
    }
    var damaged = 0
    // Every other one: each costs a run.
    for entry in entries.enumerated().filter({ $0.offset % 2 == 0 }).map(\.element) {
      for suffix in ["-wal", "-shm", ".damaged"] {
        try? FileManager.default.removeItem(atPath: home.path + "/media.db" + suffix)
      }
      var bytes = sound
      bytes[entry + 4] ^= 0x80
      try home.write("media.db", bytes)
      let found = try look()
      #expect(found.status == 0 && found.output == expected.output, "at \(entry): \(found.errors)")
      if found.errors.contains("'media.db' was damaged") { damaged += 1 }
    }
    #expect(entries.count >= Self.count && damaged > 0, "\(damaged) of \(entries.count)")
  }

  @Test(arguments: ["tw-avatar", "tw-linkcheck"])
  func whatABitChangesIsFetchedAgain(_ tool: String) throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("records", Self.records(tool, server.base))
    let options = tool == "tw-avatar" ? ["--export", "pictures"] : ["--titles", "--chain"]
    // The clock stands still, so that all that is fetched again says the same.
    let environment = server.environment.merging(["TW_NOW": "2026-03-01T12:00:00Z"]) { $1 }
    func look() throws -> (result: ToolResult, pictures: [String: [UInt8]]) {
      try? FileManager.default.removeItem(atPath: home.path + "/pictures")
      let result = try Tool.run(
        tool, options + ["--db", "tw.db", "records"], environment: environment, home: home)
      var pictures: [String: [UInt8]] = [:]
      for name in (try? FileManager.default.contentsOfDirectory(atPath: home.path + "/pictures")) ?? [] {
        pictures[name] = try home.read("pictures/" + name)
      }
      return (result, pictures)
    }
    let expected = try look()
    #expect(expected.result.status == 0 && expected.result.lines.count == Self.count)
    #expect(tool == "tw-linkcheck" || expected.pictures.count == 2 * Self.count)
    try DamagedMediaTests.run("PRAGMA wal_checkpoint(TRUNCATE)", home.path + "/media.db")
    let sound = try home.read("media.db")
    // Not the head of the file: a bit there may make it one of another version, which is refused. Zeros are mostly free
    // space.
    let offsets = sound.indices.dropFirst(100).filter { sound[$0] != 0 }
    var numbers = Chance()
    var repaired = 0
    for _ in 0..<40 {
      for suffix in ["-wal", "-shm", ".damaged"] {
        try? FileManager.default.removeItem(atPath: home.path + "/media.db" + suffix)
      }
      var bytes = sound
      let offset = try #require(offsets.randomElement(using: &numbers))
      let bit = UInt8.random(in: 0..<8, using: &numbers)
      bytes[offset] ^= 1 << bit
      try Data(bytes).write(to: URL(filePath: home.path + "/media.db"))
      let asked = server.requests.count
      let found = try look()
      #expect(found.result.status == 0, "bit \(bit) of \(offset): \(found.result.errors)")
      #expect(found.result.output == expected.result.output, "bit \(bit) of \(offset)")
      #expect(found.pictures == expected.pictures, "bit \(bit) of \(offset)")
      #expect(
        found.result.errors.isEmpty || found.result.errors.contains("'media.db' was damaged"),
        "bit \(bit) of \(offset): \(found.result.errors)")
      if server.requests.count > asked { repaired += 1 }
    }
    #expect(repaired > 8)
  }
}
