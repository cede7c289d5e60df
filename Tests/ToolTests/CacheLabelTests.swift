import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// tw-cache label: a person's own words for tweets, and which of them are unread.
@Suite(.onOwnThread) struct CacheLabelTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func addUnread(_ input: String, labels: String = "unread") throws {
    let result = try Tool.run(
      "tw-cache", ["add"], stdin: ToolInput(input), environment: ["TW_NEW_LABELS": labels], home: home)
    #expect(result.status == 0 && result.errors == "")
  }

  @Test func labelsAreGivenAndTakenAway() throws {
    _ = try add((1...4).map { tweet($0, second: $0) }.joined())
    #expect(try cache("label", "+later", "+mus/ic", "1", "x:2").status == 0)
    #expect(try cache("tag", "-later", "+quiet", "https://x.com/jack/status/2").status == 0)
    #expect(try list("--label", "later") == ["1"] && list("--mark", "mus/ic") == ["2", "1"])
    #expect(try list("--label", "mus/ic", "--label", "quiet") == ["2"])
    #expect(try list("--without-label", "mus/ic") == ["4", "3"])
    #expect(try list("--label", "mus/ic", "--without-label", "later", "--author", "jack") == ["2"])
    #expect(try cache("label", "1", "4", "2").output == "x\t1\tlater,mus/ic\nx\t4\t\nx\t2\tmus/ic,quiet\n")
    // Letters of options are labels where they cannot be options.
    #expect(try cache("label", "-quiet", "--db", store, "2", "+q").status == 0)
    #expect(try cache("label", "2").output == "x\t2\tmus/ic,q\n")
    #expect(try cache("label", "2", "--", "-q").status == 0 && cache("label", "2").output == "x\t2\tmus/ic\n")
    #expect(try cache("stats").lines.filter { $0.hasPrefix("label") } == ["label\tlater\t1", "label\tmus/ic\t2"])
    try checkStore()
    #expect(try cache("check").output == "")
  }

  @Test func standardInputNamesTweets() throws {
    _ = try add((1...3).map { tweet($0, second: $0) }.joined())
    let records = try cache("list").output
    let result = try cache("label", "+a", "--print", stdin: records + "{\"tw\":\"context\"}\n")
    #expect(result.output == records + "{\"tw\":\"context\"}\n" && result.status == 0 && result.errors == "")
    #expect(try cache("label", "+b", "-a", stdin: "1\n\n x:2 \r\nhttps://x.com/jack/status/3").output == "")
    #expect(try list("--label", "b") == ["3", "2", "1"] && list("--label", "a") == [])
    // What is not stored is a bad record, and stops nothing.
    let bad = try cache("label", "+c", "--print", stdin: "99\n{\"tw\":\"tweet\",\"id\":1}\n\(tweet(98)){\"tw\"\n1\n")
    #expect(bad.status == 1 && bad.output == "")
    #expect(
      bad.errors.contains("-:1: bad record: no tweet '99'") && bad.errors.contains("-:2: bad record: no \"service\"")
        && bad.errors.contains("-:3: bad record: no tweet 'x:98'"))
    #expect(try list("--label", "c") == ["1"])
    #expect(try cache("label", "+c", stdin: "99\n").status == 65)
    // Of named tweets all are changed, or none.
    let missing = try cache("label", "+d", "1", "99")
    #expect(missing.status == 66 && missing.errors.contains("no tweet '99'"))
    #expect(try list("--label", "d") == [])
  }

  @Test(arguments: [
    ["label", "+", "1"], ["label", "+a b", "1"], ["label", "+-a", "1"], ["label", "+a", "-a", "1"],
    ["label", "--print", "+a", "1"], ["label"], ["list", "--label", "a,b"], ["list", "--label", ""],
    ["label", "+" + String(repeating: "x", count: 101), "1"],
  ])
  func wrongLabels(arguments: [String]) throws {
    _ = try add(tweet(1))
    let result = try Tool.run("tw-cache", arguments, home: home)
    #expect(result.status == 64 && result.output == "" && result.errors.hasPrefix("tw-cache: "), "\(result.errors)")
  }

  /// A label that does not exist is not silence.
  @Test func unknownLabels() throws {
    _ = try add(tweet(1))
    #expect(try cache("label", "+later", "1").status == 0)
    let near = try cache("list", "--label", "latr")
    #expect(near.errors == "tw-cache: no tweet has had the label 'latr'; did you mean 'later'?\n" && near.status == 0)
    #expect(try cache("list", "--label", "unread").errors.contains("tw config set new-labels unread"))
    #expect(try list("--without-label", "none") == ["1"])
  }

  /// New tweets are unread, and only they: not what is known, nor what was read and comes again.
  @Test func newTweetsAreUnread() throws {
    _ = try add(tweet(1, second: 1))
    try addUnread((1...3).map { tweet($0, second: $0) }.joined(), labels: "unread,inbox")
    #expect(try list("--label", "unread") == ["3", "2"] && list("--label", "inbox") == ["3", "2"])
    #expect(try cache("label", "-unread", "2").status == 0)
    try addUnread(tweet(2, second: 2, text: "changed", likes: 9, read: 100))
    #expect(try list("--label", "unread") == ["3"])
    // The setting, as `tw config set` writes it.
    try home.write("config", "new-labels = unread\n")
    _ = try Tool.run(
      "tw-cache", ["add"], stdin: ToolInput(tweet(4, second: 4)), environment: ["TW_CONFIG": home.path + "/config"],
      home: home)
    #expect(try list("--label", "unread") == ["4", "3"])
    let wrong = try Tool.run(
      "tw-cache", ["add"], stdin: ToolInput(tweet(5)), environment: ["TW_NEW_LABELS": "a b"], home: home)
    #expect(wrong.status == 78 && wrong.errors.contains("TW_NEW_LABELS"))
  }

  /// A label follows its tweet: through a change of its key, and to its end.
  @Test func labelsOfTweetsThatChange() throws {
    let early = "{\"tw\":\"tweet\",\"id\":\"abc\",\"service\":\"y\",\"text\":\"t\",\"author\":{\"id\":\"a\"}"
    _ = try add(early + "}\n" + tweet(2, second: 2))
    #expect(try cache("label", "+a", "y:abc", "x:2").status == 0)
    _ = try add(early + ",\"created_at\":\"2015-01-01T00:00:00.000Z\",\"retrieved_at\":\"2021-11-09T00:00:00.000Z\"}\n")
    #expect(try list("--label", "a") == ["2", "abc"] && cache("label", "abc").output == "y\tabc\ta\n")
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"2\"}\n")
    #expect(try list("--label", "a") == ["abc"] && cache("stats").output.contains("label\ta\t1\n"))
    try checkStore()
  }

  /// Prune keeps what a person labelled; labels that come by themselves keep nothing.
  @Test func labelledTweetsAreNotPruned() throws {
    try addUnread((1...600).map { tweet($0, second: $0) }.joined())
    for id in ["1", "250", "600"] { #expect(try cache("label", "+keep", id).status == 0) }
    func prune(_ options: [String], _ variables: [String: String] = [:]) throws -> ToolResult {
      let now = ["TW_NOW": time(172_800)]
      let words = ["prune", "--older-than", time(600)] + options
      return try Tool.run("tw-cache", words, environment: now.merging(variables) { $1 }, home: home)
    }
    #expect(try prune(["--dry-run"]).output.hasPrefix("tweets\t597\n"))
    #expect(try prune(["--yes"]).errors.hasPrefix("tw-cache: removed 597 tweets, "))
    #expect(try list("--label", "keep") == ["600", "250", "1"] && list("--label", "unread") == ["600", "250", "1"])
    let inbox = try prune(["--yes"], ["TW_NEW_LABELS": "keep"])
    #expect(inbox.status == 0)
    #expect(try list("--all") == ["600"])
    try checkStore()
  }

  /// The recipe as it stands in the page.
  private static func recipe() throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.deletingLastPathComponent().appending(path: "man/tw-cache-label.1"), encoding: .utf8)
    let lines = page.split(separator: "\n").filter {
      !$0.hasPrefix(".") && $0.contains("page.ndjson") || $0.contains("page.txt")
    }
    try #require(lines.count == 3 && lines[2].contains("less -R page.txt"))
    return lines.joined(separator: "\n")
  }

  /// The recipe of tw-cache-label(1): a page of unread tweets goes to a pager, and its labels go when the pager has
  /// ended well.
  @Test(arguments: [
    ("cat page.txt > /dev/null", 2981), ("head -n 1 page.txt > /dev/null", 2981), ("false", 3001),
    ("sh -c 'kill $$'", 3001), ("nosuchpager page.txt", 3001),
  ])
  func whatNobodyWasShownStaysUnread(pager: String, left: Int) throws {
    try addUnread((1...3001).map { tweet($0, second: $0) }.joined())
    let recipe = try Self.recipe()
    let script = recipe.replacing("less -R page.txt", with: pager)
    _ = try Tool.shell("cd ~ && { \(script); }", home: home)
    let unread = try list("--label", "unread")
    #expect(unread.count == left)
    // They go from the oldest on.
    #expect(Set(unread) == Set((3001 - left + 1...3001).map(String.init)))
  }

  /// What a page shows stays unread too if it cannot be shown: here tw-render cannot write.
  @Test func aPageThatIsNotShownStaysUnread() throws {
    try addUnread((1...30).map { tweet($0, second: $0) }.joined())
    let script = try Self.recipe().replacing("less -R page.txt", with: "cat page.txt").replacing(
      "> page.txt", with: "> /dev/full")
    _ = try Tool.shell("cd ~ && { \(script); }", home: home)
    #expect(try list("--label", "unread").count == 30)
  }

  /// An import has all labels, and makes no tweet unread that the store has.
  @Test func labelsOfAnExport() throws {
    try addUnread((1...3).map { tweet($0, second: $0) }.joined())
    #expect(try cache("label", "+a", "+日本", "2").status == 0)
    let export = try cache("export").output
    #expect(export.contains("\"labels\":[\"a\",\"unread\",\"日本\"]"))
    #expect(try cache("import", "--db", "copy.db", stdin: export).status == 0)
    #expect(try cache("export", "--db", "copy.db").output == export)
    #expect(try cache("label", "-unread", "-a", "2").status == 0)
    #expect(try cache("import", stdin: export).status == 0)
    #expect(try cache("label", "2").output == "x\t2\ta,日本\n")
    #expect(try list("--label", "unread") == ["3", "1"])
    #expect(try cache("backup", "copy2.db").status == 0)
    #expect(try list("--db", home.path + "/copy2.db", "--label", "a") == ["2"])
    #expect(try cache("check", "--repair").status == 0 && list("--label", "日本") == ["2"])
  }

  /// What has been printed has its labels on disk, and a reader that leaves ends it.
  @Test func recordsAreHeldBackUntilTheCommit() throws {
    _ = try add((1...200).map { tweet($0, second: $0) }.joined())
    let records = try cache("list", "--oldest-first").lines
    let tool = try RunningTool("tw-cache", ["label", "+a", "--print"], home: home)
    for line in records.prefix(3) {
      tool.send(ToolInput(line + "\n"))
      #expect(try tool.line() == line)
      #expect(try list("--label", "a", "--limit", "1") == ids([line]))
    }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    #expect(try list("--label", "a").count == 3)
  }
}
