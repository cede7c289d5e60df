import Foundation
import StoreCLI
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetStore

@testable import tw_browse

/// Parts of tw-browse that decide what other tools are asked, and what is said: without a terminal.
@Suite(.onOwnThread) struct BrowsePartsTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func document(_ text: String) throws -> JSONDocument { try JSONDocument(Array(text.utf8)) }

  // MARK: Acts

  @Test func eachActHasItsOpposite() {
    for (verb, inverse, isUndone, done) in [
      (.like, .unlike, true, "liked"), (.unlike, .like, false, "no longer liked"),
      (.retweet, .unretweet, true, "retweeted"), (.unretweet, .retweet, false, "no longer retweeted"),
      (.bookmark, .unbookmark, true, "bookmarked"), (.unbookmark, .bookmark, false, "no longer bookmarked"),
      (.follow, .unfollow, true, "followed"), (.unfollow, .follow, false, "no longer followed"),
      (.post, .delete, true, "posted"), (.delete, nil, false, "deleted"),
    ] as [(Act.Verb, Act.Verb?, Bool, String)] {
      let act = Act(verb: verb, target: "x:1 x:2", service: "x")
      #expect(act.opposite == inverse.map { Act(verb: $0, target: "x:1 x:2", service: "x") }, "\(verb)")
      #expect(act.isUndone == isUndone && act.targets == ["x:1", "x:2"])
      #expect(verb.done == done && act.undoing == "undo \(verb.rawValue)")
    }
  }

  // MARK: Accounts

  /// What the tools get for the service of the settings, where no variable says more.
  private static let own: [String: String?] = ["TW_SERVICE": "x", "TW_ENDPOINT": nil]
  private static let known = [("x", "jack"), ("x", "anna"), ("mastodon:a.example", "ann"), ("bluesky", "bo.example")]

  private func accounts(_ option: String? = nil, _ text: String = "", known: [(String, String)] = known) throws
    -> ChosenAccounts
  {
    ChosenAccounts(
      option: option, try Settings(text: text, path: "config"), known: known.map { (service: $0.0, name: $0.1) })
  }

  /// A token and an address go with the service that they are for; an account with its own.
  @Test func anAccountActsAtItsService() throws {
    var accounts = try accounts()
    #expect(accounts.service == "x" && accounts.usual == "x" && accounts.shown == "x:jack")
    #expect(accounts.words(at: "x") == [] && accounts.words(at: "bluesky") == ["--account", "bo.example"])
    #expect(accounts.words(at: "mastodon:b.example") == [])
    #expect(accounts.variables(at: "x") == Self.own)
    let others = accounts.variables(at: "bluesky")
    #expect(others["TW_SERVICE"] == "bluesky" && others.count == 5)
    for name in ["TW_TOKEN", "TW_TOKEN_FILE", "TW_ENDPOINT", "TW_ACCOUNT"] {
      #expect(others[name] == .some(nil), "\(name)")
    }
    for name in ["x:anna", "mastodon:a.example:ann", "bluesky:bo.example", "x:jack"] {
      #expect(try accounts.chooseNext() == name)
    }
    #expect(try accounts.choose(named: "@anna") == "x:anna" && accounts.words(at: "x") == ["--account", "anna"])
    #expect(try accounts.choose(named: "ann") == "mastodon:a.example:ann" && accounts.service == "mastodon:a.example")
    #expect(
      accounts.shown == "mastodon:a.example:ann" && accounts.words(at: "x") == ["--account", "anna"],
      "of each service one")
    #expect(
      throws: ToolError.noInput(
        "no account is called 'eve' (x:jack, x:anna, mastodon:a.example:ann, bluesky:bo.example)")
    ) {
      try accounts.choose(named: "eve")
    }
    #expect(accounts.service == "mastodon:a.example")
  }

  @Test func theAccountOfTheCommandLineAndOfTheSettings() throws {
    #expect(try accounts("anna").words(at: "x") == ["--account", "anna"] && accounts("anna").service == "x")
    let bluesky = try accounts("bo.example")
    #expect(bluesky.service == "bluesky" && bluesky.words(at: "bluesky") == ["--account", "bo.example"])
    #expect(bluesky.words(at: "x") == ["--account", "jack"])
    #expect(bluesky.variables(at: "bluesky")["TW_TOKEN"] == .some(nil) && bluesky.variables(at: "x")["TW_TOKEN"] == nil)
    #expect(try accounts("stranger").words(at: "x") == ["--account", "stranger"])
    #expect(try accounts(nil, "account = anna\nservice = bluesky\n").service == "bluesky")
    let only = [("mastodon:a.example", "ann")]
    var one = try accounts(nil, "", known: only)
    #expect(one.service == "mastodon:a.example" && one.shown == "ann")
    #expect(throws: ToolError.noInput("ann is the only account that is signed in")) { try one.chooseNext() }
    #expect(
      try accounts(nil, "endpoint = http://127.0.0.1:9\n", known: only).service == "x",
      "the address is another service's")
    var nobody = try accounts(nil, "", known: [])
    #expect(nobody.service == "x" && nobody.shown == nil && nobody.name(at: "x") == nil)
    #expect(throws: ToolError.noInput("nobody is signed in: tw-auth login")) { try nobody.chooseNext() }
    #expect(throws: ToolError.noInput("no account is called 'eve'")) { try nobody.choose(named: "eve") }
  }

  // MARK: The other tools

  private func tools(_ accounts: ChosenAccounts) throws -> Tools {
    try InnerBrowser.tools(in: home, store: "/s.db", accounts)
  }

  /// A command in words, without the folder of the tool.
  private func words(_ command: Tools.Command) -> String {
    #expect(command.isOfKit)
    return command.words.joined(separator: " ").replacing(home.path + "/", with: "")
  }

  @Test func toolsAreAskedWithTheStoreAndTheAccount() throws {
    let tools = try tools(accounts("bo.example"))
    #expect(words(tools.post(["like", "1"], at: "x")) == "bin/tw-post --account jack like 1")
    #expect(words(tools.post(["-"])) == "bin/tw-post --account bo.example -", "a new post is the account's")
    #expect(
      tools.post(["-"]).variables["TW_SERVICE"] == "bluesky"
        && tools.post([], at: "x").variables["TW_ACCOUNT"] == .some(nil))
    #expect(words(tools.crosspost(["--to", "x"])) == "bin/tw-post --to x" && tools.crosspost([]).variables.isEmpty)
    #expect(words(tools.add) == "bin/tw-cache add --quiet --db /s.db")
    #expect(words(tools.knownLinks) == "bin/tw-linkcheck --offline --quiet --db /s.db")
    #expect(words(tools.pictures(withMedia: true)) == "bin/tw-avatar --quiet --patience 300ms --db /s.db --media")
    #expect(words(tools.pictures(withMedia: false)) == "bin/tw-avatar --quiet --patience 300ms --db /s.db")
    #expect(words(tools.wholePictures) == "bin/tw-avatar --media --quiet --size original --max-bytes 50M --db /s.db")
    #expect(words(tools.label(["+a"])) == "bin/tw-cache label --quiet --db /s.db +a")
    #expect(Tools.labelWords("later +good -bad") == ["+later", "+good", "-bad"] && Tools.labelWords(" ").isEmpty)
    // Sources are asked as whom the settings say, whoever writes.
    var other = try self.tools(accounts())
    _ = try other.accounts.choose(named: "bo.example")
    let polled = other.following(RefreshedSources(sources: ["#a", "home"], every: 5_000, isLive: false))
    #expect(polled.map(words) == ["bin/tw-cache refresh --db /s.db --every 5000ms --backlog 0 #a home"])
    #expect(polled.first?.variables == Self.own)
    _ = try other.accounts.choose(named: "anna")
    let live = other.following(RefreshedSources(sources: ["home"], every: 5_000, isLive: true))
    #expect(
      live.map(words) == [
        "bin/tw-stream --resume state/browse.checkpoints --account anna home", "bin/tw-parse",
        "bin/tw-cache add --quiet --db /s.db --state state/browse.checkpoints",
      ])
    #expect(words(other.person("x:@eve")) == "bin/tw-cache refresh --quiet --db /s.db --account anna x:@eve")
    #expect(words(other.older("#a")) == "bin/tw-cache refresh --older --print --db /s.db --account anna #a")
    #expect(other.older("#a").variables == Self.own && other.person("").variables == Self.own)
  }

  // MARK: Commands that run meanwhile

  private func shell(_ script: String) -> Tools.Command { Tools.Command(words: ["/bin/sh", "-c", script]) }

  private func end(_ command: BackgroundCommand) throws -> ChildProcess.Ending {
    var ending: ChildProcess.Ending?
    try waitUntil {
      ending = command.read()
      return ending != nil
    }
    return try #require(ending)
  }

  @Test func commandsAreJoinedAndHeard() throws {
    let command = try BackgroundCommand(
      [shell("cat; echo two >&2; printf 'three\\nrest'"), shell("tr a-z A-Z")], input: Array("one\n".utf8),
      readsOutput: true)
    #expect(try end(command) == .exited(0))
    #expect(
      command.takeLines().map { String(decoding: $0, as: UTF8.self) } == ["ONE", "THREE"] && command.takeLines().isEmpty
    )
    #expect(command.hasPrinted && command.lastWords == "two")
    for (script, words) in [
      ("echo 'tw-post: a: b' >&2", "a: b"), ("printf 'one\\nlast\\n \\n\\n' >&2", "last"),
      ("echo 'other: a' >&2", "other: a"),
      ("true", nil), ("head -c 5000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2", "end"),
    ] as [(String, String?)] {
      let command = try BackgroundCommand([shell(script)])
      #expect(try end(command) == .exited(0) && command.lastWords == words, "\(script)")
      #expect(!command.hasPrinted && command.takeLines().isEmpty)
    }
    // The first that failed says how it went; what was printed until then is there.
    let failing = try BackgroundCommand([shell("echo a; exit 7"), shell("cat; exit 3")], readsOutput: true)
    #expect(try end(failing) == .exited(7) && failing.takeLines().count == 1)
    #expect(try end(BackgroundCommand([shell("exit 0"), shell("exit 3")])) == .exited(3))
    #expect(try end(BackgroundCommand([shell("kill -9 $$")])) == .killed(9))
    // Of much that is printed nothing is lost.
    let much = try BackgroundCommand([shell("seq 300000")], readsOutput: true)
    #expect(try end(much) == .exited(0) && much.takeLines().count == 300_000)
    #expect(throws: ToolError.self) { try BackgroundCommand([Tools.Command(words: ["/nowhere/tw-post"])]) }
  }

  /// A command is asked to end once, with all that it has started, and knows how it ended.
  @Test func commandsAreEnded() throws {
    let path = home.path
    let asked = try BackgroundCommand([
      shell(
        "trap 'echo x >> \(path)/told' TERM; touch \(path)/ready; until [ -f \(path)/go ]; do sleep 0.01; done; exit 4")
    ])
    try waitUntil { home.exists("ready") }
    asked.end()
    try waitUntil { home.exists("told") }
    asked.end()
    usleep(30_000)
    try home.write("go", "")
    #expect(try end(asked) == .exited(4) && home.read("told").count == 2)
    let stopped = try BackgroundCommand([shell("sleep 600 & wait"), shell("cat")])
    stopped.stop()
    #expect(try end(stopped) == .killed(SIGTERM))
    let killed = try BackgroundCommand([shell("trap '' TERM; sleep 600")])
    killed.kill()
    #expect(try end(killed) == .killed(SIGKILL))
    let jobs = BackgroundJobs()
    var ended: [String] = []
    try jobs.start([shell("exit 1")]) { ending, _ in ended.append("a \(ending)") }
    try jobs.start([shell("echo b; until [ -f \(path)/go2 ]; do sleep 0.01; done")], readsOutput: true) { _, command in
      ended.append("b \(command.takeLines().count)")
    }
    #expect(jobs.commands.count == 2 && !jobs.isEmpty && jobs.descriptors.count == 3)
    try waitUntil {
      jobs.read()
      return !ended.isEmpty
    }
    #expect(ended == ["a with status 1"] && jobs.commands.count == 1)
    try home.write("go2", "")
    try waitUntil {
      jobs.read()
      return jobs.isEmpty
    }
    #expect(ended.last == "b 1")
  }

  @Test func aMailboxHandsOnInOrder() throws {
    let box = try Mailbox<Int>(waits: false)
    #expect(box.takeAll().isEmpty)
    box.put(1)
    box.put(2)
    var entry = pollfd(fd: box.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&entry, 1, 0) == 1 && box.takeAll() == [1, 2] && poll(&entry, 1, 0) == 0)
    box.put(3)
    #expect(poll(&entry, 1, 0) == 1 && box.takeAll() == [3] && box.takeAll().isEmpty)
    let waiting = try Mailbox<Int>(waits: true)
    Thread.detachNewThread {
      usleep(10_000)
      waiting.put(5)
    }
    #expect(waiting.takeAll() == [5])
  }

  // MARK: What is in a tweet

  @Test func linksAndPicturesOfATweet() throws {
    let media =
      #""attachments":{"media":[{"type":"photo","url":"https://p.example/1.jpg","alt_text":"one","picture":{"key":"k"}},"#
      + #"{"type":"image","preview_image_url":"https://p.example/2.jpg","picture":{"error":"http 404"}},"#
      + #"{"type":"video","url":"https://p.example/3.mp4"},{"type":"photo","url":"javascript:x"},{"type":"photo","url":""}]}"#
    let links =
      #""entities":{"urls":[{"url":"https://a.example/1"},{"url":"https://m.example/2","verdict":"ok","link_kind":"music"}]}"#
    let plain = TweetSubjects(try document(#"{"id":"1","service":"x","text":"t",\#(media),\#(links)}"#))
    #expect(plain.pictures.map(\.key) == ["k", nil] && plain.pictures.map(\.error) == [nil, "http 404"])
    #expect(plain.links.map(\.url) == ["https://a.example/1", "https://m.example/2"])
    #expect(plain.hasLinks && plain.hasPictures && plain.hasMusic && plain.music?.url == "https://m.example/2")
    let retweet = TweetSubjects(
      try document(
        #"{"id":"2","service":"x","text":"RT","referenced_tweets":[{"type":"retweeted","id":"1","text":"t",\#(media)}]}"#
      ))
    #expect(retweet.pictures.count == 2 && !retweet.hasLinks && !retweet.hasMusic)
    let unknown = TweetSubjects(
      try document(
        #"{"id":"2","service":"x","text":"RT",\#(media),"referenced_tweets":[{"type":"retweeted","id":"1"}]}"#))
    #expect(unknown.pictures.count == 2)
    #expect(!TweetSubjects(try document(#"{"id":"2","service":"x","text":""}"#)).hasPictures)
  }

  @Test func namesOfPicturesStayInTheirFolder() {
    for (author, id, number, stem) in [
      ("jack", "1", 1, "jack-1-1"), ("../up", "a/b", 2, "___up-a_b-2"), (nil, ".hidden", 3, "_hidden-3"),
      (String(repeating: "a", count: 90), "é\u{0}", 1, String(repeating: "a", count: 60) + "-__-1"),
    ] as [(String?, String, Int, String)] {
      #expect(PictureSaving.stem(author: author, id: id, number: number) == stem)
    }
  }

  @Test func aProfileIsAskedOfItsService() throws {
    func head(_ service: String, _ name: String, _ record: String? = nil) throws -> ProfileHead {
      ProfileHead(service: service, id: "1", username: name, target: name, record: try record.map { try document($0) })
    }
    #expect(try head("x", "jack").source == "x:@jack" && head("bluesky", "a.example").source == "bluesky:@a.example")
    #expect(try head("mastodon:a.example", "ann").source == "mastodon:@ann@a.example")
    #expect(try head("mastodon:a.example", "bob@b.example").source == "mastodon:@bob@b.example")
    #expect(try head("x", "a").isBare && head("x", "a", #"{"id":"1","username":"a"}"#).isBare)
    #expect(try !head("x", "a", #"{"description":"d"}"#).isBare && !head("x", "a", #"{"public_metrics":{}}"#).isBare)
  }

  // MARK: Lines of --plain

  @Test(
    arguments: [
      ("", .down, ""), ("  ", .down, ""), ("n", .down, ""), ("p", .up, ""), ("l", .like, ""), ("<", .back, ""),
      ("| jq .text", .pipe, "jq .text"), ("|jq", .pipe, "jq"), ("/two words ", .search, "two words"),
      ("&a", .limit, "a"),
      ("?", .help, ""), ("r  some text", .reply, "some text"), ("label +later", .label, "+later"),
      (":label x", .label, "x"),
      ("boo", .bookmark, ""), ("search", .search, ""), ("g", .first, ""), ("G", .last, ""), ("u", .undo, ""),
      ("like", .like, ""),
      ("q", .quit, ""), ("c hello", .post, "hello"), ("o 2", .link, "2"),
    ] as [(String, Action, String)])
  func linesAreActions(line: String, action: Action, words: String) throws {
    let command = try PlainCommand(line)
    #expect(command.action == action && command.words == words)
  }

  @Test func linesThatAreNone() {
    for (line, fault) in [
      ("frob", PlainCommand.Fault.unknown("frob")), ("page-", .ambiguous("page-")), ("open", .onlyOnAScreen("open")),
      ("page-down", .onlyOnAScreen("page-down")), (":", .unknown("")), ("m", .onlyOnAScreen("play")),
      ("%", .unknown("%")),
    ] {
      #expect(throws: fault) { try PlainCommand(line) }
    }
    #expect(PlainCommand.feed(" 12 ") == 12 && PlainCommand.feed("1a") == nil && PlainCommand.feed("") == nil)
    let help = PlainCommand.help
    #expect(help.contains("n, down, the next tweet") && help.contains("l, like, like it, or take that back"))
    #expect(
      !help.contains { $0.contains("page-down") }
        && help.contains("label, give a label (+later) or take it away (-later)"))
  }

  // MARK: Help and keys

  @Test func theHelpSaysWhatCanBeDone() throws {
    var screen = BrowseState(
      feeds: [FeedTab(TweetList(id: 0, title: "t", source: .keys([])), source: nil)],
      keys: try KeyMap(Settings(text: "browse.keys.like = z ^Y\nbrowse.keys.raw = none\n", path: "config")))
    func parts(_ entry: RecordCache.Entry?) -> [String: [String]] {
      var parts: [String: [String]] = [:]
      var title = ""
      for line in HelpRows.lines(screen, entry) where !line.isEmpty {
        if line.hasPrefix("— ") { title = String(line.dropFirst(2)) } else { parts[title, default: []].append(line) }
      }
      return parts
    }
    let none = parts(nil)
    #expect(none["the tweet under the cursor"] == nil && none["more"]?.contains { $0.hasSuffix(":like") } == true)
    #expect(none["the list"]?.last == "1 to 9            a feed by its number")
    let cache = RecordCache()
    let link = #","entities":{"urls":[{"url":"https://m.example/2","verdict":"ok","link_kind":"music"}]}"#
    cache.take([
      ReadRecord(key: 1, bytes: Array(tweet(1).utf8), isUnread: false),
      ReadRecord(key: 2, bytes: Array(tweet(2, more: link).utf8), isUnread: false),
    ])
    func names(_ key: Int) -> Set<String> {
      Set(
        parts(cache.entry(key))["the tweet under the cursor"]?.compactMap {
          $0.split(separator: ":").last.map(String.init)
        } ?? [])
    }
    #expect(
      names(1).isSuperset(of: ["like", "delete", "reply"])
        && names(1).isDisjoint(with: ["link", "play", "save", "undo"]))
    #expect(names(2).isSuperset(of: ["link", "play"]) && !names(2).contains("save"))
    screen.undo = Act(verb: .like, target: "x:1")
    #expect(names(1).contains("undo"))
    let lines = HelpRows.lines(screen, cache.entry(1))
    #expect(lines.contains("z ^Y              like it, or take that back  :like"))
    #expect(lines.contains { $0.hasPrefix("    ") && $0.hasSuffix(":raw") })
  }

  @Test func keysOfTheSettingsTakeThePlaceOfTheUsual() throws {
    func map(_ text: String) throws -> KeyMap { try KeyMap(Settings(text: text, path: "config")) }
    let usual = try map("")
    for action in Action.allCases {
      #expect(usual.keys(of: action) == action.usualKeys && action.usualKeys.allSatisfy { usual[$0] == action })
    }
    let own = try map("browse.keys.like = z z Space\nbrowse.keys.page-down = none\nbrowse.keys.raw = none\n")
    #expect(
      own[.character("z")] == .like && own[.character(" ")] == .like && own[.character("f")] == nil
        && own[.pageDown] == nil)
    #expect(
      own.keys(of: .like) == [.character("z"), .character(" ")] && own.name(of: .like) == "z"
        && own.name(of: .raw) == ":raw")
    for (text, fault) in [
      (
        "browse.keys.like = b",
        "config:1: browse.keys.like: key 'b' is that of 'retweet' too; give 'retweet' another key, or 'none'"
      ),
      ("browse.keys.like = z\nbrowse.keys.retweet = z", "config:1: browse.keys.like: key 'z' is that of 'retweet' too"),
      ("browse.keys.like = 1", "config:1: browse.keys.like: '1' shows a feed, and no action takes its place"),
      ("browse.keys.quit = none", "config:1: browse.keys.quit: an action that leaves needs a key"),
      ("browse.keys.nothing = z", "config:1: browse.keys.nothing: tw-browse has no action 'nothing'"),
    ] {
      #expect(throws: ToolError.configuration(fault), "\(text)") { try map(text) }
    }
    for key in usual.keys(of: .open) + [.control("y"), .character("é"), .tab] { #expect(Key(name: key.name) == key) }
    #expect(
      Key(name: "esc") == .escape && Key(name: "^I") == nil && Key(name: "^é") == nil && Key(name: "ab") == nil
        && Key(name: "") == nil)
    #expect(Key(name: "0") == .character("0"))
  }
}
