import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetStore

@testable import tw_browse

/// Lists, acts, posts and what takes them back in tw-browse, without a screen, a pty or tmux: the store is a real one,
/// and the other tools are scripts.
@Suite(.onOwnThread) struct BrowseWithoutTerminalTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// One with the newest tweet under the cursor.
  private func start(
    sources: [String] = [], refreshes: Bool = false, known: [(service: String, name: String)] = []
  ) throws -> QuietFront {
    try QuietFront(
      InnerBrowser.model(home, store: store, sources: sources, refreshes: refreshes, known: known))
  }

  private func asked(_ tool: String) -> [String] {
    guard let bytes = try? home.read("asked") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter { $0.hasPrefix(tool) }
  }

  private func likes(_ model: BrowseModel) -> Int? {
    model.selectedEntry?.document?["public_metrics"]?["like_count"]?.looseInteger
  }

  // MARK: Acts

  @Test func anActIsShownOfferedAndTakenBack() throws {
    try put(1...9)
    let front = try start()
    let model = front.model
    #expect(model.selected?.name == "x:9")
    try home.write("tw-post.do", "until [ -f \"$home/go\" ]; do sleep 0.01; done\n")
    model.acts.toggle(.like)
    #expect(front.said == ["like …"] && model.state.pending == ["x:9": .like] && likes(model) == 4)
    #expect(model.state.undo == nil, "it is not done yet")
    try home.write("go", "")
    try front.wait { $0.state.pending.isEmpty }
    #expect(front.told == ["liked"] && model.state.undo == Act(verb: .like, target: "x:9", service: "x"))
    // The store knows nothing of it: what was shown is taken back.
    #expect(likes(model) == 3)
    let command = try #require(model.acts.takeBack())
    #expect(model.jobs.contains(command) && model.state.undo == nil)
    try front.wait { !$0.jobs.contains(command) }
    #expect(front.told.last == "no longer liked" && model.state.undo == nil)
    #expect(model.acts.takeBack() == nil && front.said.last == "there is nothing to take back")
    #expect(asked("tw-post") == ["tw-post like --yes x:9", "tw-post unlike --yes x:9"])
  }

  @Test func whatIsOfferedIsForgottenInTime() throws {
    try put(1...2)
    let front = try start()
    let before = MonotonicClock.milliseconds
    front.model.acts.offer(Act(verb: .bookmark, target: "x:2"))
    front.model.tick(before + 4_999)
    #expect(front.model.state.undo?.verb == .bookmark)
    front.model.tick(MonotonicClock.milliseconds + 5_000)
    #expect(front.model.state.undo == nil)
  }

  /// What fails changes nothing, and its reason is told.
  @Test func whatFailsIsNotOffered() throws {
    try put(tweet(9, second: 9, likes: 5, more: #","viewer":{"account":"jack","liked":true}"#))
    let front = try start()
    for (verb, code, said) in [
      (Act.Verb.like, 69, "unlike: the reason"), (.retweet, 75, "retweet waits in the outbox: the reason"),
    ] {
      try home.write("tw-post.do", "echo 'tw-post: the reason' >&2; exit \(code)\n")
      front.model.acts.toggle(verb)
      try front.wait { $0.jobs.isEmpty }
      #expect(front.told.last == said && front.model.state.undo == nil && likes(front.model) == 5)
    }
    front.model.acts.follow("eve", at: "x")
    try front.wait { $0.jobs.isEmpty }
    #expect(front.model.state.followed.isEmpty)
  }

  @Test func whoIsFollowedHereIsUnfollowedNext() throws {
    try put(1...2)
    let front = try start()
    #expect(front.model.selected?.name == "x:2")
    for (verb, isFollowed) in [("follow", true), ("unfollow", false), ("follow", true)] {
      front.model.people.follow()
      try front.wait { $0.jobs.isEmpty }
      #expect(
        front.model.state.followed == ["jack": isFollowed] && asked("tw-post").last == "tw-post \(verb) --yes jack")
    }
    #expect(front.model.state.undo?.verb == .follow)
    front.model.people.showProfile()
    #expect(front.model.state.heads.values.map(\.username) == ["jack"])
    front.model.pop()
    #expect(front.model.state.heads.isEmpty)
  }

  // MARK: Labels

  @Test func aTweetMarkedByAKeyStaysUnreadInView() throws {
    try put(1...3)
    #expect(try cache("label", "+unread", "2").status == 0)
    let front = try start()
    let model = front.model
    model.read(model.state.list.keys)
    model.acts.toggleUnread()
    #expect(front.said == ["unread"] && model.selectedEntry?.isUnread == true)
    try front.wait { $0.jobs.isEmpty }
    model.acts.markRead(model.state.list.keys)
    try front.wait { $0.jobs.isEmpty }
    #expect(model.selectedEntry?.isUnread == true && model.records.entry(model.state.list.keys[1])?.isUnread == false)
    model.acts.markRead(model.state.list.keys, evenIfKept: true)
    #expect(model.selectedEntry?.isUnread == false)
    try front.wait { $0.jobs.isEmpty }
    let words = "tw-cache label --quiet --db \(store)"
    #expect(asked("tw-cache") == ["\(words) +unread", "\(words) -unread", "\(words) -unread"])
  }

  // MARK: Lists

  @Test func listsAreComeToAndLeft() throws {
    try put(1...9, feeds: ["#a"])
    try put(21...22, feeds: ["#b"])
    let front = try start(sources: ["#a", "#b"])
    let model = front.model
    model.limit("number 7", orSay: "no")
    #expect(model.state.feeds[0].path == "#a › &number 7" && model.selected?.name == "x:7" && front.shown == 1)
    model.showThread()
    model.limit("word", orSay: "no")
    #expect(front.said == ["no"] && model.state.feeds[0].lists.count == 3)
    model.show(feedAfter: 1)
    #expect(model.selected?.name == "x:22" && !model.pop())
    model.show(feedAfter: 1)
    #expect(model.state.list.keys.count == 1 && model.pop() && model.pop() && !model.pop())
    #expect(model.selected?.name == "x:9")
    model.show(feed: 3)
    #expect(front.said.last == "there is no feed 3" && model.state.current == 0)
    model.search("number 2")
    #expect(model.selected?.name == "x:2")
    model.search(isUp: false)
    #expect(front.said.last == "nothing more is found")
    // What comes later waits until it is asked for.
    try put(10...11, feeds: ["#a"])
    front.ask(.look)
    #expect(model.state.list.waiting.count == 2 && model.selected?.name == "x:2")
    model.showWaiting()
    #expect(model.selected?.name == "x:11" && model.state.list.waiting.isEmpty)
  }

  @Test func listsHaveNames() throws {
    try put(1...3)
    #expect(try cache("label", "+later", "2").status == 0)
    let front = try start()
    let model = front.model
    model.showQuery("c")
    #expect(front.said == ["no query is saved: tw-cache query"])
    model.state.queries = [SavedQuery(name: "a", text: "number 1"), SavedQuery(name: "b", text: "(")]
    model.showQuery("c")
    #expect(front.said.last == "no saved query is called 'c' (a, b)")
    model.showQuery("b")
    model.showLabel("a b")
    #expect(front.said.count == 4 && front.shown == 0)
    model.showQuery("a")
    #expect(model.state.feeds[0].path == "all › a" && model.selected?.name == "x:1")
    model.showLabel("later")
    #expect(model.state.feeds[0].path == "all › a › label later" && model.selected?.name == "x:2")
  }

  @Test func aListIsFilteredByACommand() throws {
    try put(1...9)
    let front = try start()
    front.model.filter(through: "grep 'number [24]'")
    try front.wait { $0.jobs.isEmpty }
    #expect(front.model.state.feeds[0].path == "all › |grep 'number [24]'" && front.model.state.list.keys.count == 2)
    front.model.filter(through: "cat")
    front.model.pop()
    try front.wait { $0.jobs.isEmpty }
    #expect(front.told == ["cat has ended, but another list is shown now"])
  }

  // MARK: Accounts

  @Test func anotherAccountTakesNothingBack() throws {
    let states = #","viewer":{"account":"jack","liked":true},"viewers":[{"account":"anna","liked":false}]"#
    try put(tweet(9, second: 9, more: states))
    let front = try start(known: [("x", "jack"), ("x", "anna")])
    let model = front.model
    model.acts.offer(Act(verb: .like, target: "x:9"))
    #expect(model.chooseAccount() && front.said == ["as x:anna"] && model.state.undo == nil)
    #expect(model.selected?.document?["viewer"]?["liked"]?.bool == false)
    #expect(!model.chooseAccount("eve") && model.state.account == "anna")
  }

  // MARK: Posts

  @Test func aPostIsWrittenSentAndTakenBack() throws {
    try put(1...3)
    try home.write(
      "tw-post.do",
      """
      case "$*" in
      *length*) exec sleep 600;;
      *delete*) exit 0;;
      esac
      cat > "$home/sent"; cat "$home/made"; exit $(cat "$home/code")
      """)
    try home.write("tw-cache.do", "cat\n")
    try home.write("made", tweet(70))
    try home.write("code", "69")
    let front = try start()
    let model = front.model
    model.composer.begin(.reply)
    #expect(model.state.composition?.title == "reply to @jack")
    for letter in "so be it" { #expect(model.composer.take(.character(letter), width: 80) == .nothing) }
    #expect(
      model.composer.take(.wheelUp, width: 80) == .other && model.composer.take(.control("e"), width: 80) == .edit)
    _ = model.composer.take(.control("s"), width: 80)
    #expect(model.state.composition == nil && model.state.outgoing.map(\.text) == ["reply to @jack: so be it"])
    // It is there again with the reason, and nothing of it is lost.
    try front.wait { $0.state.composition != nil }
    #expect(model.state.composition?.notice?.hasPrefix("not posted: ") == true)
    #expect(model.state.composition?.draft.text == "so be it" && model.state.undo == nil)
    try home.write("code", "0")
    _ = model.composer.take(.control("s"), width: 80)
    try front.wait { $0.state.outgoing.isEmpty && $0.jobs.isEmpty }
    #expect(try String(decoding: home.read("sent"), as: UTF8.self) == "so be it")
    #expect(front.told == ["posted"])
    #expect(model.state.undo == Act(verb: .post, target: "x:70", service: "x"))
    model.acts.takeBack()
    try front.wait { $0.jobs.isEmpty }
    #expect(asked("tw-post").last == "tw-post delete --yes x:70" && front.told.last == "deleted")
  }

  // MARK: The end

  @Test func theEndWaitsForActsAndEndsTheRefresh() throws {
    try put(1...3, feeds: ["#a"])
    try home.write(
      "tw-cache.do",
      "case \"$*\" in *--every*) exec sleep 600;; esac; cat > /dev/null; sleep 0.1; echo stored >> \"$home/asked\"\n")
    let front = try start(sources: ["#a"], refreshes: true)
    try front.model.start()
    #expect(front.model.refresh != nil)
    front.model.acts.toggle(.like)
    front.model.finish()
    #expect(front.model.jobs.isEmpty && front.model.isLeaving && asked("stored") == ["stored"])
    #expect(try Places(store, in: home.path + "/state").place(in: "#a") != nil)
  }
}

