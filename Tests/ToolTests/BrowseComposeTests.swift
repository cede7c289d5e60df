import Foundation
import TestSupport
import Testing
import TweetCore

/// What tw-browse tests have in common.
protocol BrowseSuite: CacheSuite {}

extension BrowseSuite {
  /// Starts a script in a terminal, and waits for a text.
  func start(
    _ script: String, columns: Int = 100, until text: String, environment: [String: String] = [:]
  ) throws -> Terminal {
    let terminal = try Terminal(script + "\necho \"left $?\"", columns: columns, environment: environment, home: home)
    try terminal.wait(for: text)
    return terminal
  }

  /// Starts tw-browse on a store with a few tweets.
  func browse(_ options: String = "--offline", columns: Int = 100, environment: [String: String] = [:]) throws
    -> Terminal
  {
    try start("tw-browse \(options)", columns: columns, until: "hello from 1", environment: environment)
  }

  /// Stores a few tweets.
  func storeSome(_ more: String = "") throws {
    let records = (1...9).map { tweet($0, second: $0, text: "hello from \($0)") }.joined()
    #expect(try add(records + more).status == 0)
  }

  /// Writes down that accounts of X are signed in.
  func credentials(_ names: String...) throws {
    let accounts = names.map {
      #"{"service":"x","name":"\#($0)","base":"http://127.0.0.1:9","method":"oauth2","client_id":"tw","scopes":["tweet.read"]}"#
    }
    let path = try home.write(".config/tw/credentials.json", #"{"accounts":[\#(accounts.joined(separator: ","))]}"#)
    chmod(path, 0o600)
  }

  /// Waits until the tweets with a label are these.
  func wait(for wanted: [String], labelled label: String) throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while try list("--label", label) != wanted {
      try #require(Date() < deadline)
      usleep(50_000)
    }
  }

  /// Files below a folder, without their folders.
  func files(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: home.path + "/" + folder))?.sorted() ?? []
  }

  func config(_ words: String...) throws -> ToolResult { try Tool.run("tw", ["config"] + words, home: home) }
}

