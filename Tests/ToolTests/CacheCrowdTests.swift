import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// The store with many processes at once, after crashes, and where it cannot be written.
@Suite(.onOwnThread(minutes: 30)) struct CacheCrowdTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// How many rounds of killed writers: `TW_CRASH_ROUNDS`, which `make crash` sets.
  private static let crashRounds =
    ProcessInfo.processInfo.environment["TW_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

  /// Two writers at a time are killed at random moments. All they have printed is in the store, and the store has no
  /// faults. They write new tweets and updates of old ones, which touches all tables.
  @Test func killedWritersLoseNothingTheyHavePrinted() throws {
    var printed: Set<String> = []
    var killed = 0
    var chance = Chance()
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
        try tools[0].waitForLines(chance.number(in: 1...1500))
      } else {
        chance.pause(upTo: 150_000)
      }
      for tool in tools { tool.signal(SIGKILL) }
      for tool in tools {
        let result = try tool.finish()
        if result.ending == .signal(SIGKILL) { killed += 1 }
        // A last line without a newline was not printed completely.
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

  /// Six programs write and six read at once. None of them ever reports a locked store.
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

  /// Whether a command succeeds. Conditions of tests are evaluated on the testing library's pool, where ``Tool``
  /// refuses to wait.
  private static func succeeds(_ words: [String], in directory: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// The options of unshare(1) with which this user can mount a tmpfs that nobody else sees; `nil` if there are none.
  static let privateMounts: [String]? = [["--mount"], ["--map-root-user", "--mount"]].first { options in
    guard let disk = try? TemporaryDirectory() else { return false }
    let mount = ["/bin/mount", "-t", "tmpfs", "tmpfs", disk.path]
    return succeeds(["/usr/bin/unshare"] + options + mount, in: disk.path)
  }

  /// The disk is full in the middle of a run; later it is made larger.
  @Test(.enabled(if: privateMounts != nil, "needs the right to mount a disk of memory: root, or user namespaces"))
  func aSmallDisk() throws {
    let text = String(repeating: "word ", count: 100)
    try home.write("input", (0..<14_000).map { tweet($0, second: $0 % 3600, text: text) }.joined())
    // The disk exists as long as this shell.
    try home.write(
      "script",
      """
      mkdir disk && mount -t tmpfs -o size=14m tmpfs disk || exit 99
      tw-cache add --db disk/tw.db input > printed 2> errors
      echo $? > status
      tw-cache list --db disk/tw.db > stored && tw-cache check --db disk/tw.db || exit 98
      mount -o remount,size=200m disk || exit 97
      tw-cache add --db disk/tw.db input > again && tw-cache list --db disk/tw.db > all && tw-cache check --db disk/tw.db
      """)
    let result = try Tool.run(
      "/usr/bin/unshare", try #require(Self.privateMounts) + ["/bin/sh", "script"], home: home)
    #expect(result.ending == .status(0) && result.output == "" && result.errors == "")
    func tweets(in file: String) throws -> Set<String> {
      Set(ids(String(decoding: try home.read(file), as: UTF8.self).split(separator: "\n").map(String.init)))
    }
    #expect(try home.read("status") == Array("74\n".utf8))
    #expect(
      try String(decoding: home.read("errors"), as: UTF8.self)
        == "tw-cache: cannot write to '\(home.path)/disk/tw.db': the disk is full\n")
    let (printed, stored) = (try tweets(in: "printed"), try tweets(in: "stored"))
    #expect(!printed.isEmpty && printed.isSubset(of: stored) && stored.count < 14_000)
    // With room again, the same command stores all.
    #expect(try tweets(in: "all").count == 14_000)
    #expect(try home.read("again") == home.read("input"))
  }

  /// A store on a medium that cannot be written: everything that reads works, and nothing is created beside it.
  @Test(.enabled(if: privateMounts != nil, "needs the right to mount a disk of memory: root, or user namespaces"))
  func aReadOnlyMedium() throws {
    _ = try add(tweet(1, second: 1, tags: ["a"]) + tweet(2, second: 2, text: "tide"))
    #expect(try cache("label", "+later", "1").status == 0 && cache("query", "save", "q", "tide").status == 0)
    #expect(try cache("backup", "copy.db").status == 0)
    try home.write(
      "script",
      """
      mkdir disk && mount -t tmpfs tmpfs disk && cp copy.db disk/tw.db && mount -o remount,ro disk || exit 99
      run() { tw-cache "$@" --db disk/tw.db; echo "$1 $?"; }
      run check
      for options in '--label later' '--query q' '--host example.com' '--search tide'; do
        tw-cache list --count --db disk/tw.db $options || echo "list $?"
      done
      run backup again.db; tw-cache check --db again.db; ls disk
      run label +a 1; run check --repair; run prune --yes --older-than 2021-12-01
      ls disk
      """)
    let result = try Tool.run(
      "/usr/bin/unshare", try #require(Self.privateMounts) + ["/bin/sh", "script"], home: home)
    #expect(
      result.lines == [
        "check 0", "1", "1", "0", "1", "backup 0", "tw.db", "label 73", "check 0", "prune 73", "tw.db",
      ], "\(result.output)")
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 3 && errors.count { $0.lowercased().hasSuffix("read-only file system") } == 2, "\(errors)")
  }

  /// A command before a tool's name that makes it respect the permissions of files also for root; `nil` if there is
  /// none.
  private static let respectingPermissions: [String]? = {
    let words = getuid() == 0 ? ["/usr/bin/setpriv", "--inh-caps=-all", "--bounding-set=-all"] : []
    guard let directory = try? TemporaryDirectory(), let file = try? directory.write("file", "") else { return nil }
    chmod(file, 0o444)
    return succeeds(words + ["/bin/sh", "-c", "test -r file && ! test -w file"], in: directory.path) ? words : nil
  }()

  /// What a process leaves beside its store: nothing at a normal end; a log and its index when it is killed.
  enum Leftovers: CaseIterable { case none, logAndIndex, logAlone }

  /// A store that this process cannot write to can be read. A writer gets an error.
  @Test(
    .enabled(if: respectingPermissions != nil, "needs setpriv(1) where root runs it"), arguments: Leftovers.allCases)
  func aStoreWithoutWritePermission(left: Leftovers) throws {
    let first = try RunningTool("tw-cache", ["add", "--db", "tw.db"], home: home)
    first.send(ToolInput(tweet(1)))
    #expect(try first.line() != nil)
    if left != .none { first.signal(SIGKILL) }
    _ = try first.finish()
    let log = try FileManager.default.attributesOfItem(atPath: home.path + "/tw.db-wal")[.size] as? Int
    #expect((left == .none) == (log == 0))
    if left == .logAlone { try FileManager.default.removeItem(atPath: home.path + "/tw.db-shm") }
    for path in ["/tw.db", "/tw.db-wal", "/tw.db-shm", "/tw.db.lock"] where home.exists(path) {
      chmod(home.path + path, 0o444)
    }
    func run(_ arguments: String...) throws -> ToolResult {
      let words = try #require(Self.respectingPermissions) + [Tool.path("tw-cache")] + arguments
      return try Tool.run(words[0], Array(words.dropFirst()), stdin: ToolInput(tweet(2)), home: home)
    }
    chmod(home.path, 0o555)
    let read = try run("list", "--db", "tw.db")
    let written = try run("add", "--db", "tw.db")
    chmod(home.path, 0o755)
    if left == .logAlone {
      // The log's index is missing, and this process cannot create it.
      #expect(read.errors.contains("'tw.db-wal' is not yet copied in") && read.output == "" && read.status == 73)
    } else if left == .logAndIndex {
      // The tweet came alone, and waits to be moved.
      #expect(read.output == tweet(1) && read.errors == "" && read.status == 0)
    } else {
      #expect(read.output == tweet(1) && read.errors == "" && read.status == 0)
    }
    #expect(written.errors.hasPrefix("tw-cache: cannot ") && written.errors.contains("tw.db"))
    #expect(written.output == "" && written.status == 73)
    #expect(try list("--db", "tw.db") == ["1"])
  }

  /// The log is written at the commit. Here it may not grow, so exactly the commit fails.
  @Test(.enabled(if: Sanitizer.allowsFileLimits))
  func aRecordWhoseCommitFailedIsNotPrinted() throws {
    _ = try add(tweet(1))
    let failed = try Tool.shell("ulimit -f 40; exec tw-cache add", stdin: ToolInput(tweet(2)), home: home)
    #expect(failed.output == "" && failed.status == 74)
    #expect(failed.errors.hasPrefix("tw-cache: cannot write to '\(store)': "))
    #expect(failed.errors.split(separator: "\n").count == 1)
    #expect(try list() == ["1"])
    let again = try add(tweet(2), ["--new-only"])
    #expect(again.output == tweet(2) && again.errors == "" && again.status == 0)
    try checkStore()
  }

  /// A signal ends a writer that waits for the lock. Another one waits until it gets the lock, and then stores its
  /// tweet.
  @Test func aSignalEndsTheWaitForTheStore() throws {
    _ = try add(tweet(1))
    let database = try Database(store, TweetStore.kind, .readWrite)
    try database.begin()
    let stopped = try RunningTool("tw-cache", ["add"], home: home)
    stopped.send(ToolInput(tweet(2)))
    usleep(300_000)
    stopped.signal(SIGTERM)
    let start = MonotonicClock.milliseconds
    #expect(try stopped.finish().ending == .signal(SIGTERM))
    #expect(MonotonicClock.milliseconds - start < 20_000)

    let patient = try RunningTool("tw-cache", ["add"], home: home)
    patient.send(ToolInput(tweet(3)))
    usleep(300_000)
    #expect(try list() == ["1"])
    database.rollback()
    #expect(try patient.line().map { $0 + "\n" } == tweet(3))
    #expect(try patient.finish().status == 0)
    #expect(try list() == ["3", "1"])
  }

  @Test func pathsThatCannotBeAStore() throws {
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

  /// `--no-sync` stores the same.
  @Test func withoutSync() throws {
    let input = (0..<500).map { tweet($0, second: $0) }.joined()
    #expect(try add(input, ["--no-sync"]).output == input)
    // A checkpoint on disk would say that its tweets are, too.
    let refused = try add(input, ["--no-sync", "--state", home.path + "/state"])
    #expect(refused.status == 64 && refused.errors.contains("--no-sync") && !home.exists("state"))
    #expect(try list().count == 500)
    try checkStore()
  }

  /// Progress is drawn only on a terminal. script(1) makes one.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"))
  func progressOnATerminal() throws {
    let text = String(repeating: "word ", count: 400)
    try home.write("input", (0..<20_000).map { tweet($0, second: $0 % 3600, text: text) }.joined())
    let result = try Tool.shell("TERM=xterm script -qec 'tw-cache add input > output' /dev/null", home: home)
    #expect(result.status == 0)
    #expect(result.output.contains("tw-cache [") && result.output.contains("%"))
  }
}
