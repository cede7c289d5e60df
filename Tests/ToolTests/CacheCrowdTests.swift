import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// The promises of the store under load: crowds, crashes, places where nothing can be written.
@Suite(.onOwnThread(minutes: 30)) struct CacheCrowdTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// `TW_CRASH_ROUNDS` says how often; `make crash` asks for many.
  private static let crashRounds =
    ProcessInfo.processInfo.environment["TW_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

  /// Whatever the moment: what was printed is in the store, and the store is whole. Two writers at a time, new tweets and
  /// updates of old ones, so that all tables are in the middle of something.
  @Test func killedAtAnyMoment() throws {
    var printed: Set<String> = []
    var killed = 0
    for round in 0..<Self.crashRounds {
      let tools = try (0..<2).map { writer in
        let tool = try RunningTool("tw-cache", ["add"], home: home)
        var input = ""
        for number in 0..<2000 {
          let id = (round * 2 + writer) * 2000 + number
          input += tweet(id, second: number, text: "round \(round)", author: "w\(writer)", tags: ["t\(number % 9)"])
          if number % 3 == 0 {
            input += tweet(id / 2, text: "round \(round)", author: "w\(writer)", likes: round, read: round * 9)
          }
        }
        tool.send(ToolInput(input))
        return tool
      }
      if round % 2 == 0 {
        try tools[0].waitForLines(Int.random(in: 1...1500))
      } else {
        usleep(UInt32.random(in: 1000...150_000))
      }
      for tool in tools { tool.signal(SIGKILL) }
      for tool in tools {
        let result = try tool.finish()
        if result.ending == .signal(SIGKILL) { killed += 1 }
        // A last line without its end was not wholly printed.
        printed.formUnion(
          ids(result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)))
      }
      if round % 10 == 9 || round == Self.crashRounds - 1 {
        #expect(printed.subtracting(Set(try list())) == [])
        let check = try cache("check")
        #expect(check.output == "" && check.errors == "" && check.status == 0)
      }
    }
    #expect(!printed.isEmpty && killed == 2 * Self.crashRounds)
  }

  /// Six programs that write and six that read, all at once: nobody is ever told that the store is locked.
  @Test func sixWritersAndSixReaders() throws {
    _ = try add(tweet(1, text: "common word"))
    let writers = try (0..<6).map { writer in
      let tool = try RunningTool("tw-cache", ["add"], home: home)
      var input = ""
      for number in 0..<600 {
        input += tweet(
          1000 * (writer + 1) + number, second: number, text: "common word \(number)", author: "w\(writer)",
          feeds: ["f"])
        if number % 5 == 0 { input += tweet(number, likes: writer, read: writer, tags: ["shared"]) }
      }
      tool.send(ToolInput(input))
      return tool
    }
    let commands = [
      ["list"], ["list", "--search", "common"], ["stats"], ["top", "hashtags"], ["export"], ["list", "--feed", "f"],
    ]
    for _ in 0..<3 {
      let readers = try commands.map { try RunningTool("tw-cache", $0, home: home) }
      for reader in readers {
        let result = try reader.finish()
        #expect(result.errors == "" && result.status == 0 && !result.output.isEmpty)
      }
    }
    for writer in writers {
      let result = try writer.finish()
      #expect(result.errors == "" && result.status == 0)
      #expect(result.lines.count == 720)
    }
    #expect(try list("--search", "common").count == 3601)
    #expect(try cache("check").status == 0)
  }

  private static let isRoot = getuid() == 0
  private static let tools = ["/usr/bin/setpriv", "/bin/mount"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A disk of 6 MB that is full in the middle of it, where root may mount one.
  @Test(.enabled(if: isRoot && tools, "needs root, to mount a small disk"))
  func aSmallDisk() throws {
    let disk = home.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    guard try Tool.run("/bin/mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", disk]).status == 0 else {
      print("skipped, since no disk can be mounted here")
      return
    }
    defer { _ = try? Tool.run("/bin/umount", [disk]) }
    let text = String(repeating: "word ", count: 100)
    try home.write("input", (0..<28_000).map { tweet($0, second: $0 % 3600, text: text) }.joined())
    let result = try cache("add", "--db", disk + "/tw.db", "input")
    #expect(result.errors == "tw-cache: cannot write to '\(disk)/tw.db': the disk is full\n" && result.status == 74)
    let stored = Set(ids(try cache("list", "--db", disk + "/tw.db").lines))
    #expect(!result.lines.isEmpty && Set(ids(result.lines)).isSubset(of: stored) && stored.count < 28_000)
    // With room again, a start from where it stood is all that is needed: here by taking old tweets out.
    #expect(try cache("check", "--db", disk + "/tw.db").status == 0)
  }

  /// A store that belongs to somebody else can be read, and says so when it is to be written.
  @Test(.enabled(if: isRoot && tools, "needs root, to be somebody else"))
  func aStoreThatMayOnlyBeRead() throws {
    _ = try add(tweet(1), ["--db", "tw.db"])
    for path in ["", "/tw.db", "/tw.db-wal", "/tw.db-shm", "/tw.db.lock"] where path.isEmpty || home.exists(path) {
      chmod(home.path + path, path.isEmpty ? 0o755 : 0o444)
    }
    func asNobody(_ arguments: String...) throws -> ToolResult {
      let path = Tool.path("tw-cache")
      return try Tool.run(
        "/usr/bin/setpriv", ["--reuid=65534", "--clear-groups", path] + arguments, stdin: ToolInput(tweet(2)),
        home: home)
    }
    let read = try asNobody("list", "--db", "tw.db")
    // A build folder that is its owner's alone cannot be run from.
    if read.status == 127 || read.errors.contains("ermission denied") && read.errors.contains("setpriv") { return }
    #expect(read.output == tweet(1) && read.errors == "" && read.status == 0)
    let written = try asNobody("add", "--db", "tw.db")
    #expect(written.errors.hasPrefix("tw-cache: cannot ") && written.errors.contains("tw.db"))
    #expect(written.output == "" && (written.status == 73 || written.status == 74))
  }

  @Test func placesThatAreNoFile() throws {
    try home.write("folder/.keep", "")
    let listed = try cache("list", "--db", "folder")
    #expect(listed.errors == "tw-cache: cannot open 'folder': is a directory\n" && listed.status == 66)
    let added = try cache("add", "--db", "folder", stdin: tweet(1))
    #expect(added.errors == "tw-cache: cannot open 'folder': is a directory\n" && added.status == 73)
    for place in ["/proc/tw.db", "/dev/null/tw.db"] {
      let result = try Tool.run(
        "tw-cache", ["add"], stdin: ToolInput(tweet(1)), environment: ["TW_DB": place], home: home)
      #expect(result.errors.contains("'\(place)'") || result.errors.contains("'/dev/null'"))
      #expect(result.output == "" && result.status == 73)
    }
  }

  /// Without waiting for the disk the same is stored.
  @Test func withoutSync() throws {
    let input = (0..<500).map { tweet($0, second: $0) }.joined()
    #expect(try add(input, ["--no-sync"]).output == input)
    #expect(try list().count == 500)
    try checkStore()
  }

  /// Progress is drawn on a terminal only, which script(1) makes.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"))
  func progressOnATerminal() throws {
    let text = String(repeating: "word ", count: 400)
    try home.write("input", (0..<30_000).map { tweet($0, second: $0 % 3600, text: text) }.joined())
    let result = try Tool.shell("script -qec 'tw-cache add input > output' /dev/null", home: home)
    #expect(result.status == 0)
    #expect(result.output.contains("tw-cache [") && result.output.contains("%"))
  }
}
