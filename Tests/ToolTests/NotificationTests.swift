import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// `notification` records: stored once for each account, listed with what is known now, and shown in a line.
@Suite(.onOwnThread(minutes: 2)) struct NotificationTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// A notification of what `user` did `second` seconds after 21:30, about a tweet of `jack`.
  private func notification(
    _ id: String, kind: String = "like", by user: String = "ann", about tweet: Int? = 1, second: Int = 0,
    account: String? = "jack", text: String = "copied words", more: String = ""
  ) -> String {
    var line = #"{"tw":"notification","service":"x""#
    if let account { line += #","account":"\#(account)""# }
    line += #","id":"\#(id)","kind":"\#(kind)","type":"\#(kind)","at":"\#(time(second))","#
    line += #""user":{"id":"u\#(user)","username":"\#(user)","name":"\#(user.uppercased())"}"#
    if let tweet {
      line +=
        #","tweet":{"id":"\#(tweet)","text":"\#(text)","author_id":"ujack","author":{"id":"ujack","username":"jack"}}"#
    }
    return line + more + "}\n"
  }

  private func stored(_ options: String...) throws -> [String] {
    let result = try Tool.run(
      "tw-cache", ["notifications", "--quiet"] + options, environment: ["TW_NOW": time(3600)], home: home)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.lines
  }

  private func render(_ records: String, _ options: [String]) throws -> ToolResult {
    try Tool.run(
      "tw-render", options, stdin: ToolInput(records), environment: ["TW_NOW": time(3600)], home: home)
  }

  // MARK: The store

  @Test func oneIsStoredOnceForEachAccount() throws {
    let records = notification("1") + notification("2", kind: "follow", by: "ben", about: nil, second: 5)
    #expect(try add(records).output == records)
    #expect(try add(records, ["--new-only"]).output == "")
    #expect(try add(notification("1", account: "jill"), ["--new-only"]).lines.count == 1)
    #expect(try add(notification("1", account: nil), ["--new-only"]).lines.count == 1)
    #expect(try ids(stored()) == ["2", "1", "1", "1"])
    #expect(try stored("--account", "jill").count == 1 && ids(stored("--account", "jack")) == ["2", "1"])
    #expect(try ids(stored("--kind", "follow,mention")) == ["2"] && ids(stored("--since", time(3))) == ["2"])
    #expect(try ids(stored("--until", time(3), "--service", "x", "--oldest-first", "-n", "1")) == ["1"])
    #expect(try stored("--service", "local").isEmpty)
    #expect(try cache("notifications", "--kind", "likes").status == 64)
    try checkStore()
  }

  /// What a store prints is what it knows now; of what it knows no tweet, the id.
  @Test func theTweetAndTheUserAreThoseOfTheStore() throws {
    #expect(try add(tweet(1, text: "first words") + notification("1", text: "first words")).status == 0)
    #expect(try stored()[0].contains("first words"))
    #expect(try add(tweet(1, text: "other words", read: 9)).status == 0)
    #expect(try stored()[0].contains("other words"))
    #expect(
      try add(
        #"{"tw":"user","service":"x","id":"uann","username":"ann","name":"Anna","retrieved_at":"\#(time(9))"}"# + "\n"
      ).status == 0)
    #expect(try stored()[0].contains(#""name":"Anna""#))
    // A poorer version takes nothing away, a richer one adds.
    #expect(try add(notification("1", about: nil, more: #","read":true"#)).status == 0)
    #expect(try stored()[0].contains("other words") && stored()[0].contains(#""read":true"#))
    #expect(try add(notification("3", about: 77)).status == 0)
    #expect(try stored("--oldest-first").last?.contains(#""tweet":{"id":"77"}"#) == true)
    try checkStore()
  }

  @Test func aDeletedOrForgottenTweetIsInNoNotification() throws {
    let records = tweet(1, text: "first secret") + notification("1", text: "first secret")
    #expect(try add(records).status == 0)
    #expect(try cache("forget", "--yes", "1").status == 0)
    #expect(try stored().count == 1 && !stored()[0].contains("secret") && stored()[0].contains(#""tweet":{"id":"1"}"#))
    // Nor does it come back, or go on to who reads.
    let again = try add(records)
    #expect(again.lines.count == 1 && !again.output.contains("secret"), "\(again.output)")
    #expect(try !cache("export").output.contains(#""tweet":{"id":"1","#))
    #expect(try cache("forget", "--undo").status == 0)
    #expect(try stored()[0].contains("first secret"))
    #expect(try add(#"{"tw":"delete","service":"x","id":"1"}"# + "\n").status == 0)
    // What would bring it back is in the export until the store is pruned, and nothing else of it.
    let export = try cache("export").lines.filter { !$0.hasPrefix(#"{"tw":"forgotten_tweet""#) }
    #expect(try stored().count == 1 && !export.joined().contains("secret"))
    #expect(try cache("prune", "--yes", "--older-than", "2006-01-01").status == 0)
    #expect(try !cache("export").output.contains("secret"))
    try checkStore()
  }

  @Test func anExportHasAllAndPruneRemovesTheOldOnes() throws {
    var records = tweet(1)
    for index in 0..<700 { records += notification("\(index)", by: "p\(index % 9)", second: index) }
    #expect(try add(records).status == 0)
    let (export, list) = (try cache("export").output, try stored())
    #expect(list.count == 700 && ids(list) == (0..<700).reversed().map(String.init))
    let copy = home.path + "/copy.db"
    #expect(try cache("import", "--db", copy, stdin: export).status == 0)
    #expect(try cache("export", "--db", copy).output == export)
    #expect(try cache("notifications", "--db", copy).lines == list)
    let backup = home.path + "/backup.db"
    #expect(try cache("backup", backup).status == 0)
    #expect(try cache("notifications", "--db", backup).lines == list)
    let later = ["TW_NOW": "2021-11-04T21:40:00Z"]
    let foreseen = try Tool.run(
      "tw-cache", ["prune", "--dry-run", "--older-than", "2021-11-03T21:35:00Z"], environment: later, home: home)
    #expect(foreseen.lines.contains("notifications\t300"), "\(foreseen.output)\(foreseen.errors)")
    let pruned = try Tool.run(
      "tw-cache", ["prune", "--yes", "--older-than", "2021-11-03T21:35:00Z"], environment: later, home: home)
    #expect(pruned.status == 0 && pruned.errors.contains("300 notifications"), "\(pruned.errors)")
    #expect(try ids(stored()) == (300..<700).reversed().map(String.init))
    // Who is named by what is left stays.
    #expect(try stored().allSatisfy { $0.contains(#""name":"P"#) })
    try checkStore()
  }

  @Test func damageIsToldAndRepairedAroundIt() throws {
    #expect(try add((0..<50).map { notification("\($0)", second: $0) }.joined()).status == 0)
    try Database(store, TweetStore.kind, .readWrite).execute(
      "UPDATE notifications SET user_id = 'uben' WHERE id = '7'")
    let list = try cache("notifications")
    #expect(list.status == 74 && list.lines.count == 49 && list.errors.contains("notification 'x:7'"), "\(list.errors)")
    #expect(try cache("check").lines.contains("1 row of notifications is damaged"))
    let repair = try cache("check", "--repair")
    #expect(repair.status == 1 && repair.output.contains("lost\trows\tnotifications\t1\n"), "\(repair.output)")
    #expect(try stored().count == 49)
    try checkStore()
  }

  @Test func killsAndCopiesStoreEachOnce() throws {
    let pieces = (0..<40).map { piece in
      (0..<25).map { index in
        let id = piece * 25 + index
        return tweet(id, second: id) + notification("\(id)", about: id, second: id)
      }.joined()
    }
    var chance = Chance()
    #expect(try add(pieces[0]).status == 0)
    for _ in 0..<6 {
      let tools = try (0..<2).map { _ in try RunningTool("tw-cache", ["add"], home: home) }
      for piece in pieces.prefix(chance.below(pieces.count)) {
        for tool in tools { tool.send(ToolInput(piece)) }
        chance.pause(upTo: 4000)
      }
      for tool in tools { tool.signal(SIGKILL) }
      for tool in tools {
        // What was printed is on disk.
        let whole = try tool.finish().output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let printed = ids(whole.filter { $0.hasPrefix(#"{"tw":"notification""#) }.map(String.init))
        #expect(try Set(printed).subtracting(ids(stored())).isEmpty)
      }
    }
    let last = try (0..<2).map { _ in try RunningTool("tw-cache", ["add"], home: home) }
    for tool in last { tool.send(ToolInput(pieces.joined())) }
    for tool in last { #expect(try tool.finish().ending == .status(0)) }
    #expect(try ids(stored()) == (0..<1000).reversed().map(String.init))
    try checkStore()
  }

  // MARK: Bad input

  @Test func whatIsNoNotificationIsBad() throws {
    let bad = [
      #"{"tw":"notification","id":"1","kind":"like","at":"2021-11-03T21:30:00.000Z"}"#,
      #"{"tw":"notification","service":"x","kind":"like","at":"2021-11-03T21:30:00.000Z"}"#,
      #"{"tw":"notification","service":"x","id":"1","at":"2021-11-03T21:30:00.000Z"}"#,
      #"{"tw":"notification","service":"x","id":"1","kind":"like","at":"soon"}"#,
      #"{"tw":"notification","service":"x","id":"1","kind":"like"}"#,
    ]
    let cut = notification("9").dropLast(30)
    let added = try add(notification("8") + bad.joined(separator: "\n") + "\n" + cut)
    #expect(added.status == 1 && added.lines.count == 1 && added.errors.contains("no \"kind\""), "\(added.errors)")
    #expect(try ids(stored()) == ["8"])
    let rendered = try render(bad[1] + "\n" + notification("8"), [])
    #expect(rendered.status == 1 && rendered.output.contains("ANN liked"), "\(rendered.errors)")
  }

  @Test func hostileValuesStayHarmless() throws {
    let name = #"Eve\u001b[31m\u202e<script>\n*x*"#
    let long = String(repeating: "<b>word</b> & ", count: 40_000)
    var records = #"{"tw":"tweet","id":"1","service":"x","text":"\#(long)","author":{"id":"1","username":"a"}}"# + "\n"
    records +=
      #"{"tw":"notification","service":"x","account":"\u0000'--","id":"a'b\"c","kind":"like","at":"\#(time(1))","#
    records += #""user":{"id":"1","name":"\#(name)"},"tweet":{"id":"1","url":"javascript:x","text":"\#(long)"}}"# + "\n"
    records +=
      #"{"tw":"notification","service":"x","id":"2","kind":"\u001b]0;x","at":"\#(time(2))","user":[1],"tweet":"x"}"#
    #expect(try add(records + "\n").status == 0)
    let list = try stored().joined(separator: "\n")
    #expect(list.contains("word"))
    for format in ["text", "line", "html", "markdown", "atom", "json-feed", "mbox", "csv"] {
      let shown = try render(records, ["--format", format])
      #expect(shown.status == 0, "\(format): \(shown.errors)")
      #expect(!shown.output.contains("\u{1B}"), "\(format)")
      if ["html", "markdown", "atom"].contains(format) { #expect(!shown.output.contains("<script>"), "\(format)") }
      #expect(!shown.output.contains("href=\"javascript"), "\(format)")
    }
    try checkStore()
  }

  // MARK: Formats

  @Test func formatsWithoutThemSayHowMany() throws {
    let records = tweet(1) + notification("1") + notification("1") + notification("2", kind: "follow", about: nil)
    for format in ["ids", "csv", "tsv", "twarc", "m3u"] {
      let shown = try render(records, ["--format", format])
      #expect(shown.status == 0 && shown.errors.contains("left out 3 notifications"), "\(format): \(shown.errors)")
      #expect(!shown.output.contains("copied words"))
    }
    // One that comes again is an update, and shown once.
    for format in ["text", "line", "html", "markdown", "atom"] {
      let shown = try render(records, ["--format", format])
      let count = shown.output.ranges(of: "copied words").count
      #expect(shown.errors == "" && count == (format == "atom" ? 2 : 1), "\(format): \(shown.output)")
    }
  }

  @Test func whatNotEverybodyMaySeeIsInNoDocument() throws {
    let hidden = #""extra":{"visibility":"direct"}"#
    let records = notification("1").replacing(#""text":"copied words","#, with: #""text":"copied words",\#(hidden),"#)
    for format in ["html", "markdown", "atom", "json-feed", "mbox"] {
      let shown = try render(records, ["--format", format])
      #expect(!shown.output.contains("copied words") && shown.errors.contains("1 private post"), "\(format)")
      #expect(try render(records, ["--format", format, "--include", "private"]).output.contains("copied words"))
    }
    #expect(try render(records, ["--format", "line"]).output.contains("\u{1F512}"))
    let warned = records.replacing(hidden, with: #""extra":{"spoiler_text":"a spoiler"}"#)
    #expect(try render(warned, []).output.contains("a spoiler") && !render(warned, []).output.contains("copied"))
  }

  @Test func mutedPeopleAreLeftOut() throws {
    #expect(try Tool.run("tw", ["config", "set", "mute", "@ann"], home: home).status == 0)
    let records = notification("1") + notification("2", by: "ben")
    #expect(try add(records).output == records)
    #expect(try ids(stored()) == ["2"] && ids(stored("--no-mute")) == ["2", "1"])
    #expect(try !render(records, []).output.contains("ANN"))
    #expect(try render(records, ["--no-mute"]).output.contains("ANN"))
  }

  /// Filters that look things up pass notifications on as they are.
  @Test func filtersPassThemOn() throws {
    let records = notification("1")
    for tool in ["tw-avatar", "tw-linkcheck"] {
      #expect(try Tool.run(tool, [], stdin: ToolInput(records), home: home).output == records, "\(tool)")
    }
    #expect(try Tool.run("tw-parse", [], stdin: ToolInput(records), home: home).output == records)
  }

  // MARK: From the service

  /// Notifications of a server are polled upwards, stored once, and counted; a later round brings what is new.
  @Test func aRoundCountsNotifications() throws {
    let server = try MastodonServer(.init(posts: 30))
    for new in [30, 0, 3] {
      if new == 3 { server.post(3) }
      let refreshed = try server.run(
        "tw-cache", ["refresh", "--quiet", "notifications"], home: home, token: "t0k",
        ["TW_NOW": "2026-11-27T00:00:00Z"])
      #expect(refreshed.status == 0, "\(refreshed.errors)")
      let log = try cache("log", "-n", "1").lines
      #expect(log.first?.split(separator: "\t").map(String.init)[3] == String(new), "\(log)")
    }
    let list = try Tool.run("tw-cache", ["notifications", "--kind", "like"], home: home)
    #expect(list.lines.count == 33 && list.lines.allSatisfy { $0.contains(#""name":"Otto""#) && $0.contains("tea") })
    #expect(try ids(Tool.run("tw-cache", ["list"], home: home).lines) == ["1"])
    let shown = try Tool.run("tw-render", [], stdin: ToolInput(list.lines[0] + "\n"), home: home)
    #expect(shown.output == "      ♥ Otto liked “tea”\n")
  }
}
