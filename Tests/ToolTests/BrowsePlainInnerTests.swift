import Foundation
import TestSupport
import Testing
import TweetCLI
import TweetCore
import TweetDisplay
import TweetStore

@testable import tw_browse

/// Lines of `tw-browse --plain` within the test: what is typed is a file, and the other tools are scripts.
@Suite(.onOwnThread) struct BrowsePlainInnerTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private var asked: [String] {
    guard let bytes = try? home.read("asked") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Types lines, and returns what is printed after each prompt, the first prompt's before them.
  private func read(
    _ lines: [String], sources: [String] = [], refreshes: Bool = false, known: [(service: String, name: String)] = []
  ) throws -> [String] {
    let typed = try home.write("typed", lines.map { $0 + "\n" }.joined())
    let printed = try home.write("printed", "")
    let input = open(typed, O_RDONLY | O_CLOEXEC)
    let output = open(printed, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(output) }
    let model = try InnerBrowser.model(
      home, store: store, sources: sources, refreshes: refreshes, known: known)
    let look = try ScreenStyle(ascii: true, hasAvatars: false, pictures: .none, folder: home.path)
    let reader = try PlainReader(model, look: look, input: input, output: output)
    try reader.run()
    let text = try String(decoding: home.read("printed"), as: UTF8.self)
    return text.split(separator: #/\d+(/\d+)? [^\n>]*> /#).map(String.init)
  }

  private func word(_ number: Int) -> String { "word number \(number)" }

  @Test func oneTweetComesAfterTheOther() throws {
    try put(1...3)
    #expect(try cache("label", "+unread", "2").status == 0)
    try home.write("tw-cache.do", "echo \"named $(cat)\" >> \"$home/asked\"\n")
    let said = try read(["n", "", "n", "p", "p", "p", "G", "g", "7", "1", "frob"])
    for (index, words) in [
      word(3), word(2), word(1), "this is the last one\n", word(2), word(3), "this is the first one\n",
      word(1), word(3), "there is no feed 7\n", word(3), "no command 'frob'; ? lists them\n",
    ].enumerated() {
      #expect(said.indices.contains(index) && said[index].contains(words), "\(index): \(said)")
    }
    // What was printed was read, once.
    #expect(asked == ["tw-cache label --quiet --db \(store) -unread", "named x:2"])
    // The place is there the next time.
    #expect(try read(["n", "n"]).at(0).contains(word(3)) && read([]).at(0).contains(word(1)))
  }

  @Test func listsGoOnAfterTheirFirstPage() throws {
    try put(1...230)
    let said = try read(Array(repeating: "n", count: 205))
    #expect(said.at(205).contains(word(25)), "\(said.suffix(3))")
  }

  @Test func whatComesMeanwhileIsToldAndShownByAKey() throws {
    try put(1...3)
    try home.write("new", (4...5).map { tweet($0, second: $0, text: "word number \($0)") }.joined())
    let add = "| \(Tool.path("tw-cache")) add --quiet --db \(store) \(home.path)/new > /dev/null"
    let said = try read([add, "n", "n", "p", "p", "p", "g", add, "n"])
    #expect(said.at(1).contains("2 new (g)"))
    #expect(said.count { $0.contains("new (g)") } == 1, "told once: \(said)")
    #expect(said.at(6).contains("this is the first one; g shows what is new") && said.at(7).contains(word(5)))
    #expect(said.last?.contains(word(4)) == true)
  }

  @Test func actsAreToldAndTakenBack() throws {
    try put(1...3)
    try home.write(
      "tw-post.do",
      "case \"$*\" in *retweet*) echo 'tw-post: no' >&2; exit 69;; *bookmark*) echo 'tw-post: full' >&2; exit 75;; esac; cat > /dev/null\n"
    )
    let said = try read(["l", "u", "u", "b", "B", "u", "F", "F", "d", "n", "d", "", "d", "y", "u"])
    for (index, words) in [
      (1, "like …"), (2, "unlike"), (2, "liked"), (3, "there is nothing to take back"), (4, "retweet: no"),
      (5, "bookmark waits in the outbox: full"), (6, "there is nothing to take back"), (7, "followed"),
    ] {
      #expect(said.prefix(index + 2).suffix(2).contains { $0.contains(words) }, "\(index) \(words): \(said)")
    }
    #expect(
      asked.filter { $0.hasPrefix("tw-post") } == [
        "tw-post like --yes x:3", "tw-post unlike --yes x:3", "tw-post retweet --yes x:3", "tw-post bookmark --yes x:3",
        "tw-post follow --yes jack", "tw-post unfollow --yes jack", "tw-post delete --yes x:3",
      ])
    #expect(said.last?.contains("there is nothing to take back") == true)
  }

