import Foundation
import TestSupport
import Testing

/// `tw doctor` on stores, outbox, sources and cron.
@Suite(.onOwnThread) struct DoctorStoreTests: DoctorSuite {
  let home: TemporaryDirectory
  private var store: String { home.path + "/.local/share/tw/tw.db" }

  init() throws {
    home = try Self.makeHome()
    let tweet = #"{"tw":"tweet","id":"1","service":"x","text":"hello","author":{"id":"1","username":"a"}}"# + "\n"
    #expect(try run("tw-cache", ["add"], stdin: tweet).status == 0)
  }

  @discardableResult
  private func run(_ tool: String, _ words: [String], stdin: String = "", _ more: [String: String] = [:]) throws
    -> ToolResult
  {
    try Tool.run(tool, words, stdin: ToolInput(stdin), environment: environment(more), home: home)
  }

  private func python(_ script: String) throws {
    let result = try Tool.run("/usr/bin/env", ["python3", "-c", script, store], environment: environment(), home: home)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func aSoundStoreIsOk() throws {
    let findings = try doctor("--offline")
    let message = findings.first { $0.topic == "store" }?.message ?? ""
    #expect(message.hasPrefix("'\(store)', ") && message.contains("'tw-cache check' reads all of it"), "\(findings)")
    #expect(findings.contains { $0.topic == "disk" && $0.message.contains(" are free at '\(home.path)") })
    #expect(findings.contains { $0.topic == "outbox" && $0.state == "ok" })
  }

  /// A backup or a repair needs as much again; the log counts. (The file has a hole.)
  @Test func aDiskTooSmallForASecondStoreIsSaid() throws {
    try python(
      "import os, sys; disk = os.statvfs(sys.argv[1]); "
        + "open(sys.argv[1] + '-wal', 'w').truncate(disk.f_bavail * disk.f_frsize + (1 << 30))")
    let findings = try doctor("--offline")
    let disk = findings.first { $0.topic == "disk" }
    #expect(disk?.state == "note" && disk?.message.contains("too little for a second store") == true, "\(findings)")
  }

  @Test func damageIsRepaired() throws {
    let sqlite = "import sqlite3, sys; "
    try python(sqlite + "sqlite3.connect(sys.argv[1]).execute('DROP INDEX runs_by_source')")
    try expectMended("store", "the index runs_by_source is missing", by: "tw-cache check --repair")
    // Cut off.
    try python("import os, sys; os.truncate(sys.argv[1], os.path.getsize(sys.argv[1]) // 2 // 8192 * 8192)")
    try expectMended("store", store, by: "tw-cache check --repair")
    // The first page is gone.
    try python("import sys; file = open(sys.argv[1], 'r+b'); file.write(b'x' * 4096)")
    try expectMended("store", store, by: "tw-cache check --repair")
    #expect(try run("tw-cache", ["check"]).status == 0)
  }

  @Test func filesOfOthersAreLeftAlone() throws {
    let script =
      "import os, sqlite3, sys; os.remove(sys.argv[1]); sqlite3.connect(sys.argv[1]).execute('CREATE TABLE a (b)')"
    try python(script)
    try expectMended("store", "is a database, but no tweet store", by: "mv \(store) \(store).old")
    #expect(try run("tw-cache", ["add"]).status == 0)
    try python("import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')")
    try expectMended("store", "was made by another version", by: "mv \(store) \(store).old")
    #expect(try run("tw-cache", ["add"]).status == 0)
    let media = home.path + "/.local/share/tw/media.db"
    try python(
      "import os, sqlite3, sys; sqlite3.connect(os.path.dirname(sys.argv[1]) + '/media.db').execute('CREATE TABLE a (b)')"
    )
    try expectMended("store", media, by: "mv \(media) \(media).old")
  }

  /// A disk with too little room for a day; the command that makes some says first how much would go.
  @Test(.enabled(if: CacheCrowdTests.privateMounts != nil, "needs the right to mount a disk of memory"))
  func aSmallDiskIsTold() throws {
    try home.write(
      "script",
      """
      mkdir disk && mount -t tmpfs -o size=20m tmpfs disk || exit 99
      tw config set db "$HOME/disk/tw.db" && tw-cache add < /dev/null
      tw doctor --offline --json; echo '{"topic":"'$?'","state":"","message":""}'
      tw-cache prune --older-than 1y --dry-run > removed
      """)
    let result = try Tool.run(
      "/usr/bin/unshare", try #require(CacheCrowdTests.privateMounts) + ["/bin/sh", "script"],
      environment: environment(), home: home)
    #expect(result.ending == .status(0) && result.errors == "")
    let findings = try DoctorFinding.all(of: result.lines)
    let disk = try #require(findings.first { $0.topic == "disk" })
    #expect(disk.state == "fault" && disk.message.hasSuffix("MiB are free at '\(home.path)/disk'"), "\(disk)")
    #expect(disk.mend == "tw-cache prune --older-than 1y" && findings.last?.topic == "1")
    #expect(String(decoding: try home.read("removed"), as: UTF8.self).hasPrefix("tweets\t0\n"))
  }

  /// Where nothing can be removed before there is room, removing is not the advice; and what must not be written is
  /// told.
  @Test(.enabled(if: CacheCrowdTests.privateMounts != nil, "needs the right to mount a disk of memory"))
  func aFullDiskAndAReadOnlyOneAreTold() throws {
    try home.write(
      "script",
      """
      mkdir disk && mount -t tmpfs -o size=6m tmpfs disk || exit 99
      tw config set db "$HOME/disk/tw.db" && tw-cache add < /dev/null
      head -c 20m /dev/zero > disk/fill 2> /dev/null
      tw doctor --offline --json; rm disk/fill
      mount -o remount,ro disk || exit 98
      tw doctor --offline --json; echo '{"topic":"'$?'","state":"","message":""}'
      """)
    let result = try Tool.run(
      "/usr/bin/unshare", try #require(CacheCrowdTests.privateMounts) + ["/bin/sh", "script"],
      environment: environment(), home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    let findings = try DoctorFinding.all(of: result.lines)
    let disk = try #require(findings.first { $0.topic == "disk" })
    #expect(disk.state == "fault" && disk.mend?.contains("prune") == false, "\(disk)")
    let stores = findings.filter { $0.topic == "store" }
    let last = try #require(stores.last)
    #expect(last.state == "fault" && last.message.contains("cannot be written"), "\(stores)")
    #expect(last.mend?.contains("mount -o remount,rw") == true && findings.last?.topic == "1")
  }

  #if os(Linux)
    /// A program that was stopped while it held the lock goes on.
    @Test func aHeldLockIsReleased() throws {
      try home.write(
        "hold.py",
        """
        import fcntl, os, signal, sys
        file = open(sys.argv[1] + ".lock", "r+")
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
        print("held", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)
        """)
      let holder = try RunningTool(
        "/usr/bin/env", ["python3", "hold.py", store], environment: environment(), home: home)
      defer { holder.signal(SIGKILL) }
      #expect(try holder.line() == "held")
      try expectMended("store", "has held '\(store).lock' for 3 s: 'python3'", by: "kill -CONT \(holder.processID)")
    }
  #endif

  @Test func writesThatWaitAreSent() throws {
    let service = try LocalService()
    #expect(try run("tw-post", ["--later", "good morning"], service.environment).status == 0)
    try expectMended(
      "outbox", "one write waits", state: "note", by: "tw-post flush", environment: service.environment)
    // One that a program did not live to tell of.
    #expect(try run("tw-post", ["--later", "good evening"], service.environment).status == 0)
    try python(
      "import os, sqlite3, sys; outbox = sqlite3.connect(os.path.dirname(sys.argv[1]) + '/outbox.db'); "
        + "outbox.execute(\"UPDATE writes SET state = 'refused', note = 'too long' WHERE state = 'queued'\"); outbox.commit()"
    )
    let number = try #require(run("tw-post", ["outbox"]).lines.first?.prefix { $0 != "\t" })
    try expectMended(
      "outbox", "was refused: too long", by: "tw-post --yes outbox drop \(number)", environment: service.environment)
  }

  // MARK: Sources and cron

  private static let aRound = #"printf '{"tw":"refresh","feed":"%s"}\n' "$TW_FEED""#

  private func addSource(_ script: String = Self.aRound) throws {
    try StreamPluginTests.add(script, "test", to: home)
    #expect(try run("tw-cache", ["source", "add", "test:it's"]).status == 0)
  }

  @Test func aSourceThatFailsIsAskedAgain() throws {
    try addSource(#"[ -e "$HOME/well" ] || exit 69; "# + Self.aRound)
    #expect(try run("tw-cache", ["refresh", "-q"]).status == 69)
    #expect(try doctor("--offline").contains { $0.topic == "sources" && $0.state == "fault" })
    try home.write("well", "")
    try expectMended("sources", "test:it's fails since", by: #"tw-cache refresh 'test:it'\''s'"#)
    for number in 1...7 {
      #expect(try run("tw-cache", ["source", "add", "test:\(number)"]).status == 0)
      if number != 5 { continue }
      unlink(home.path + "/well")
      #expect(try run("tw-cache", ["refresh", "-q"] + (1...5).map { "test:\($0)" }).status == 69)
      #expect(try doctor("--offline").count { $0.topic == "sources" && $0.state == "fault" } == 5)
    }
    #expect(try run("tw-cache", ["refresh", "-q"]).status == 69)
    let faults = try doctor("--offline").filter { $0.topic == "sources" && $0.state == "fault" }
    #expect(
      faults.count == 6 && faults[5].message == "2 sources more fail" && faults[5].mend == "tw-cache status",
      "\(faults)")
  }

  @Test func cronIsSetUp() throws {
    try addSource()
    let adding = "(crontab -l; tw-cache cron) | crontab -"
    try expectMended("cron", "1 sources are late", by: adding)
    #expect(try doctor("--offline").contains { $0.topic == "cron" && $0.message.contains("tw-cache refresh") })
    // The tools have moved; other lines stay.
    try home.write("crontab", "@daily true\n*/15 * * * * /no/such/tw-cache refresh --complain-after 6h\n")
    try expectMended(
      "cron", "'/no/such/tw-cache', which is not there",
      by: "(crontab -l | grep -v 'tw-cache.* refresh'; tw-cache cron) | crontab -")
    #expect(String(decoding: try home.read("crontab"), as: UTF8.self).hasPrefix("@daily true\n"))
    // Who refreshes in another way is only told.
    unlink(home.path + "/crontab")
    #expect(try run("tw-cache", ["refresh", "-q"]).status == 0)
    try expectMended("cron", "but no source is late", state: "note", by: adding)
    // systemd's timer is as good.
    unlink(home.path + "/crontab")
    try home.program("bin/systemctl", "#!/bin/sh\necho enabled\n")
    #expect(try doctor("--offline").contains { $0.topic == "cron" && $0.state == "ok" })
    // A paused source waits for nothing.
    #expect(try run("tw-cache", ["source", "pause", "test:it's"]).status == 0)
    #expect(try !doctor("--offline").contains { $0.topic == "cron" })
  }

  /// Late is a source after twice its interval, and not in the first ten minutes.
  @Test func aSourceIsLateByItsOwnInterval() throws {
    try addSource()
    for (every, minutes) in [
      ("1d", [(24 * 60 + 30, 0), (3 * 24 * 60 - 1, 0), (3 * 24 * 60 + 1, 1)]), ("1m", [(10, 0), (12, 1)]),
    ] {
      #expect(try run("tw-cache", ["source", "add", "test:it's", "--every", every]).status == 0)
      let start = Date.now
      #expect(try run("tw-cache", ["refresh", "-q", "test:it's"]).status == 0)
      for (minute, late) in minutes {
        let now = ["TW_NOW": start.addingTimeInterval(Double(minute * 60)).ISO8601Format()]
        let found = try doctor("--offline", environment: now).filter { $0.topic == "cron" }
        #expect(found.map(\.state) == [late == 0 ? "note" : "fault"], "\(every), \(minute): \(found)")
      }
    }
  }
}
