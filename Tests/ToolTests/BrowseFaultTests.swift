import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore
import TweetStore

/// tw-browse among what goes wrong: services that refuse, stall or die, a terminal that goes, a kill, another browser.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseFaultTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func store(_ count: Int, from first: Int = 1) throws {
    let records = (first..<first + count).map { tweet($0, second: $0, text: "word number \($0)") }.joined()
    #expect(try add(records, ["--quiet"]).status == 0)
  }

  /// Starts it in a shell that has written down its process number.
  private func browse(_ options: String = "--offline", until text: String) throws -> (Terminal, Int32) {
    let terminal = try Terminal(
      "trap : INT; sh -c 'echo $$ > pid; exec tw-browse \(options)'; echo \"left $?\"", columns: 80, home: home)
    try terminal.wait(for: text)
    return (terminal, try process())
  }

  private func process() throws -> Int32 {
    let text = String(decoding: try home.read("pid"), as: UTF8.self)
    return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  private func waitForEnd(of process: Int32) throws {
    for _ in 1...600 where kill(process, 0) == 0 { usleep(50_000) }
    #expect(kill(process, 0) != 0, "it still runs")
  }

  /// What a service does with each request, and what is said of it. Keys are answered all the while.
  @Test(arguments: [
    ("401", "signed out, read only"), ("500", "new at"), ("close", "new at"), ("garbled", "cannot refresh '#swift"),
    ("silent", "no tweet is stored here"),
  ])
  func keysAreAnsweredWhateverTheServiceDoes(fault: String, message: String) throws {
    let command = "tw-browse --every 1h '#swift'"
    try home.write("faulty.sh", command + "\necho \"left $?\"\n")
    let terminal = try Terminal(
      "tw-local --demo --fault 'GET /2/tweets/search/recent=\(fault)' -- sh faulty.sh", columns: 80, home: home)
    try terminal.wait(for: " 1 #swift ")
    try terminal.press("?")
    try terminal.wait(for: "the next tweet")
    try terminal.press("Escape")
    try terminal.wait("the list again") { !$0.contains("the next tweet") }
    try terminal.wait(for: message)
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }

  /// A service that has gone is told of in the row below the list, which stays.
  @Test func aDeadServiceIsTold() throws {
    let script = """
      tw-local --demo --quiet > variables & service=$!
      until [ -s variables ]; do sleep 0.1; done
      eval "$(sed 's/^/export /; s/^export export/export/' variables)"
      sleep 0.5
      kill -9 $service
      tw-browse --every 1s '#swift'; echo "left $?"
      """
    try store(3)
    try home.write("dead.sh", script)
    let terminal = try Terminal("sh dead.sh", columns: 100, home: home)
    try terminal.wait("what is wrong") { $0.contains("✗") || $0.contains("cannot") || $0.contains("refused") }
    try terminal.press("?")
    try terminal.wait(for: "the next tweet")
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }

  /// Two of them on one store: what the one marks or labels, the other shows; each keeps its own place.
  @Test func twoShareAStore() throws {
    #expect(try Tool.run("tw", ["config", "set", "new-labels", "unread"], home: home).status == 0)
    try store(30)
    let (first, _) = try browse("--offline --all", until: "word number 30")
    let (second, _) = try browse("--offline --label unread", until: "word number 30")
    try second.press("j")
    try second.wait(for: "▌      word number 29")
    try first.wait("what was read for a while is no longer unread") { !$0.contains("•") }
    #expect(try second.screen().contains("▌      word number 29"))
    for terminal in [first, second] {
      try terminal.press("q")
      try terminal.wait(for: "left 0")
    }
    try checkStore()
  }

  /// After a kill that nothing can see coming, the store is whole, and the next one begins where the last was seen.
  @Test func aKillLosesNothing() throws {
    try store(50)
    let (terminal, process) = try browse(until: "word number 50")
    for _ in 1...5 { try terminal.press("j") }
    try terminal.wait(for: "▌      word number 45")
    // The place is on disk ten seconds after the last one: a file that is being written is not it yet, and neither is
    // one with a place that was left since.
    let keys = try TweetStore(store, .readOnly).keys(.everything).map(\.key)
    let key = try #require(keys.dropFirst(5).first)
    let state = home.path + "/.local/state/tw"
    try waitUntil {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? []
      return try names.contains { name in
        guard name.hasPrefix("browse-"), !name.contains(".") else { return false }
        return try String(decoding: home.read(".local/state/tw/" + name), as: UTF8.self).hasPrefix("\(key) ")
      }
    }
    kill(process, SIGKILL)
    try terminal.wait(for: "left 137")
    try checkStore()
    _ = try browse(until: "▌      word number 45")
  }

  /// A terminal that is closed, as by a lost connection, ends it, and what it has started.
  @Test func aClosedTerminalEndsIt() throws {
    try store(50)
    let (terminal, process) = try browse("--every 1s mastodon:public@127.0.0.1:1", until: " 1 mastodon:public@")
    var refresh: Int32?
    try terminal.wait("a refresh that runs") { _ in
      refresh = runningChild("tw-cache", of: process)
      return refresh != nil
    }
    terminal.hangUp()
    try waitForEnd(of: process)
    try waitForEnd(of: #require(refresh))
    try checkStore()
  }

  /// Ctrl-Z gives the terminal to the shell, and fg gives it back, with the same tweet under the cursor.
  @Test func itStopsAndGoesOnAsAJob() throws {
    try store(50)
    let terminal = try Terminal("exec bash --norc -i", columns: 80, environment: ["PS1": "shell% "], home: home)
    try terminal.wait(for: "shell% ")
    try terminal.type("tw-browse --offline")
    try terminal.press("Enter")
    try terminal.wait(for: "▌      word number 50")
    try terminal.press("j")
    try terminal.wait(for: "▌      word number 49")
    for _ in 1...2 {
      try terminal.press("C-z")
      let shell = try terminal.wait(for: "Stopped")
      #expect(!shell.contains("word number"))
      try terminal.type("stty -a | grep -o ' icanon'; clear; fg")
      try terminal.press("Enter")
      try terminal.wait(for: "▌      word number 49")
    }
    try terminal.press("k")
    try terminal.wait(for: "▌      word number 50")
    try terminal.press("q")
    try terminal.wait("the shell again") { !$0.contains("word number") && $0.contains("shell% ") }
  }

  /// Records as nobody would write them: none of them stops the list, and what can be shown is.
  @Test func strangeRecordsAreShownAsFarAsTheyCanBe() throws {
    let long = String(repeating: "long ", count: 20_000)
    let marks = "e" + String(repeating: "\u{301}", count: 2_000)
    let records = [
      tweet(1, second: 1, text: long), tweet(2, second: 2, text: marks), tweet(3, second: 3, text: ""),
      tweet(4, second: 4, text: #"\u202e\u2066\u0000\u0007 odd"#, author: "\\u001b[31mred"),
      #"{"tw":"tweet","id":"5","service":"x","text":"no author and no time"}"# + "\n",
      #"{"tw":"tweet","id":"6","service":"x","created_at":"0001-01-01T00:00:00.000Z","text":"before all times"}"#
        + "\n",
      #"{"tw":"tweet","id":"7","service":"x","created_at":"9999-12-31T23:59:59.999Z","text":"after all times","#
        + #""entities":{"urls":[{"start":-5,"end":99999,"url":"javascript:alert(1)"}]}}"# + "\n",
      tweet(
        8, second: 8, text: "deep",
        more: ",\"extra\":" + String(repeating: "[", count: 200) + String(repeating: "]", count: 200)),
    ]
    _ = try add(records.joined(), ["--quiet"])
    for columns in [20, 80, 200] {
      let terminal = try Terminal("tw-browse --offline; echo \"left $?\"", columns: columns, home: home)
      try terminal.wait(for: "after all")
      for key in [
        "j", "Enter", "Space", "Escape", "j", "Enter", "j", "j", "j", "j", "j", "j", "Escape", "o", "t", "a", "p", "g",
        "G",
      ] {
        try terminal.press(key)
      }
      try terminal.press(["Escape", "Escape", "Escape", "q"])
      try terminal.wait(for: "left 0")
    }
  }

  /// The pager and the editor get the keys that end programs, Ctrl-C and Ctrl-\, alone.
  @Test func keysThatEndProgramsEndThoseThatHaveTheTerminal() throws {
    try store(3)
    #expect(try Tool.run("tw", ["config", "set", "browse.pager", "sleep 600"], home: home).status == 0)
    try home.program("edit", "#!/bin/sh\nexec sleep 600\n")
    let terminal = try Terminal(
      "trap : INT QUIT; sh -c 'trap - INT QUIT; echo $$ > pid; exec tw-browse --offline'; echo \"left $?\"",
      columns: 160, environment: ["VISUAL": home.path + "/edit"], home: home)
    try terminal.wait(for: "word number 3")
    let process = try process()
    for (name, keys) in [
      ("pager", ["e"]), ("command", ["!", "s", "l", "e", "e", "p", "Space", "9", "9", "Enter"]),
      ("editor", ["c", "x", "C-e"]),
    ] {
      for key in ["C-c", "C-\\"] {
        try terminal.press(keys)
        try terminal.wait("the \(name)") { _ in
          ["sleep", "sh", "edit"].contains { runningChild($0, of: process) != nil }
        }
        // The shell hands the terminal over a moment after it has started.
        try terminal.wait("the terminal of the \(name)") { !$0.contains("word number 3") }
        try terminal.press(key)
        if name == "command" {
          try terminal.wait(for: "it ended ")
          try terminal.press("Enter")
        }
        try terminal.wait(for: "word number 3")
        try waitUntil { !["sleep", "sh", "edit"].contains { runningChild($0, of: process) != nil } }
        #expect(kill(process, 0) == 0, "\(key) in the \(name)")
        if name == "editor" {
          try terminal.wait(for: " failed; what it had is in ")
          try terminal.press("C-x")
          try terminal.press("y")
          try terminal.wait(for: "thrown away")
        }
      }
    }
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }

  /// Programs that are not of the kit do not get the token.
  @Test func commandsHaveNoToken() throws {
    try store(3)
    for (name, command) in [("pager", "cat; env > paged"), ("opener", "sh opener"), ("player", "sh player")] {
      #expect(try Tool.run("tw", ["config", "set", "browse.\(name)", command], home: home).status == 0)
    }
    let link =
      #","url":"https://x.example/4","entities":{"urls":[{"url":"https://m.example/4","verdict":"ok","link_kind":"music"}]}"#
    #expect(try add(tweet(4, second: 4, text: "rich", more: link)).status == 0)
    for name in ["opener", "player", "edit"] { try home.program(name, "#!/bin/sh\nenv > '\(home.path)/\(name).env'\n") }
    let terminal = try Terminal(
      "tw-browse --offline; echo \"left $?\"", columns: 80,
      environment: ["TW_TOKEN": "the-token-of-the-test", "VISUAL": home.path + "/edit"], home: home)
    try terminal.wait(for: "rich")
    try terminal.type("|env > filtered\r")
    try terminal.wait(for: "lets no tweet through")
    try terminal.type("e")
    try waitUntil { home.exists("paged") }
    try terminal.wait(for: "rich")
    try terminal.type("!env > piped\r")
    try terminal.wait(for: "[Enter]")
    try terminal.type("\r")
    try terminal.wait(for: "rich")
    try terminal.type("om")
    try waitUntil { home.exists("opener.env") && home.exists("player.env") }
    try terminal.type("c")
    try terminal.wait(for: "─ a post")
    try terminal.press("C-e")
    try waitUntil { home.exists("edit.env") }
    for name in ["filtered", "paged", "piped", "opener.env", "player.env", "edit.env"] {
      try waitUntil { try String(decoding: home.read(name), as: UTF8.self).contains("HOME=") }
      #expect(try !String(decoding: home.read(name), as: UTF8.self).contains("the-token-of-the-test"), "\(name)")
    }
  }

  /// A draft that is sent when it is killed comes back with a warning: the post may be there.
  @Test func aKillWhileAPostIsSentIsRemembered() throws {
    try store(3)
    let isOver = Mutex(false)
    defer { isOver.withLock { $0 = true } }
    let server = try LoopbackServer { _ in
      try? waitUntil(seconds: 300) { isOver.withLock { $0 } }
      return .answer(500, "")
    }
    let script = "sh -c 'echo $$ > pid; exec tw-browse --offline'; echo \"left $?\"; tw-browse --offline"
    let terminal = try Terminal(
      script, columns: 120, environment: ["TW_ENDPOINT": server.base, "TW_TOKEN": "token-of-the-test"], home: home)
    try terminal.wait(for: "word number 3")
    try terminal.press("c")
    try terminal.type("once only")
    try terminal.press("C-s")
    try terminal.wait("the request") { _ in !server.requests.isEmpty }
    try kill(process(), SIGKILL)
    try terminal.wait("the next one") { $0.contains("word number 3") && !$0.contains("posting") }
    try terminal.press("c")
    let screen = try terminal.wait(for: "this was being sent when tw-browse ended")
    #expect(screen.contains("  once only"))
  }

  /// A draft is saved when the names in its folder are on the disk as well.
  @Test(.enabled(if: FaultyDisk.library != nil, "\(FaultyDisk.comment)")) func theFolderOfADraftIsSynced() throws {
    try store(3)
    // The first sync is that of the draft, the second that of its folder.
    let faults = ["TW_DISK_FAILS_AT": "2", "TW_DISK_FAILURES": "1"]
    let environment = try #require(FaultyDisk.environment(of: home.path + "/.local/state/tw/drafts", faults))
    let terminal = try Terminal("tw-browse --offline", columns: 120, environment: environment, home: home)
    try terminal.wait(for: "word number 3")
    try terminal.press("c")
    try terminal.wait(for: "─ a post")
    try terminal.type("x")
    try terminal.wait("what became of it") { $0.contains("draft not saved") || $0.contains("draft saved") }
    #expect(try terminal.screen().contains("draft not saved"))
    try terminal.type("y")
    try terminal.wait(for: "draft saved")
  }

  /// A program that has the terminal gets Ctrl-C alone.
  @Test(arguments: ["--offline", "--offline --plain"]) func ctrlCInAProgramIsItsOwn(options: String) throws {
    try store(3)
    let (terminal, _) = try browse(options, until: "word number 3")
    try terminal.type(options.contains("plain") ? "! sleep 600\r" : "!sleep 600\r")
    let process = try process()
    try terminal.wait("the program") { _ in
      ["sleep", "sh"].contains { runningChild($0, of: process) != nil }
    }
    try terminal.press("C-c")
    try terminal.wait("what became of it") { $0.contains("it ended ") }
    if !options.contains("plain") {
      try terminal.wait(for: "[Enter]")
      try terminal.press("Enter")
    }
    try terminal.wait(for: "word number 3")
    #expect(kill(process, 0) == 0)
    try terminal.type("q\r")
    try terminal.wait(for: "left 0")
  }

  /// A store in the place of the one that was opened is read from then on; one that has gone is told of.
  @Test func aReplacedStoreIsReadAnew() throws {
    try store(3)
    try home.write("other.ndjson", tweet(900, second: 900, text: "of another store"))
    #expect(try Tool.run("tw-cache", ["add", "--quiet", "--db", "other.db", "other.ndjson"], home: home).status == 0)
    let (terminal, _) = try browse(until: "word number 3")
    let folder = home.path + "/.local/share/tw"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("tw.db") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    try terminal.wait(for: "there is no store")
    #expect(try terminal.screen().contains("word number 3"))
    try FileManager.default.moveItem(atPath: home.path + "/other.db", toPath: folder + "/tw.db")
    try terminal.wait("the other store") { $0.contains("of another store") && !$0.contains("word number") }
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }

  /// A tweet that is forgotten, or deleted while it is read, is marked; then it is gone.
  @Test func whatIsGoneIsMarkedWhereItIsRead() throws {
    try store(4)
    let (terminal, _) = try browse(until: "word number 4")
    #expect(try cache("forget", "--yes", "4").status == 0)
    try terminal.wait(for: "no longer stored")
    try terminal.press("g")
    try terminal.wait(for: "▌      word number 3")
    try terminal.press("Enter")
    try terminal.wait(for: "id 3\n")
    #expect(try add(#"{"tw":"delete","service":"x","id":"3"}"# + "\n").status == 0)
    try terminal.wait(for: "[deleted]")
    #expect(try terminal.screen().contains("id 3\n"))
  }

  /// Where a draft cannot be written, it is not dropped.
  @Test func aDraftThatCannotBeKeptStays() throws {
    try store(3)
    let (terminal, _) = try browse(until: "word number 3")
    try terminal.press("c")
    try terminal.wait(for: "─ a post")
    // A folder has the name of the file.
    let folder = home.path + "/.local/state/tw/drafts"
    let lock = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".lock") })
    try FileManager.default.createDirectory(
      atPath: "\(folder)/\(lock.dropLast(5))/inside", withIntermediateDirectories: true)
    try terminal.type("not to be lost")
    try terminal.wait(for: "draft not saved")
    try terminal.press("Escape")
    let screen = try terminal.wait(for: "not kept: ")
    #expect(screen.contains("  not to be lost"))
    try terminal.press("C-x")
    try terminal.press("y")
    try terminal.wait(for: "thrown away")
  }
}
