import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore

@testable import tw_browse

/// Drafts of tw-browse in their files, the lengths of posts, and the way of a post to tw-post and back.
@Suite(.onOwnThread) struct BrowseDraftTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private var folder: String { home.path + "/state/drafts" }

  private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] }

  /// The text of each draft that is on disk, and whether it was given to tw-post.
  private var saved: [(text: String?, wasSent: Bool)] {
    files.filter { !$0.hasSuffix(".lock") }.compactMap { name in
      (try? JSONDocument(home.read("state/drafts/" + name))).map { ($0["text"]?.string, $0["sent"]?.bool == true) }
    }
  }

  private func draft(_ text: String, _ kind: ComposedDraft.Kind = .post, tweet: String = "") -> ComposedDraft {
    var draft = ComposedDraft(kind, tweet: tweet)
    draft.text = text
    return draft
  }

  private func open(_ kind: ComposedDraft.Kind = .post, tweet: String = "") throws -> (
    file: DraftFile, draft: ComposedDraft
  ) {
    try DraftFile.open(for: ComposedDraft(kind, tweet: tweet), in: folder)
  }

  // MARK: Files

  /// A draft belongs to who has it open; who comes later finds what nobody writes.
  @Test func aDraftHasOneOwner() throws {
    var first: DraftFile? = try open().file
    first?.save(draft("the first"))
    first?.wait()
    #expect(first?.isSaved == true && saved.map(\.text) == ["the first"])
    let second = try open()
    #expect(second.draft.text.isEmpty)
    second.file.save(draft("the second"))
    second.file.wait()
    #expect(saved.count == 2 && files.count == 4)
    // What is for another tweet, or of another kind, is another draft.
    #expect(try open(.reply, tweet: "x:1").draft.text.isEmpty && open(.quote, tweet: "x:1").draft.text.isEmpty)
    first?.keep()
    first = nil
    let third = try open()
    #expect(third.draft.text == "the first")
    third.file.save(draft("changed"))
    third.file.save(draft("changed again"))
    third.file.wait()
    #expect(Set(saved.map(\.text)) == ["changed again", "the second"])
    second.file.remove()
    #expect(saved.map(\.text) == ["changed again"])
    // An empty one is none.
    third.file.save(draft(" "))
    third.file.wait()
    #expect(saved.isEmpty && third.file.isSaved)
    third.file.keep()
    #expect(files.allSatisfy { $0.hasSuffix(".lock") })
  }

  @Test func filesOfOthersStay() throws {
    let file = try open().file
    file.save(draft("mine"))
    file.wait()
    let name = try #require(files.first { !$0.hasSuffix(".lock") })
    #expect(name.hasSuffix("-0"))
    file.keep()
    #expect(files == [name, name + ".lock"], "the lock of a draft stays beside it")
    // Another tweet whose name has the same sum: it is left alone, and nobody gets it.
    try home.write("state/drafts/" + name.dropLast(1) + "1", draft("foreign", .reply, tweet: "x:7").bytes.array)
    let second = try open()
    #expect(second.draft.text.isEmpty)
    second.file.save(draft("beside"))
    second.file.wait()
    #expect(Set(saved.map(\.text)) == ["mine", "foreign", "beside"] && files.contains(name.dropLast(1) + "2"))
    try home.write("state/drafts/\(name).new", "half of a write")
    file.remove()
    #expect(Set(saved.map(\.text)) == ["foreign", "beside"] && !files.contains { $0.hasPrefix(name) })
  }

  @Test func aDraftThatCannotBeWrittenSaysWhy() throws {
    let file = try open().file
    #expect(file.isSaved && file.failure == nil)
    let path = try "\(folder)/\(#require(files.first).dropLast(5))"
    try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    file.save(draft("lost"))
    file.wait()
    #expect(!file.isSaved && file.failure?.isEmpty == false)
    try FileManager.default.removeItem(atPath: path)
    file.save(draft("kept"))
    file.wait()
    #expect(file.isSaved && file.failure == nil && saved.map(\.text) == ["kept"])
  }

  @Test func moreDraftsThanAPersonWritesAreRefused() throws {
    var open: [DraftFile] = []
    for number in 0..<64 {
      open.append(try self.open().file)
      open[number].save(draft("draft \(number)"))
      open[number].wait()
    }
    #expect(throws: ToolError.tryLater("64 drafts for this are open")) { try self.open() }
    #expect(saved.count == 64)
    open.removeLast()
    // A program that a test beside this one starts holds the lock as well, until its exec(2).
    var again: ComposedDraft?
    try waitUntil {
      again = try? self.open().draft
      return again != nil
    }
    #expect(again?.text == "draft 63")
  }

  // MARK: Lengths

  @Test func lengthsAreAskedForTheNewestText() throws {
    let script =
      "while read -r line; do [ \"$line\" = '\"end\"' ] && { echo 'tw-post: gone' >&2; exit 3; }; sleep 0.02; echo \"${#line} of 280\"; done"
    let jobs = BackgroundJobs()
    var said: [LengthCounter.Outcome] = []
    let counter = try LengthCounter(Tools.Command(words: ["/bin/sh", "-c", script]), jobs) { said.append($0) }
    func read() -> LengthCounter.Outcome? {
      jobs.read()
      return said.isEmpty ? nil : said.removeFirst()
    }
    #expect(read() == nil)
    counter.ask(["a", "bbb"])
    for number in 4...9 { counter.ask([String(repeating: "c", count: number)]) }
    func next() throws -> [Int] {
      var found: [Int]?
      try waitUntil {
        guard case .lengths(let lengths)? = read() else { return false }
        found = lengths.map { $0.first?.length ?? -1 }
        return true
      }
      return try #require(found)
    }
    // The quotes count.
    #expect(try next() == [3, 5] && next() == [11])
    #expect(read() == nil)
    counter.ask(["end"])
    try waitUntil { if case .fault("gone")? = read() { true } else { false } }
  }

  // MARK: Sending

  private func start(_ store: Bool = true) throws -> InnerBrowser {
    if !self.home.exists(".local/share/tw/tw.db") {
      let records = (1...3).map { tweet($0, second: $0, text: "word number \($0)") }.joined()
      #expect(try add(records, ["--quiet", "--no-sync"]).status == 0)
    }
    let inner = try InnerBrowser(home, store: self.store)
    try inner.wait(for: "x:3")
    return inner
  }

  /// A script of tw-post, which counts, and does something with posts.
  private func havePost(_ inner: InnerBrowser, _ script: String) throws {
    try inner.have(
      "post",
      do: """
        case " $* " in
        *" length "*) while read -r line; do echo "${#line} of 20"; done; exit 0;;
        esac
        \(script)
        """)
  }

  private var posts: (InnerBrowser) -> [String] {
    { inner in inner.asked.filter { $0.hasPrefix("tw-post") && !$0.contains(" length ") } }
  }

  /// What is under way is on disk as such, before tw-post has it; whoever finds it is warned.
  @Test func aDraftThatMayHaveBeenSentWarns() throws {
    let inner = try start()
    try havePost(inner, "cat \"$home/state/drafts/\"*0 > \"$home/seen\"; touch \"$home/started\"; exec sleep 600")
    inner.press(.character("r"))
    inner.type("precious")
    inner.press(.control("s"))
    #expect(
      inner.browser.screen.composition == nil
        && inner.browser.screen.outgoing.map(\.text) == ["reply to @jack: precious"])
    #expect(inner.browser.screen.outgoing.count == 1)
    try inner.wait { _ in home.exists("started") }
    #expect(try String(decoding: home.read("seen"), as: UTF8.self).contains(#""sent":true"#))
    #expect(posts(inner) == ["tw-post reply x:3 -"])
    // A second one, as after a kill: the lock of the first is gone.
    for name in files where name.hasSuffix(".lock") { unlink("\(folder)/\(name)") }
    let second = try start()
    second.press(.character("r"))
    #expect(second.browser.screen.composition?.draft.text == "precious")
    #expect(
      second.browser.screen.composition?.notice
        == "this was being sent when tw-browse ended: see if it is there before you send it")
    // What is changed is another post.
    second.type("!")
    second.browser.model.composer.file?.wait()
    #expect(saved.map(\.wasSent) == [false] && second.browser.screen.composition?.notice == nil)
    for command in inner.browser.running { command.kill() }
    second.press(.escape)
    let third = try start()
    third.press(.character("r"))
    #expect(third.browser.screen.composition?.notice == "the draft that you left")
    third.press(.control("x"), .character("y"))
    #expect(files.isEmpty && third.browser.screen.message == "thrown away" && third.browser.screen.composition == nil)
  }

  /// What was posted is not a draft any more, and all of it is taken back by a key.
  @Test func whatWasPostedCanBeTakenBack() throws {
    let inner = try start()
    let made = tweet(70) + tweet(71) + tweet(72).replacing(#""service":"x""#, with: #""service":"bluesky""#) + "{}\n"
    try home.write("made", made)
    try havePost(inner, "cat > \"$home/text\"; cat \"$home/made\"")
    try inner.have("cache", do: "cat")
    inner.press(.character("c"))
    inner.type("one", .enter, .character("-"), .character("-"), .character("-"), .enter)
    inner.type("two")
    try inner.wait { $0.screen.composition?.lengths.map { $0.map(\.length) } == [[5], [5]] }
    inner.press(.control("s"))
    #expect(inner.browser.screen.outgoing.map(\.text) == ["a post: one"] && saved.map(\.wasSent) == [true])
    try inner.wait { $0.screen.outgoing.isEmpty }
    #expect(inner.browser.screen.message == "posted" && files.isEmpty)
    #expect(posts(inner) == ["tw-post --thread -"])
    #expect(try String(decoding: home.read("text"), as: UTF8.self) == "one\n---\ntwo")
    #expect(inner.browser.screen.undo == Act(verb: .post, target: "x:70 x:71", service: "x"))
    inner.press(.character("u"))
    try inner.wait { $0.screen.pending.isEmpty }
    #expect(posts(inner).last == "tw-post delete --yes x:70 x:71" && inner.browser.screen.message == "deleted")
  }

  /// What was not made comes back with the reason, or is kept where something else is written meanwhile.
  @Test func whatWasNotPostedComesBack() throws {
    let inner = try start()
    let browser = inner.browser
    try havePost(
      inner, "cat > /dev/null; until [ -f \"$home/go\" ]; do sleep 0.01; done; echo 'tw-post: refused' >&2; exit 69")
    inner.press(.character("Q"))
    #expect(browser.screen.composition?.title == "quote of @jack" && browser.model.composer.service == "x")
    inner.type("mine")
    inner.press(.control("s"))
    #expect(browser.screen.outgoing.count == 1)
    try home.write("go", "")
    try inner.wait { $0.screen.composition != nil }
    #expect(
      browser.screen.composition?.notice == "not posted: refused" && browser.screen.composition?.draft.text == "mine")
    #expect(
      browser.screen.outgoing.isEmpty && browser.model.composer.service == "x"
        && posts(inner) == ["tw-post quote x:3 -"])
    browser.model.composer.file?.wait()
    #expect(saved.map(\.wasSent) == [false])
    // While another is written, it is kept.
    unlink(home.path + "/go")
    inner.press(.control("s"), .character("c"))
    inner.type("other")
    try home.write("go", "")
    try inner.wait { $0.screen.outgoing.isEmpty }
    #expect(
      browser.screen.message == "not posted: refused (the draft is kept)"
        && browser.screen.composition?.draft.text == "other")
    browser.model.composer.file?.wait()
    #expect(
      saved.map(\.text).sorted { ($0 ?? "") < ($1 ?? "") } == ["mine", "other"] && saved.allSatisfy { !$0.wasSent })
    // The end waits for what is sent, and keeps it then too.
    unlink(home.path + "/go")
    inner.press(.control("s"))
    try home.write("go", "")
    browser.model.finish()
    #expect(saved.count == 2 && saved.allSatisfy { !$0.wasSent } && browser.screen.composition == nil)
    let next = try start()
    next.press(.character("c"))
    #expect(next.browser.screen.composition?.draft.text == "other")
  }

  @Test func whatCannotBeSentStays() throws {
    let inner = try start()
    let browser = inner.browser
    try havePost(inner, "exit 0")
    inner.press(.character("c"), .control("s"))
    #expect(browser.screen.composition?.notice == "there is nothing to send" && files.count == 1)
    inner.type("   ")
    inner.press(.control("s"))
    #expect(browser.screen.composition?.notice == "there is nothing to send")
    inner.type("far more than twenty signs")
    try inner.wait { $0.screen.composition?.lengths.first?.first?.isTooLong == true }
    inner.press(.control("s"))
    #expect(browser.screen.composition?.notice?.hasPrefix("too long, ") == true && browser.screen.outgoing.isEmpty)
    // tw-post divides what is too long for one part of a thread.
    inner.press(.enter)
    inner.type("---")
    try inner.wait { $0.screen.composition?.lengths.count == 2 }
    inner.press(.control("s"))
    #expect(browser.screen.outgoing.count == 1)
    try inner.wait { $0.screen.outgoing.isEmpty }
    #expect(posts(inner) == ["tw-post --thread -"])
    // Keys of the list do nothing here but those that draw or stop; Esc keeps.
    inner.press(.character("c"))
    inner.type("q")
    inner.press(.wheelDown, .escape)
    #expect(
      browser.screen.message == "the draft is kept" && browser.screen.composition == nil && saved.map(\.text) == ["q"])
    inner.press(.character("c"), .control("u"), .escape)
    #expect(browser.screen.message == nil && files.isEmpty)
    inner.press(.character("c"))
    inner.type("a")
    inner.press(.control("x"), .character("n"), .control("x"), .enter)
    #expect(browser.screen.composition?.draft.text == "a")
    browser.model.composer.file?.wait()
    let path = try "\(folder)/\(#require(files.first { !$0.hasSuffix(".lock") }))"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path + "/inside", withIntermediateDirectories: true)
    inner.type("b")
    inner.press(.escape)
    #expect(
      browser.screen.composition?.notice?.hasPrefix("not kept: ") == true
        && browser.screen.composition?.draft.text == "ab")
  }

  /// Where a post goes to says who counts and who posts.
  @Test func targetsChooseTheRules() throws {
    let inner = try start()
    try havePost(inner, "exit 0")
    inner.press(.character("c"))
    try inner.wait { _ in inner.asked.last == "tw-post length --lines --quiet" }
    inner.type("hello")
    inner.press(.control("t"))
    inner.type("x,bluesky")
    inner.press(.enter)
    try inner.wait { _ in inner.asked.last == "tw-post --to x,bluesky length --lines --quiet" }
    try inner.wait { $0.screen.composition?.lengths.isEmpty == false }
    inner.press(.control("s"))
    try inner.wait { $0.screen.outgoing.isEmpty }
    #expect(posts(inner) == ["tw-post --to x,bluesky -"])
    try inner.have("post", do: "echo 'tw-post: no rules' >&2; exit 78")
    inner.press(.character("c"))
    try inner.wait { $0.screen.composition?.lengthFault == "no rules" }
  }
}