  @Test func postsAreWrittenInALine() throws {
    try put(1...3)
    try home.write(
      "tw-post.do", "echo \"text $(cat)\" >> \"$home/asked\"; exit $(cat \"$home/code\" 2> /dev/null || echo 0)\n")
    let said = try read(["c a new one", "c", "", "r", "an answer", "Q as he says", "c ", "late"])
    #expect(
      asked.filter { !$0.hasPrefix("tw-cache") } == [
        "tw-post --yes -", "text a new one", "tw-post --yes reply x:3 -", "text an answer", "tw-post --yes quote x:3 -",
        "text as he says", "tw-post --yes -", "text late",
      ])
    #expect(said.joined().contains("nothing was posted") && said.joined().ranges(of: "\nposted").count == 4, "\(said)")
    try home.write("code", "69")
    #expect(try read(["c x"]).joined().contains("it was not posted: tw-post ended with status 69"))
    try home.write("code", "75")
    #expect(try read(["c x"]).joined().contains("it waits in the outbox: "))
  }

  @Test func listsAreFoundByWordsAndNames() throws {
    try put(1...9)
    try put(tweet(10, second: 10, text: "ten", more: #","referenced_tweets":[{"type":"replied_to","id":"9"}]"#))
    #expect(try cache("query", "save", "fives", "5").status == 0)
    let said = try read([
      "N", "/number 4", "n", "N", "N", "/zzz", "/(", "&", "&number 7", "&a OR", "<", "<", "s", "s fives", "<", "t",
      "&x", "<",
      "a", "<", "profile", "x", "o", "page", "y", "label", "e", "refresh", "open", "page-",
    ])
    let all = said.joined()
    for words in [
      "say what to find: /words", word(4), word(3), "nothing more is found", "say which tweets: &words", word(7),
      "this is where you began", "no saved query is called '' (fives)", word(5), "a thread is shown whole",

      "the tweet has no links", "the tweet has no page", "say which: label +later -unread",
      "nothing is refreshed with --offline", "'open' is only on the whole screen", "'page-' may be several commands",
    ] { #expect(all.contains(words), "\(words)") }
    #expect(
      said.at(1).contains("say what to find") && said.at(2).contains(word(4)) && said.at(3).contains(word(3)), "\(said)"
    )
    #expect(said.at(4).contains(word(4)) && said.at(5).contains("nothing more") && said.at(6).contains("nothing more"))
  }

  @Test func accountsAreChosenAndOlderOnesAskedFor() throws {
    try put(1...2, feeds: ["#a"])
    try home.write(
      "tw-cache.do",
      "case \"$*\" in *--every*) exec sleep 600;; *--older*) cat \"$home/older\";; *) cat > /dev/null;; esac\n")
    try home.write("older", tweet(1))
    let known = [(service: "x", name: "jack"), (service: "x", name: "anna")]
    let lines = ["n", "n", "l", "n", "l", "A", "u", "l", "A eve", "n"]
    let said = try read(lines, sources: ["#a"], refreshes: true, known: known).joined()
    #expect(said.contains("asking for older ones …") && said.contains("older ones were asked for"), "\(said)")
    #expect(
      said.contains("as x:anna") && said.contains("there is nothing to take back")
        && said.contains("no account is called 'eve'"))
    #expect(asked.contains("tw-post --account anna like --yes x:1"))
    try home.write("older", "")
    try home.write("asked", "")
    _ = try read(["n", "n", "l", "n", "l", "n"], sources: ["#a"], refreshes: true)
    #expect(asked.count { $0.contains("--older") } == 1, "it has none")
  }
}
