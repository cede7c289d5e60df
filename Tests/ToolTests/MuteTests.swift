import Foundation
import TestSupport
import Testing
import TweetCore

/// The setting `mute` and the option --hide, in lists, refreshes and tw-render.
@Suite(.onOwnThread) struct MuteTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private var records: String {
    let inner = "\"author\":{\"id\":\"uann\",\"username\":\"Ann\"}"
    let retweet = ",\"referenced_tweets\":[{\"type\":\"retweeted\",\"id\":\"1\",\"text\":\"from ann\",\(inner)}]"
    let reply = ",\"referenced_tweets\":[{\"type\":\"replied_to\",\"id\":\"1\",\"text\":\"from ann\",\(inner)}]"
    return tweet(1, second: 1, text: "from ann", author: "Ann")
      + tweet(2, second: 2, text: "RT @Ann: from ann", author: "ben", more: retweet)
      + tweet(3, second: 3, text: "an answer", author: "ben", more: reply)
      + tweet(4, second: 4, text: "Buy NOW, café and 東京 🎉", author: "cleo")
      + tweet(5, second: 5, text: "buying is now", author: "cleo", tags: ["Ad"])
      + "{\"tw\":\"user\",\"service\":\"x\",\"id\":\"uann\",\"username\":\"Ann\"}\n"
  }

  private func run(_ tool: String, _ words: [String], mute: String?, stdin: String = "") throws -> ToolResult {
    let environment = mute.map { ["TW_MUTE": $0] } ?? [:]
    return try Tool.run(tool, words, stdin: ToolInput(stdin), environment: environment, home: home)
  }

  /// What is muted, and what is left of the list, in tw-cache list and in tw-render.
  private static let lists: [(mute: String, left: [String])] = [
    ("@ann", ["5", "4", "3"]), ("@ANN, #ad", ["4", "3"]), ("#AD", ["4", "3", "2", "1"]), ("buy", ["5", "3", "2", "1"]),
    ("\"buy now\"", ["5", "3", "2", "1"]), ("now buy", ["5", "4", "3", "2", "1"]), ("cafe", ["5", "3", "2", "1"]),
    ("CAFÉ", ["5", "3", "2", "1"]), ("京", ["5", "3", "2", "1"]), ("京東", ["5", "4", "3", "2", "1"]),
    ("🎉", ["5", "3", "2", "1"]), ("now", ["3", "2", "1"]), ("\"@ann\"", ["5", "4", "3"]), ("an", ["5", "4", "2", "1"]),
    ("nobody,#none,@no_one", ["5", "4", "3", "2", "1"]), ("ann,answer,now", []),
  ]

  @Test func listAndRenderMuteTheSame() throws {
    #expect(try add(records).status == 0)
    for (mute, left) in Self.lists {
      let list = try run("tw-cache", ["list"], mute: mute)
      // A word that is a mention is one of the text here too.
      #expect(list.status == 0 && ids(list.lines) == left, "\(mute): \(list.errors)")
      let shown = try run("tw-render", ["--format", "ids"], mute: mute, stdin: records)
      #expect(shown.status == 0 && shown.lines.reversed().elementsEqual(left), "\(mute): \(shown.output)")
      #expect(try run("tw-cache", ["list", "--count"], mute: mute).output == "\(left.count)\n", "\(mute)")
      #expect(try run("tw-cache", ["list", "--no-mute"], mute: mute).lines.count == 5)
      #expect(try run("tw-render", ["--format", "ids", "--no-mute"], mute: mute, stdin: records).lines.count == 5)
      #expect(try run("tw-render", ["--format", "csv"], mute: mute, stdin: records).lines.count == left.count + 1)
    }
    #expect(try ids(run("tw-cache", ["list", "--limit", "2"], mute: "now").lines) == ["3", "2"])
    // They are stored all the same.
    #expect(try ids(run("tw-cache", ["show", "1"], mute: "@ann").lines).contains("1"))
  }

  @Test func theSetting() throws {
    #expect(try add(records).status == 0)
    #expect(try Tool.run("tw", ["config", "set", "mute", "@ann, \"buy now\""], home: home).status == 0)
    #expect(try list() == ["5", "3"])
    for wrong in ["@", "#", "a,,b", "\"open", "...", "@a b", "a,"] {
      #expect(try Tool.run("tw", ["config", "set", "mute", wrong], home: home).status == 64, "\(wrong)")
      #expect(try run("tw-cache", ["list"], mute: wrong).status == 78, "\(wrong)")
      #expect(try run("tw-render", [], mute: wrong, stdin: records).status == 78, "\(wrong)")
    }
    #expect(try Tool.run("tw", ["config", "unset", "mute"], home: home).status == 0)
    #expect(try list().count == 5)
  }

  @Test func retweetsAndRepliesAreHidden() throws {
    #expect(try add(records).status == 0)
    for (hide, left) in [
      ("retweets", ["5", "4", "3", "1"]), ("replies", ["5", "4", "2", "1"]), ("retweets,replies", ["5", "4", "1"]),
    ] {
      #expect(try list("--hide", hide) == left)
      let shown = try run("tw-render", ["--format", "ids", "--hide", hide], mute: nil, stdin: records)
      #expect(shown.lines.reversed().elementsEqual(left), "\(hide): \(shown.output)")
    }
    for tool in [["tw-cache", "list"], ["tw-render"], ["tw-cache", "refresh"]] {
      let wrong = try Tool.run(tool[0], tool.dropFirst() + ["--hide", "retweet"], home: home)
      #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'retweets'?"), "\(wrong.errors)")
    }
  }

  @Test func aRefreshStoresAndDoesNotPrint() throws {
    let local = try LocalService(["--rate-limit", "100000"])
    let first = try local.post("nice #tea")
    let second = try local.post("cheap #tea for sale")
    func refresh(_ words: String..., mute: String) throws -> ToolResult {
      try Tool.run(
        "tw-cache", ["refresh", "#tea", "--print"] + words,
        environment: local.environment.merging(["TW_MUTE": mute]) { $1 }, home: home)
    }
    let run = try refresh(mute: "cheap")
    #expect(run.status == 0 && run.output.contains(first) && !run.output.contains(second), "\(run.output)")
    #expect(try cache("list").lines.count == 2)
    #expect(try !refresh("--backlog", "5", mute: "cheap").output.contains(second))
    #expect(try refresh("--backlog", "5", "--no-mute", mute: "cheap").output.contains(second))
  }

  /// A person at a terminal reads how many are muted, and that nothing was found; programs do not.
  @Test(.enabled(if: Terminal.isAvailable, "needs tmux")) func notes() throws {
    #expect(try add(records).status == 0)
    try home.write("records", records)
    let script = """
      tw-cache list --quiet > /dev/null; tw-cache list -n 1 > /dev/null; tw-cache list > /dev/null
      tw-cache list --search elephant; tw-render --format ids records > /dev/null; tw-cache list 2> notes > /dev/null
      echo "notes $(wc -c < notes)"; echo over
      """
    let environment = Tool.environment(home: home.path, adding: ["TW_MUTE": "@ann,answer"])
    let screen = try Terminal(script, environment: environment, home: home).wait(for: "over")
    let lines = screen.split(separator: "\n").filter { $0.hasPrefix("tw-") }
    #expect(
      lines == [
        "tw-cache: 3 muted tweets are not shown; --no-mute shows them", "tw-cache: no stored tweet matches",
        "tw-render: 3 muted tweets are not shown; --no-mute shows them",
      ], "\(screen)")
    #expect(screen.contains("notes 0"))
  }

  /// What is no JSON is named in one line.
  @Test(arguments: ["tw-parse", "tw-render", "tw-cache", "tw-avatar", "tw-linkcheck"])
  func picturesAndTablesAreNamed(tool: String) throws {
    try home.write("a.csv", "id,text,\"author.username\"\n1,\"hello, you\",jack\n")
    try home.write("a.tsv", "id\ttext\n1\thello\n")
    try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1, 2]).write(
      to: URL(fileURLWithPath: home.path + "/a.png"))
    try home.write("a.pdf", "%PDF-1.4\n%...\n")
    for (file, what) in [
      ("a.csv", "a table (CSV)"), ("a.tsv", "a table (CSV)"), ("a.png", "a PNG picture"), ("a.pdf", "a PDF document"),
    ] {
      let result = try Tool.run(tool, (tool == "tw-cache" ? ["add"] : []) + [home.path + "/" + file], home: home)
      #expect(result.status == 65 && result.errors.contains("it is \(what)"), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    // The good input beside it is read.
    try home.write("good", tweet(1))
    let both = try Tool.run("tw-cache", ["add", home.path + "/a.png", home.path + "/good"], home: home)
    #expect(both.status == 1 && both.lines.count == 1)
  }
}
