import Foundation
import TestSupport
import Testing
import TweetCore

/// Keys, accounts, music, pictures and lists of tw-browse.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct BrowseActTests: BrowseSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  // MARK: Keys

  /// Keys are checked when they are set, and in the file, with its line.
  @Test func keysOfTheConfigurationAreChecked() throws {
    for (action, keys, fault) in [
      ("likes", "x", "no action 'likes'; did you mean 'like'?"), ("like", "Shift-x", "'Shift-x' is not a key"),
      ("like", "b", "key 'b' is that of 'retweet' too"), ("like", "3", "shows a feed"), ("quit", "none", "needs a key"),
    ] {
      let result = try config("set", "browse.keys.\(action)", keys)
      #expect(result.ending == .status(64) && result.errors.contains(fault), "\(result.errors)")
    }
    #expect(!home.exists(".config/tw/config"))
    #expect(try config("set", "browse.keys.retweet", "none").status == 0)
    #expect(try config("set", "browse.keys.like", "b ^Y").status == 0)
    #expect(try config("get", "browse.keys.like").output == "b ^Y\n")
    #expect(try config("list").output.contains("browse.keys.retweet = none\n"))
    try home.write(".config/tw/config", "# mine\nbrowse.keys.like = b\n")
    let result = try Tool.run("tw-browse", ["--offline"], home: home)
    #expect(
      result.ending == .status(78) && result.errors.contains("config:2: browse.keys.like: key 'b' is that of 'retweet'")
    )
    try home.write(".config/tw/config", "browse.feeds = '#swift' 'no source'\n")
    let feeds = try Tool.run("tw-browse", ["--offline"], home: home)
    #expect(feeds.ending == .status(78) && feeds.errors.contains("config:1: browse.feeds: "), "\(feeds.errors)")
  }

  /// The list of keys has those in force, first what can be done with the tweet under the cursor.
  @Test func theHelpListsTheKeysInForce() throws {
    let url = #","entities":{"urls":[{"url":"https://a.example/1"}]}"#
    try storeSome(tweet(20, second: 20, text: "with a link", more: url))
    #expect(try config("set", "browse.keys.like", "z").status == 0)
    let terminal = try browse()
    try terminal.press("?")
    let screen = try terminal.wait(for: "— the tweet under the cursor")
    #expect(screen.contains("z                 like it") && screen.contains(":link"))
    try terminal.press("Escape")
    try terminal.press("j")
    try terminal.press("?")
    #expect(try !terminal.wait(for: "— the tweet under the cursor").prefix(2000).contains(":link"))
  }

  /// Without a source the feeds of the configuration are shown, and a click shows another one.
  @Test func feedsComeFromTheConfiguration() throws {
    let records = tweet(1, text: "of swift", feeds: ["#swift"]) + tweet(2, text: "of rust", feeds: ["#rust"])
    #expect(try add(records).status == 0)
    #expect(try config("set", "browse.feeds", "'#swift' '#rust'").status == 0)
    let terminal = try start("tw-browse --offline", until: "of swift")
    #expect(try !terminal.screen().contains("of rust"))
    // The button goes down in the second tab.
    try terminal.type("\u{1B}[<0;14;1M")
    try terminal.wait(for: "of rust")
  }

  // MARK: Accounts

  /// The last word of the first row.
  private func account(in screen: String) -> String? {
    screen.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
  }

  /// The account is shown, a key changes it, and what somebody else has liked is not one's own.
  @Test func anotherAccountHasNotLikedWhatOneHas() throws {
    try credentials("jack", "anna")
    let states =
      #","viewer":{"account":"jack","liked":true},"viewers":[{"account":"anna","liked":false}]"#
    try storeSome(tweet(20, second: 20, text: "liked by jack", more: states))
    let terminal = try browse()
    try terminal.wait("jack is shown") { account(in: $0) == "jack" }
    try terminal.press("f")
    try terminal.wait(for: "unlike")
    try terminal.press("A")
    try terminal.wait("anna is shown") { account(in: $0) == "anna" }
    try terminal.press("f")
    // Its end is the last that is said of it: nothing takes the place of what is said next.
    try terminal.wait(for: " like: ")
    try terminal.type(":account jack")
    try terminal.press("Enter")
    try terminal.wait("jack is shown again") { account(in: $0) == "jack" }
    try terminal.type(":account nobody")
    try terminal.press("Enter")
    try terminal.wait(for: "no account is called 'nobody' (x:jack, x:anna)")
  }

  // MARK: Other programs

  /// The record goes to the pager, and links go to the opener, as the configuration names them.
  @Test func pagerAndOpenerComeFromTheConfiguration() throws {
    let url = #","url":"https://x.example/20","entities":{"urls":[{"url":"https://a.example/1?b=c&d"}]}"#
    try storeSome(tweet(20, second: 20, text: "with a link", more: url))
    try home.program("opener", "#!/bin/sh\nprintf '%s\\n' \"$@\" >> opened\n")
    #expect(try config("set", "browse.pager", "cat > paged").status == 0)
    #expect(try config("set", "browse.opener", home.path + "/opener --new").status == 0)
    let terminal = try browse()
    try terminal.press("e")
    for _ in 1...600 where !home.exists("paged") { usleep(50_000) }
    try terminal.wait(for: "hello from 1")
    #expect(String(decoding: try home.read("paged"), as: UTF8.self).contains(#""text":"with a link""#))
    try terminal.press("o")
    try terminal.wait(for: " https://a.example/1?b=c&d")
    try terminal.press("v")
    try terminal.wait(for: " https://x.example/20")
    var opened = ""
    for _ in 1...600 where opened.split(separator: "\n").count < 4 {
      usleep(50_000)
      opened = home.exists("opened") ? String(decoding: try home.read("opened"), as: UTF8.self) : ""
    }
    #expect(opened == "--new\nhttps://a.example/1?b=c&d\n--new\nhttps://x.example/20\n")
    try terminal.press("j")
    try terminal.press("o")
    try terminal.wait(for: "the tweet has no links")
  }

  // MARK: Music and pictures

  /// Music plays while the list goes on, one at a time, and ends with the screen.
  @Test func musicPlaysOneAtATime() throws {
    func song(_ number: Int) -> String {
      tweet(
        number, second: number, text: "song \(number)",
        more: #","entities":{"urls":[{"url":"https://m.example/\#(number)","verdict":"ok","link_kind":"music"}]}"#)
    }
    try storeSome(song(20) + song(21))
    try home.program(
      "player", "#!/bin/sh\ntrap 'echo end >> played; exit' TERM\necho \"$1\" >> played\nsleep 600 & wait\n")
    let terminal = try browse()
    try terminal.press("m")
    try terminal.wait(for: "no player is set")
    try terminal.press("q")
    try terminal.wait(for: "left 0")
    #expect(try config("set", "browse.player", home.path + "/player").status == 0)
    let second = try browse()
    // A player is ended when it has begun, and not while its shell starts.
    func waitForPlayers(_ count: Int) throws {
      try waitUntil {
        let played = try home.exists("played") ? String(decoding: home.read("played"), as: UTF8.self) : ""
        return played.split(separator: "\n").count { $0 != "end" } == count
      }
    }
    try second.press("m")
    try second.wait(for: "plays https://m.example/21")
    try waitForPlayers(1)
    try second.press("j")
    try second.press("m")
    try second.wait(for: "plays https://m.example/20")
    try waitForPlayers(2)
    try second.press("m")
    try second.wait(for: "stopped")
    try second.press("m")
    try second.wait(for: "plays https://m.example/20")
    try waitForPlayers(3)
    try second.press("q")
    try second.wait(for: "left 0")
    let played = String(decoding: try home.read("played"), as: UTF8.self).split(separator: "\n")
    #expect(played.filter { $0 == "end" }.count == 3 && played.filter { $0 != "end" }.count == 3, "\(played)")
  }

  /// A tweet with a picture that is stored, and the picture.
  private func storePicture() throws -> (record: String, photo: [UInt8]) {
    let photo = PictureSample.png(for: "/photo")
    try home.write("x/data/tweets_media/99-AB-c_.png", photo)
    let record =
      #"{"tw":"tweet","id":"99","service":"x","created_at":"\#(time(99))","text":"hello from 1","author":{"id":"12","username":"../up"},"#
      + #""attachments":{"media":[{"type":"photo","url":"https://pbs.twimg.com/media/AB-c_.png"}]}}"# + "\n"
    let fetched = try Tool.run(
      "tw-avatar", ["--media", "--size", "original", "--archive", "x"], stdin: ToolInput(record), home: home)
    #expect(fetched.output.contains(#""picture":{"key":"#), "\(fetched.errors)")
    try FileManager.default.createDirectory(atPath: home.path + "/pictures", withIntermediateDirectories: true)
    return (record, photo)
  }

  /// Records of standard input have a store of their own, and the person's pictures.
  @Test func picturesOfAPipeAreSaved() throws {
    let (record, photo) = try storePicture()
    try home.write("records", record)
    let terminal = try Terminal("cat records | tw-browse", columns: 80, home: home)
    try terminal.wait(for: "hello from 1")
    try terminal.type(":save ~/pictures")
    try terminal.press("Enter")
    try terminal.wait(for: "saved 1 in ")
    #expect(try home.read("pictures/___up-99-1.png") == photo)
  }

  /// Pictures are saved under names that stay in the folder, and none is written over.
  @Test func picturesAreSaved() throws {
    let (record, photo) = try storePicture()
    #expect(try add(record).status == 0)
    let name = "pictures/___up-99-1"
    try home.write(name + ".png", "mine")
    let terminal = try browse()
    try terminal.press("S")
    try terminal.wait(for: "save the picture in: ")
    try terminal.press("C-u")
    try terminal.type("~/pictures")
    try terminal.press("Enter")
    try terminal.wait(for: "saved 1 in ")
    #expect(try home.read(name + ".png") == Array("mine".utf8) && home.read(name + "-2.png") == photo)
    // The folder is the default of the next time, and the same picture is there already.
    try terminal.press("S")
    try terminal.wait(for: "save the picture in: \(home.path)/pictures")
    try terminal.press("Enter")
    try terminal.wait(for: "1 there already")
    #expect(files(in: "pictures").count == 2)
  }

  /// The reader has the links by their numbers, with what is known of them.
  @Test func linksHaveNumbersVerdictsAndTitles() throws {
    let links =
      #","entities":{"urls":[{"url":"https://a.example/gone","verdict":"dead","status":404},"#
      + #"{"url":"https://b.example/page","verdict":"ok","title":"A title \u001b[2J"}]}"#
    try storeSome(tweet(20, second: 20, text: "two links", more: links))
    let terminal = try browse()
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "1 ✗ dead 404 a.example/gone")
    #expect(screen.contains("2 ✓ A title \u{FFFD}[2J · b.example/page"))
    try terminal.press("o")
    try terminal.wait(for: "link 1-2: ")
  }

  // MARK: Lists

  /// A command lets tweets through, saved queries and labels are lists, and Tab knows their names.
  @Test func listsComeFromCommandsQueriesAndLabels() throws {
    try storeSome()
    #expect(try cache("query", "save", "sevens", "7").status == 0)
    #expect(try cache("label", "+later", "3").status == 0)
    let terminal = try browse()
    try terminal.type("|grep 'from [45]'")
    try terminal.press("Enter")
    let filtered = try terminal.wait("what the command lets through") {
      $0.contains("› |grep") && $0.contains("hello from 4") && $0.contains("hello from 5")
    }
    #expect(!filtered.contains("hello from 9"))
    try terminal.press("Escape")
    try terminal.wait(for: "hello from 9")
    try terminal.type("|grep nothing")
    try terminal.press("Enter")
    try terminal.wait(for: "grep nothing lets no tweet through")
    try terminal.type(":query ")
    try terminal.press("Tab")
    try terminal.wait(for: ":query sevens")
    try terminal.press("Enter")
    #expect(try !terminal.wait(for: "› sevens").contains("hello from 9"))
    try terminal.press("Escape")
    try terminal.type(":label-list later")
    try terminal.press("Enter")
    let labelled = try terminal.wait(for: "› label later")
    #expect(labelled.contains("hello from 3") && !labelled.contains("hello from 9"))
  }

  /// A tweet is marked as unread, and stays so while it is in view.
  @Test func aTweetIsMarkedAsUnread() throws {
    try storeSome()
    let terminal = try browse()
    try terminal.press("U")
    try terminal.wait("unread") { $0.contains(" unread") }
    try wait(for: ["9"], labelled: "unread")
    try terminal.press("U")
    try wait(for: [], labelled: "unread")
  }
}