/// Posts that are written at the bottom of the screen of tw-browse.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseComposeTests: BrowseSuite {
  let home: TemporaryDirectory
  private static let drafts = ".local/state/tw/drafts"

  init() throws { home = try TemporaryDirectory() }

  private var savedDrafts: [String] { files(in: Self.drafts).filter { !$0.hasSuffix(".lock") } }

  /// The list stays in view, the length is that of the service, and what was posted can be taken back.
  @Test func aPostIsWrittenBelowTheListAndTakenBack() throws {
    let terminal = try start("tw-local --demo --rate 0 -- tw-browse --every 1h '#swift'", until: "▌")
    try terminal.press("c")
    try terminal.wait(for: "0 of 280")
    try terminal.type("Swifts over the roofs")
    let screen = try terminal.wait(for: "21 of 280")
    #expect(screen.contains("─ a post ─") && screen.contains("▌"))
    try terminal.wait(for: "draft saved")
    try terminal.press("C-s")
    try terminal.wait(for: "u undo post")
    #expect(try !terminal.screen().contains("a post ─"))
    try terminal.press("u")
    try terminal.wait(for: "deleted")
  }

  /// An answer is stored as one, with its thread: a line of hyphens begins the next post.
  @Test func aThreadAnswersATweet() throws {
    let terminal = try start(
      "tw-local --demo --rate 0 -- sh -c 'tw-browse --every 1h \"#swift\"; tw-cache list --search tail | grep -c replied_to'",
      until: "▌")
    try terminal.press("r")
    try terminal.wait(for: "reply to @")
    try terminal.type("head of the tail")
    for key in ["Enter", "-", "-", "-", "Enter"] { try terminal.press(key) }
    try terminal.type("end of the tail")
    try terminal.wait(for: "post 2 of 2 · 15 of 280")
    try terminal.press("C-s")
    try terminal.wait(for: "u undo post")
    try terminal.press("q")
    try terminal.wait(for: "2\nleft 0")
  }

  /// What the service refuses comes back with the reason, and nothing of it is lost.
  @Test func aRefusedPostComesBack() throws {
    let terminal = try start(
      "tw-local --demo --rate 0 --fault 'POST /2/tweets=403' -- tw-browse --every 1h '#swift'", until: "▌")
    try terminal.press("c")
    try terminal.type("nobody may read this")
    try terminal.wait(for: "draft saved")
    try terminal.press("C-s")
    let screen = try terminal.wait(for: "not posted: ")
    #expect(screen.contains("  nobody may read this") && screen.contains("a post ─"))
    try terminal.press("C-s")
    try terminal.wait(for: "u undo post")
  }

  /// A text that is too long is not sent, and says so.
  @Test func aPostThatIsTooLongIsNotSent() throws {
    try storeSome()
    let terminal = try browse()
    try terminal.press("c")
    try terminal.wait(for: "0 of 280")
    try terminal.paste(String(repeating: "Long words. ", count: 30))
    try terminal.wait(for: "of 280 · draft saved")
    try terminal.press("C-s")
    try terminal.wait(for: "too long, 3")
    #expect(savedDrafts.count == 1)
  }

  /// A draft is there again after the process was killed, and only its owner can read it.
  @Test func aDraftSurvivesAKill() throws {
    try storeSome()
    let first = try start("sh -c 'echo $$ > pid; exec tw-browse --offline'", until: "hello from 9")
    try first.press("r")
    try first.wait(for: "reply to @jack")
    try first.type("half a thought")
    try first.wait(for: "draft saved")
    let file = try #require(savedDrafts.first)
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(home.path)/\(Self.drafts)/\(file)")
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    let process = String(decoding: try home.read("pid"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try Tool.run("/bin/sh", ["-c", "kill -KILL \(process)"], home: home)
    try first.wait(for: "left ")
    let second = try browse()
    // Another tweet has no draft.
    try second.press("j")
    try second.press("r")
    #expect(try !second.wait(for: "reply to @jack").contains("half a thought"))
    try second.press("Escape")
    try second.press("k")
    try second.press("r")
    let screen = try second.wait(for: "the draft that you left")
    #expect(screen.contains("half a thought"))
    try second.press("C-x")
    try second.press("y")
    try second.wait(for: "thrown away")
    #expect(files(in: Self.drafts).isEmpty)
  }

  /// Two at a time have drafts of their own.
  @Test func twoBrowsersKeepTwoDrafts() throws {
    try storeSome()
    let (first, second) = (try browse(), try browse())
    for (terminal, text) in [(first, "the first draft"), (second, "the second draft")] {
      try terminal.press("c")
      try terminal.wait(for: "a post")
      try terminal.type(text)
      try terminal.wait(for: "draft saved")
    }
    #expect(savedDrafts.count == 2)
    try second.press("Escape")
    try second.wait(for: "the draft is kept")
    // The first one is still being written.
    try second.press("c")
    try second.wait(for: "the second draft")
    try first.press("Escape")
    try first.wait(for: "the draft is kept")
    #expect(savedDrafts.count == 2)
  }

  /// Letters are what a person sees: what a key removes is one of them, however many code points it has.
  @Test func lettersAreWhatAPersonSees() throws {
    try storeSome()
    let terminal = try browse(columns: 40)
    try terminal.press("c")
    try terminal.type("ae")
    try terminal.type("\u{301}")
    try terminal.type("漢字👩‍👩‍👧!")
    try terminal.press("Left")
    try terminal.press("BSpace")
    try terminal.wait("the family is gone") { $0.contains("  aé漢字!") }
    try terminal.press("Home")
    try terminal.press("Right")
    try terminal.press("DC")
    try terminal.wait("the accent went with its letter") { $0.contains("  a漢字!") }
    try terminal.press("End")
    // Rows are broken between words, and the cursor goes from one to the other.
    try terminal.type(" one two three four five six seven eight nine ten")
    try terminal.press("Up")
    try terminal.type("X")
    try terminal.wait("a letter in the row above") { screen in
      screen.split(separator: "\n").contains { $0.contains("one") && $0.contains("X") }
    }
    // What is pasted sends nothing, and its line ends are lines.
    try terminal.paste("\u{1B}[31mred\nnext\u{13}")
    try terminal.wait(for: "[31mred")
    #expect(try terminal.screen().contains("a post ─"))
  }

  /// Keys choose who posts and where to; the text stays.
  @Test func whoPostsAndWhereToIsChosen() throws {
    try credentials("jack", "anna")
    try storeSome()
    let terminal = try browse()
    try terminal.press("c")
    try terminal.type("to everybody")
    try terminal.wait(for: "as jack")
    try terminal.press("C-o")
    try terminal.wait(for: "as anna")
    try terminal.press("C-t")
    try terminal.type("x:nobody,bluesky")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "to x:nobody,bluesky")
    #expect(screen.contains("  to everybody") && !screen.contains("as anna"))
    try terminal.press("C-s")
    try terminal.wait(for: "not posted: ")
    #expect(try terminal.screen().contains("  to everybody"))
    // What was answered is there to be changed.
    try terminal.press("C-t")
    try terminal.press("C-u")
    try terminal.press("Enter")
    try terminal.wait(for: "as anna")
  }

  /// The editor changes the text, and nothing is sent by it.
  @Test func theEditorChangesTheText() throws {
    try storeSome()
    try home.program("edit", "#!/bin/sh\nsed -i 's/draft/text of the editor/' \"$1\"\n")
    let terminal = try browse(environment: ["VISUAL": home.path + "/edit"])
    try terminal.press("c")
    try terminal.type("a draft")
    try terminal.press("C-e")
    try terminal.wait(for: "  a text of the editor")
    try terminal.wait(for: "draft saved")
    #expect(files(in: ".local/state/tw").allSatisfy { !$0.hasPrefix("post-") })
  }

  /// A picture is added by its path, with what it shows.
  @Test func aPictureIsAddedWithItsDescription() throws {
    try home.write("swift.png", PictureSample.png(for: "/swift"))
    let terminal = try start("tw-local --demo --rate 0 -- tw-browse --every 1h '#swift'", until: "▌")
    try terminal.press("c")
    try terminal.press("C-a")
    try terminal.type("/nowhere.png")
    try terminal.press("Enter")
    try terminal.wait(for: "there is no file '/nowhere.png'")
    try terminal.press("C-a")
    try terminal.type("~/swift.png")
    try terminal.press("Enter")
    try terminal.wait(for: "for those who cannot see it:")
    try terminal.type("a swift above a roof")
    try terminal.press("Enter")
    try terminal.wait(for: "[1 swift.png: a swift above a roof]")
    try terminal.press("C-s")
    try terminal.wait(for: "u undo post")
  }
}