/// A front that shows nothing: the store answers at once, and what is said is kept.
private final class QuietFront: BrowseFront {
  private final class Answers { var list: [StoreAnswer] = [] }

  let model: BrowseModel
  private(set) var said: [String] = []
  private(set) var told: [String] = []
  private(set) var shown = 0
  private let answers: Answers
  private var session: StoreSession

  init(_ model: BrowseModel) throws {
    let answers = Answers()
    (self.model, self.answers) = (model, answers)
    session = try StoreSession(try TweetStore(model.tools.database, .readOnly)) { answers.list.append($0) }
    model.front = self
    model.opening.forEach(ask)
  }

  func ask(_ request: StoreRequest) {
    do { try session.carryOut([request]) } catch { Issue.record(error) }
    let new = answers.list
    answers.list = []
    for answer in new { model.take(answer) }
  }

  func say(_ text: String, isLate: Bool) { if isLate { told.append(text) } else { said.append(text) } }
  func showList() { shown += 1 }
  func take(sourceRecord: JSONDocument) {}
  func takeEndOfSources(_ ending: ChildProcess.Ending, _ command: BackgroundCommand) {}

  /// Takes what the tools say until something is so.
  func wait(file: String = #fileID, line: Int = #line, until isSo: (BrowseModel) -> Bool) throws {
    try waitUntil(file: file, line: line) {
      model.jobs.read()
      return isSo(model)
    }
  }
}
