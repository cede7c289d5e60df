import Foundation
import TestSupport
import Testing
import TweetCore

/// tw-browse: profiles and notifications.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowsePeopleTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func browse(
    _ options: String = "--offline", columns: Int = 80, language: String = "C.UTF-8", until text: String
  ) throws -> Terminal {
    let terminal = try Terminal(
      "LC_ALL=\(language) tw-browse \(options); echo \"left $?\"", columns: columns,
      environment: ["TW_NOW": time(3600)], home: home)
    try terminal.wait(for: text)
    return terminal
  }

  private func notification(
    _ id: String, _ kind: String, by user: String, about text: String? = nil, second: Int, service: String = "x"
  ) -> String {
    var line =
      #"{"tw":"notification","service":"\#(service)","account":"jack","id":"\#(id)","kind":"\#(kind)","type":"\#(kind)","#
    line += #""at":"\#(time(second))","user":{"id":"u\#(user)","username":"\#(user)","name":"\#(user.uppercased())"}"#
    if let text {
      line +=
        #","tweet":{"id":"7\#(id)","text":"\#(text)","author_id":"ujack","author":{"id":"ujack","username":"jack"}}"#
    }
    return line + "}\n"
  }

  private func count(_ text: String, in screen: String) -> Int { screen.components(separatedBy: text).count - 1 }

  /// A profile stands above the posts of its person; the list below it scrolls as any other, and Esc leaves both.
  @Test func aProfileStandsAboveThePosts() throws {
    let records = (1...40).map { tweet($0, second: $0, text: "word number \($0)", author: $0 % 4 == 0 ? "ann" : "ben") }
    let user =
      #"{"tw":"user","service":"x","id":"uann","username":"ann","name":"ANN","description":"swims in lakes","#
      + #""public_metrics":{"followers_count":1234,"following_count":5,"tweet_count":60}}"# + "\n"
    #expect(try add(records.joined() + user, ["--quiet"]).status == 0)
    let terminal = try browse(until: "word number 40")
    try terminal.press("p")
    let screen = try terminal.wait(for: "swims in lakes")
    #expect(screen.contains("all › @ann") && screen.contains("F follow") && !screen.contains("number 39"))
    #expect(screen.contains("▌      word number 40"))
    for _ in 1...9 { try terminal.press("j") }
    let last = try terminal.wait(for: "▌      word number 4\n")
    #expect(last.contains("swims in lakes"))
    try terminal.press("Escape")
    #expect(try !terminal.wait(for: "word number 39").contains("swims in lakes"))
    // Nothing is known of the other one, and nothing is asked with --offline.
    try terminal.press("j")
    try terminal.press("p")
    try terminal.wait(for: "@ben")
  }

  /// Following from there, and no longer, is done by tw-post, and the profile says so.
  @Test func aPersonIsFollowedFromTheProfile() throws {
    let terminal = try Terminal(
      "tw-local --demo -- tw-browse --every 1h '#swift'\necho \"left $?\"", columns: 80, home: home)
    try terminal.wait("a tweet under the cursor") { $0.contains("▌") && $0.contains("·") }
    try terminal.press("p")
    try terminal.wait(for: "› @")
    try terminal.press("F")
    try terminal.wait("the profile says so") { $0.contains("followed  F follow") }
    try terminal.press("F")
    try terminal.wait("the profile says that too") { $0.contains("no longer followed  F follow") }
    try terminal.press("q")
    try terminal.wait(for: "left 0")
  }

  /// Notifications are rows in the person's language. What they are about opens as a tweet, and who follows as a
  /// profile.
  @Test func notificationsAreAFeed() throws {
    let records =
      tweet(1, second: 1, text: "an ordinary tweet") + tweet(72, second: 2, text: "my own words")
      + tweet(74, second: 3, text: "so it is") + notification("1", "follow", by: "zoe", second: 10)
      + notification("2", "like", by: "ann", about: "my own words", second: 20)
      + notification("3", "poll", by: "ben", about: "which one?", second: 30, service: "mastodon:one.example")
    #expect(try add(records, ["--quiet"]).status == 0)
    let terminal = try browse("--offline notifications '#swift'", until: "BEN")
    let screen = try terminal.screen()
    #expect(screen.contains("♥ ANN liked") && screen.contains("my own words") && screen.contains("ZOE follows you"))
    #expect(!screen.contains("an ordinary tweet"))
    try terminal.press("j")
    try terminal.press("Enter")
    #expect(try terminal.wait(for: "id 72").contains("my own words"))
    try terminal.press("Escape")
    try terminal.press("j")
    try terminal.press("Enter")
    #expect(try terminal.wait(for: "notifications › @zoe").contains("zoe"))
    try terminal.press("q")
    try terminal.wait(for: "left 0")

    // What has come since waits, and the tab says how much it is.
    #expect(
      try add(notification("4", "reply", by: "eve", about: "so it is", second: 50), ["--quiet"]).status == 0)
    let again = try browse("--offline '#swift' notifications", until: "notifications (1)")
    try again.press("2")
    try again.wait(for: "1 new (g)")
    try again.press("g")
    #expect(try again.wait(for: "so it is").contains("EVE replied"))

    let german = try browse("--offline notifications", language: "de_DE.UTF-8", until: "BEN")
    #expect(try german.screen().contains("ANN gefällt"))
    let one = try browse("--offline mastodon:notifications", until: "BEN")
    #expect(try !one.screen().contains("ANN"))
  }

  /// One that is stored while the list is shown waits above it.
  @Test func aNewNotificationWaitsAbove() throws {
    let words = tweet(71, text: "first") + tweet(72, text: "second")
    #expect(try add(words + notification("1", "like", by: "ann", about: "first", second: 1), ["--quiet"]).status == 0)
    let terminal = try browse("--offline notifications", until: "first")
    #expect(try add(notification("2", "mention", by: "ben", about: "second", second: 9), ["--quiet"]).status == 0)
    #expect(try !terminal.wait(for: "1 new (g)").contains("second"))
    try terminal.press("g")
    try terminal.wait(for: "second")
  }
}
