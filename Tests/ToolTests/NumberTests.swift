import Foundation
import TestSupport
import Testing

/// Short numbers: each terminal has its own, and all tools on it know them.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux")) struct NumberTests {
  private let home: TemporaryDirectory
  private let service: PostService

  init() throws {
    home = try TemporaryDirectory()
    service = try PostService()
    try home.write("a.ndjson", Self.tweet(501, "first") + Self.tweet(502, "second"))
    try home.write("b.ndjson", Self.tweet(503, "third") + Self.tweet(501, "first"))
  }

  static func tweet(_ id: Int, _ text: String, more: String = "") -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"local","url":"http://127.0.0.1:1/a/status/\#(id)","#
      + #""created_at":"2021-11-03T21:30:00.000Z","text":"\#(text)","author":{"id":"2","username":"ann"}\#(more)}"#
      + "\n"
  }

  private func terminal(_ script: String, _ variables: [String: String] = [:]) throws -> Terminal {
    try Terminal("cd ~; " + script, environment: service.environment.merging(variables) { $1 }, home: home)
  }

  private var liked: [String] {
    service.requests.filter { $0.target == "POST /2/users/7/likes" }.compactMap { request in
      request.body.split(separator: "\"").last { $0.allSatisfy(\.isNumber) }.map(String.init)
    }
  }

  @Test func twoTerminalsAtOnce() throws {
    let one = try terminal("tw-render --numbers -fline a.ndjson; echo re''ady; read x; tw-post like 2; echo ended")
    let two = try terminal("tw-render --numbers -fline b.ndjson; echo re''ady; read x; tw-post like 1; echo ended")
    try one.wait(for: "  2 2021-11-03 21:30  @ann: second\nready")
    try two.wait(for: "  1 2021-11-03 21:30  @ann: third\n  2 2021-11-03 21:30  @ann: first\nready")
    try one.press("Enter")
    // It says what the number means, and what was done.
    let screen = try one.wait(for: "ended")
    #expect(
      screen.contains("tw-post: like as @jack: @ann: second\nliked @ann: second")
        || screen.contains("like: @ann: second"))
    try two.press("Enter")
    try two.wait(for: "liked @ann: third")
    #expect(liked == ["502", "503"])
  }

  /// A number on the screen goes on to mean its tweet: others get the next ones, and a tweet that is shown again keeps
  /// its own.
  @Test func numbersGoOn() throws {
    let terminal = try terminal(
      "tw-render --numbers -fline a.ndjson; echo -; tw-render --numbers -fline b.ndjson | cat; tw-cache show 3; echo ended"
    )
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains("-\n  3 2021-11-03 21:30  @ann: third\n  1 2021-11-03 21:30  @ann: first"))
    #expect(screen.contains("no tweet 'local:503' in ") || screen.contains("no such"))
  }

  @Test func rangesLabelAndReply() throws {
    #expect(try Tool.run("tw-cache", ["add", home.path + "/a.ndjson"], home: home).status == 0)
    let terminal = try terminal(
      """
      tw-render --numbers a.ndjson | cat; tw-cache label +later 1-2; tw-cache label 1-2; tw-post reply 2 'so it is'
      tw-post --yes delete 1; tw-post follow 1; tw-cache label +x 2-4; echo ended
      """)
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains("local\t501") || screen.contains("501     later"))
    #expect(screen.contains("no tweet is numbered 3 on this terminal today"))
    #expect(service.posts.map(\.replyTo) == ["502"])
    #expect(service.requests.contains { $0.target == "DELETE /2/tweets/501" })
    #expect(service.requests.contains { $0.target == "POST /2/users/7/following" })
  }

  /// A list of numbers means what operands mean; another number is an id.
  @Test func listsOfNumbers() throws {
    let terminal = try terminal(
      """
      tw-render --numbers a.ndjson > x; echo 1-2 | tw-post --yes like > y; echo 9 | tw-post like > y
      echo 2-4 | tw-post like > y; echo "ended $?"
      """)
    let screen = try terminal.wait(for: "ended 1")
    #expect(screen.contains("like: @ann: first") && screen.contains("like: @ann: second"), "\(screen)")
    #expect(screen.contains("line 1: no tweet is numbered 3 on this terminal today"), "\(screen)")
    #expect(liked == ["501", "502", "9"])
  }

  /// Deleting by a number is asked about, also for one.
  @Test func deletingAsks() throws {
    let terminal = try terminal("tw-render --numbers a.ndjson > x; tw-post delete 2; echo ended")
    try terminal.wait(for: "tw-post: delete 1 as @jack? [y/N]")
    #expect(try terminal.screen().contains("@ann: second"))
    try terminal.type("n")
    try terminal.press("Enter")
    try terminal.wait(for: "ended")
    #expect(!service.requests.contains { $0.target.hasPrefix("DELETE") })
  }

  /// Without a terminal there are no numbers, whoever has some; an id of three digits is an id.
  @Test func noTerminalNoNumbers() throws {
    let terminal = try terminal(
      "tw-render --numbers a.ndjson > x; setsid -w tw-post like 2 > y; setsid -w tw-cache show 1-2; echo ended")
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains("no tweet is numbered 1 here: there is no terminal"))
    #expect(liked == ["2"])
  }

  /// What was shown yesterday is not meant today.
  @Test func numbersLastADay() throws {
    let terminal = try terminal(
      """
      tw-render --numbers a.ndjson > x
      sed -i 's/"shown_at":"[0-9]*/"shown_at":"2020/' .local/state/tw/numbers/*-*
      tw-post like 2 > y; tw-render --numbers -fline b.ndjson; echo ended
      """)
    #expect(try terminal.wait(for: "ended").contains("  1 2021-11-03 21:30  @ann: third"))
    #expect(liked == ["2"])
    let folder = home.path + "/.local/state/tw/numbers"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  /// Two programs that show tweets on one terminal give no number twice, and a line that was cut off harms nobody.
  @Test func twoThatShowAtATime() throws {
    try home.write("many1.ndjson", (1...300).map { Self.tweet(1000 + $0, "x") }.joined())
    try home.write("many2.ndjson", (1...300).map { Self.tweet(2000 + $0, "x") }.joined())
    let terminal = try terminal(
      """
      tw-render --numbers -fline many1.ndjson > 1 & tw-render --numbers -fline many2.ndjson > 2; wait
      printf '\\n{"number":7,"sho' >> .local/state/tw/numbers/*-*
      cat 1 2 | cut -c 1-4 | sort -u | wc -l; tw-render --numbers -fline a.ndjson; echo ended
      """)
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains("600\n601 2021") && screen.contains("602 2021"))
  }

  /// After the last number comes the first, and the old tweet of that number is forgotten.
  @Test func numbersStartAnew() throws {
    try home.write("many.ndjson", (1...1000).map { Self.tweet(1000 + $0, "x") }.joined())
    let terminal = try terminal(
      "tw-render --numbers -fline many.ndjson > 1; tail -n 2 1; tw-post like 1 999; echo ended")
    try terminal.wait(for: "[y/N]")
    #expect(try terminal.screen().contains("999 2021"))
    try terminal.type("y")
    try terminal.press("Enter")
    try terminal.wait(for: "ended")
    #expect(liked.sorted() == ["1999", "2000"])
  }

  @Test func hostileTextsAreHarmless() throws {
    try home.write("c.ndjson", Self.tweet(505, #"\u001b]0;x\u0007\u001b[31m\u202e$(touch gone)\nline"#))
    let terminal = try terminal("tw-render --numbers c.ndjson > x; tw-post like 1; ls; echo ended")
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains(#"\u{1b}]0;x\u{7}\u{1b}[31m\u{202e}$(touch gone)\nline"#) && !screen.contains("gone\n"))
  }

  /// The number's service is written to, with its own account; a token of another service stays where it is.
  @Test func anotherServicesTokenIsNotUsed() throws {
    let terminal = try terminal(
      "tw-render --numbers a.ndjson > x; tw-post like 1; echo ended", ["TW_SERVICE": "x"])
    #expect(try terminal.wait(for: "ended").contains("service 'local'"))
    #expect(liked == [])
  }

  // MARK: tw open

  @Test func opensPagesAndLinks() throws {
    let links =
      #","entities":{"urls":[{"url":"https://t.co/a","expanded_url":"https://example.com/$(touch${IFS}gone);x"},"#
      + #"{"url":"https://t.co/b","expanded_url":"javascript:alert(1)","unwound_url":"file:///etc/passwd"},"#
      + #"{"url":"https://music.example/1","link_kind":"music"}]}"#
    try home.write("d.ndjson", Self.tweet(506, "links", more: links))
    let browser = try home.program("browser", "#!/bin/sh\necho \"browser <$1>\"\n")
    let player = try home.program("player", "#!/bin/sh\necho \"player <$1> <$2>\"\n")
    let terminal = try terminal(
      """
      tw-render --numbers d.ndjson > x; tw open 1; tw open 1 1; tw open 1 2; tw open 1 3; tw open 1 4; tw open --links 1
      tw open 'file:///etc/passwd'; BROWSER= tw open 1; ls; echo ended
      """, ["BROWSER": "nothing-like-it:" + browser, "TW_PLAYER": player + " --quietly"])
    let screen = try terminal.wait(for: "ended")
    #expect(screen.contains("browser <http://127.0.0.1:1/a/status/506>\nbrowser <https://example.com/$(touch"))
    // Of a link that is not of the web the short address is left.
    #expect(screen.contains("browser <https://t.co/b>\nplayer <--quietly> <https://music.example/1>"))
    #expect(screen.contains("tweet '1' has 3 links") && screen.contains("3       https://music.example/1"))
    #expect(screen.contains("is not an address of the web") && screen.contains("\nhttp://127.0.0.1:1/a/status/506\n"))
    #expect(!screen.contains("\ngone"))
  }
}
