import Testing
import TweetCLI
import TweetCore

@testable import tw_browse

/// What a person types in tw-browse: bytes to keys, keys to lines and posts, without a terminal.
@Suite struct BrowseTypingTests {
  // MARK: Keys

  /// Bytes of a terminal, and the keys that they are.
  @Test(
    arguments: [
      ("aé漢👍", [.character("a"), .character("é"), .character("漢"), .character("👍")]),
      ("\r\n\t\u{7F}\u{8}\u{1}\u{1A}", [.enter, .enter, .tab, .backspace, .backspace, .control("a"), .control("z")]),
      ("\u{0}\u{1C}\u{1F}x", [.character("x")]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D\u{1B}[H\u{1B}[F", [.up, .down, .right, .left, .home, .end]),
      ("\u{1B}OA\u{1B}OF\u{1B}OM\u{1B}OP", [.up, .end, .enter]),
      ("\u{1B}[1~\u{1B}[7~\u{1B}[4~\u{1B}[8~", [.home, .home, .end, .end]),
      ("\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[5;2~", [.delete, .pageUp, .pageDown, .pageUp]),
      ("\u{1B}[15~\u{1B}[Z\u{1B}[1;5Pj", [.character("j")]),
      ("\u{1B}[<0;3;5M\u{1B}[<0;3;5m", [.click(row: 4, column: 2)]),
      ("\u{1B}[<64;1;1M\u{1B}[<65;1;1M\u{1B}[<35;1;1M\u{1B}[<2;1;1M", [.wheelUp, .wheelDown]),
      ("\u{1B}[<0;3Mq", [.character("q")]),
      ("\u{1B}x", [.escape, .character("x")]), ("\u{1B}\u{1B}[A", [.escape, .up]),
      ("\u{1B}[200~a\n\u{1B}[31m\u{3}\u{1B}[201~b", [.paste("a\n\u{1B}[31m\u{3}"), .character("b")]),
      ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
      // A control character within a sequence ends that.
      ("\u{1B}[1\u{3}", [.control("c")]),
    ] as [(String, [Key])])
  func bytesAreKeys(bytes: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.add(Array(bytes.utf8)) == keys)
    #expect(!decoder.holdsEscape)
    // However they come.
    var slow = KeyDecoder()
    #expect(bytes.utf8.flatMap { slow.add([$0]) } == keys)
  }

  @Test func anEscapeIsHeldUntilItIsKnown() {
    var decoder = KeyDecoder()
    #expect(decoder.add([0x1B]) == [] && decoder.holdsEscape)
    #expect(decoder.flush() == [.escape] && !decoder.holdsEscape && decoder.flush() == [])
    #expect(decoder.add(Array("\u{1B}[".utf8)) == [] && decoder.flush() == [.escape, .character("[")])
    #expect(decoder.add(Array("\u{1B}O".utf8)) == [] && decoder.flush() == [.escape, .character("O")])
    #expect(decoder.add([0xC3]) == [] && !decoder.holdsEscape && decoder.add([0xA9]) == [.character("é")])
    // Bytes that are not UTF-8 are nothing, and take nothing along.
    #expect(
      decoder.add([0xFF, 0xC0, 0x80, 0xE2, 0x41, 0x42, 0x43]) == [.character("A"), .character("B"), .character("C")])
    // A sequence without an end is left out after a while.
    #expect(decoder.add(Array(("\u{1B}[" + String(repeating: "1", count: 70) + "~x").utf8)).last == .character("x"))
    // Within a paste an Esc is held for as long as it takes.
    #expect(decoder.add(Array("\u{1B}[200~a\u{1B}".utf8)) == [] && !decoder.holdsEscape)
    #expect(decoder.add(Array("[201~".utf8)) == [.paste("a")])
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: (1 << 20) + 5)
    guard case .paste(let pasted)? = decoder.add(Array("\u{1B}[200~".utf8) + long + Array("\u{1B}[201~".utf8)).first
    else {
      Issue.record("no paste")
      return
    }
    #expect(pasted.utf8.count == 1 << 20)
  }

  // MARK: Texts

  private func edited(_ before: String, _ after: String = "") -> EditedText {
    var text = EditedText(before + after)
    for _ in after { text.left() }
    return text
  }

  /// What keys do to a text with the cursor at `|`.
  @Test(
    arguments: [
      ("ab|cd", .backspace, "a|cd"), ("ab|cd", .delete, "ab|d"), ("ab|cd", .control("d"), "ab|d"),
      ("ab|cd", .left, "a|bcd"), ("ab|cd", .control("b"), "a|bcd"), ("ab|cd", .right, "abc|d"),
      ("ab|cd", .control("f"), "abc|d"), ("|ab", .left, "|ab"), ("ab|", .right, "ab|"), ("|ab", .backspace, "|ab"),
      ("ab|", .delete, "ab|"), ("x\nab|cd\ny", .home, "x\n|abcd\ny"), ("x\nab|cd\ny", .end, "x\nabcd|\ny"),
      ("x\nab|cd\ny", .control("u"), "x\n|cd\ny"), ("x\nab|cd\ny", .control("k"), "x\nab|\ny"),
      ("x\nab|\ny", .control("k"), "x\nab|y"), ("one two  |x", .control("w"), "one |x"), ("one|", .control("w"), "|"),
      ("a|b", .character("é"), "aé|b"), ("a|b", .paste("1\r\n2\r3\t4\u{1B}\u{7}"), "a1\n2\n3  4|b"),
    ] as [(String, Key, String)])
  func keysEditATextAroundItsCursor(start: String, key: Key, end: String) {
    let parts = start.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    var text = edited(parts[0], parts[1])
    #expect(text.take(key) == true)
    #expect(text.before + "|" + text.after == end)
  }

  @Test func otherKeysAndEndsOfATextAreNothing() {
    var text = edited("a\nb", "c")
    for key in [Key.enter, .tab, .up, .pageDown, .wheelUp, .escape, .control("q")] { #expect(text.take(key) == false) }
    #expect(text.before == "a\nb" && text.after == "c" && !text.isEmpty && text.text == "a\nbc")
    text.toStart()
    #expect(text.before.isEmpty && text.after == "a\nbc" && !text.isEmpty)
    text.toEnd()
    #expect(text.after.isEmpty)
    text.move(to: 2)
    #expect(text.before == "a\n")
    text.move(to: 99)
    #expect(text.before == "a\nbc")
    text.clear()
    #expect(text.isEmpty)
    // A text has an end: what goes into a pipe.
    var long = EditedText(String(repeating: "a", count: (24 << 10) - 1))
    long.insert("bé")
    #expect(long.text.utf8.count == 24 << 10 && long.text.hasSuffix("ab"))
    long.insert("c")
    #expect(long.text.utf8.count == 24 << 10)
  }

  private func wrapped(_ before: String, _ after: String = "", width: Int) -> (rows: [String], cursor: [Int]) {
    let text = WrappedText(edited(before, after), width: width)
    return (text.rows.map(\.text), [text.cursor.row, text.cursor.column])
  }

  @Test func rowsAreBrokenAfterSpaces() {
    #expect(wrapped("", width: 5) == ([""], [0, 0]))
    #expect(wrapped("abcde", width: 5) == (["abcde"], [0, 5]))
    #expect(wrapped("abcdefg", width: 5) == (["abcde", "fg"], [1, 2]))
    #expect(wrapped("abcde", "fg", width: 5) == (["abcde", "fg"], [1, 0]))
    #expect(wrapped("one two", width: 5) == (["one ", "two"], [1, 3]))
    #expect(wrapped("one ", "two", width: 5) == (["one ", "two"], [1, 0]))
    #expect(wrapped("a b cdefgh", width: 6) == (["a b ", "cdefgh"], [1, 6]))
    #expect(wrapped("a\n\n", "b", width: 9) == (["a", "", "b"], [2, 0]))
    #expect(wrapped("漢字漢", width: 4) == (["漢字", "漢"], [1, 2]))
    #expect(wrapped("漢字", width: 1) == (["漢", "字"], [1, 2]))
    #expect(WrappedText.width(of: "a漢e\u{301}👍") == 6)
    let text = WrappedText(edited("one two\nx"), width: 5)
    for (row, column, offset) in [
      (0, 0, 0), (0, 2, 2), (0, 9, 3), (1, 0, 4), (1, 3, 7), (1, 9, 7), (2, 1, 9), (9, 0, 8), (-1, 1, 1),
    ] {
      #expect(text.offset(row: row, column: column) == offset, "\(row), \(column)")
    }
    #expect(WrappedText(edited("漢字"), width: 9).offset(row: 0, column: 1) == 0)
    #expect(WrappedText(edited("漢字"), width: 9).offset(row: 0, column: 2) == 1)
  }

  // MARK: Lines

  private func typed(_ prompt: LinePrompt, _ keys: [Key], _ names: KnownNames = KnownNames()) -> (
    text: String, end: String
  ) {
    var prompt = prompt
    var end = "editing"
    for key in keys {
      switch prompt.take(key, names) {
      case .editing: end = "editing"
      case .cancelled: end = "cancelled"
      case .entered(let text): end = "entered \(text)"
      }
    }
    return (prompt.text, end)
  }

  private func letters(_ text: String) -> [Key] { text.map { .character($0) } }

  @Test func linesAreTypedCancelledAndEntered() {
    let search = LinePrompt(.search)
    #expect(typed(search, letters("ab")) == ("ab", "editing"))
    #expect(typed(search, letters("ab") + [.enter]).end == "entered ab" && typed(search, [.enter]).end == "entered ")
    for key in [Key.escape, .control("c"), .control("g")] {
      #expect(typed(search, letters("a") + [key]).end == "cancelled")
    }
    #expect(typed(search, letters("a") + [.backspace]) == ("", "editing"))
    #expect(typed(search, letters("a") + [.backspace, .backspace]).end == "cancelled")
    // At the start of a line there is nothing before the cursor, and the line goes on.
    #expect(typed(search, letters("ab") + [.home, .backspace]) == ("ab", "editing"))
    #expect(typed(search, letters("bc") + [.control("a")] + letters("a")).text == "abc")
    #expect(typed(search, letters("bc") + [.control("a"), .control("e")] + letters("d")).text == "bcd")
    #expect(typed(search, letters("bc") + [.left, .control("u")] + letters("a")).text == "a")
    #expect(typed(search, [.paste("a\r\nb\nc")]) == ("abc", "editing"))
    #expect(LinePrompt(.folder(2), text: "/tmp").text == "/tmp" && LinePrompt(.search, text: "x").before == "x")
  }

  /// Where one key is the answer, none needs to follow it.
  @Test func oneKeyIsAnAnswer() {
    let act = LinePrompt(.confirm(Act(verb: .delete, target: "x:1")))
    #expect(typed(act, letters("y")).end == "entered y" && typed(act, letters("n")).end == "entered n")
    let few = LinePrompt(.link(Array(repeating: "https://a.example", count: 9)))
    #expect(typed(few, letters("2")).end == "entered 2")
    let many = LinePrompt(.link(Array(repeating: "https://a.example", count: 10)))
    #expect(typed(many, letters("1")).end == "editing" && typed(many, letters("10") + [.enter]).end == "entered 10")
    #expect(act.label == "delete x:1? [y/n] " && few.label == "link 1-9: ")
    #expect(LinePrompt(.link(["a"])).label == "link 1: ")
    #expect(
      LinePrompt(.folder(1)).label == "save the picture in: " && LinePrompt(.folder(2)).label == "save 2 pictures in: ")
  }

  @Test func tabCompletesAsFarAsItIsClear() {
    let names = KnownNames(queries: ["music", "museum"], labels: ["later", "laundry", "read"], accounts: ["x:jack"])
    for (purpose, start, end) in [
      (LinePrompt.Purpose.command, "boo", "bookmark "), (.command, "sea", "search"),
      (.command, "search-p", "search-previous "),
      (.command, "zzz", "zzz"), (.command, "query m", "query mus"), (.command, "query mu", "query mus"),
      (.command, "label-list r", "label-list read"), (.command, "label +l", "label +la"),
      (.command, "account x", "account x:jack"),
      (.command, "like x", "like x"), (.query, "m", "mus"), (.query, "muse", "museum"), (.labelList, "r", "read"),
      (.label, "+later -r", "+later -read"), (.label, "lat", "later"), (.label, "later +la", "later +la"),
      (.search, "mus", "mus"), (.limit, "r", "r"),
    ] {
      #expect(typed(LinePrompt(purpose, text: start), [.tab], names).text == end, "\(start)")
    }
  }

  // MARK: Posts

  private func composition(_ text: String = "") -> Composition {
    var draft = ComposedDraft(.post)
    draft.text = text
    return Composition("a post", draft)
  }

  @Test func keysOfAPostAreWishes() {
    for (key, wish) in [
      (Key.control("s"), Composition.Wish.send), (.control("e"), .edit), (.control("o"), .nextAccount),
      (.escape, .keep),
      (.control("c"), .keep), (.control("g"), .keep), (.wheelUp, .other), (.click(row: 1, column: 1), .other),
      (.enter, .nothing), (.tab, .nothing), (.character("x"), .nothing), (.control("x"), .nothing),
    ] {
      var composition = composition("ab")
      composition.notice = "said before"
      #expect(composition.take(key) == wish && composition.notice == nil, "\(key)")
    }
    var composition = composition("one two three")
    composition.width = 8
    _ = composition.take(.enter)
    #expect(composition.draft.text == "one two three\n" && composition.edited.before == "one two three\n")
    for (key, before) in [
      (Key.up, "one two "), (.up, ""), (.up, ""), (.down, "one two "), (.pageDown, "one two three\n"),
      (.down, "one two three\n"), (.pageUp, ""), (.character("x"), "x"),
    ] {
      _ = composition.take(key)
      #expect(composition.edited.before == before, "\(key)")
    }
    #expect(composition.draft.text == "xone two three\n")
    composition.replace("other")
    #expect(composition.draft.text == "other" && composition.edited.before == "other")
  }

  /// What is asked below a post: only a clear yes throws it away.
  @Test func questionsOfAPost() {
    for (key, wish) in [
      (Key.character("y"), Composition.Wish.remove), (.character("Y"), .remove), (.character("n"), .nothing),
      (.character("x"), .nothing), (.enter, .nothing), (.escape, .nothing), (.control("c"), .nothing),
    ] {
      var composition = composition("precious")
      #expect(composition.take(.control("x")) == .nothing && composition.question?.subject == .removal)
      #expect(composition.take(key) == wish && composition.question == nil && composition.draft.text == "precious")
    }
    var post = composition("text")
    for key in [.control("t")] + letters("x,bluesky") + [Key.enter] { #expect(post.take(key) == .nothing) }
    #expect(post.draft.targets == "x,bluesky" && post.question == nil && post.draft.text == "text")
    _ = post.take(.control("t"))
    #expect(post.question?.answer.text == "x,bluesky")
    #expect(post.take(.wheelDown) == .other && post.question != nil)
    _ = post.take(.control("u"))
    _ = post.take(.enter)
    #expect(post.draft.targets == nil)
    _ = post.take(.control("t"))
    for key in letters("y") + [.escape] { #expect(post.take(key) == .nothing) }
    #expect(post.draft.targets == nil && post.question == nil)
    _ = post.take(.control("a"))
    _ = post.take(.enter)
    #expect(post.question == nil && post.draft.pictures.isEmpty)
    _ = post.take(.control("a"))
    for key in letters("/dev/null") + [.enter] { _ = post.take(key) }
    #expect(post.notice == "there is no file '/dev/null'" && post.question == nil, "no file with bytes")
    _ = post.take(.control("a"))
    for key in [.paste("/etc/\npasswd"), Key.enter] { _ = post.take(key) }
    #expect(post.question?.subject == .description(path: "/etc/passwd"))
    for key in letters("what it shows") + [.enter] { _ = post.take(key) }
    #expect(post.draft.pictures == [ComposedDraft.Picture(path: "/etc/passwd", description: "what it shows")])
  }

  @Test func aLineOfHyphensBeginsTheNextPost() {
    var draft = ComposedDraft(.post)
    for (text, parts) in [
      ("", [""]), ("a", ["a"]), ("a\n---\nb", ["a", "b"]), ("a\n --- \nb\n\nc\n---", ["a", "b\n\nc", ""]),
      ("a --- b\n----", ["a --- b\n----"]),
    ] {
      draft.text = text
      #expect(draft.parts == parts && draft.isThread == (parts.count > 1))
    }
    draft.text = " \n"
    #expect(draft.isEmpty)
    draft.pictures = [ComposedDraft.Picture(path: "/a", description: "")]
    #expect(!draft.isEmpty)
    var composition = composition("a\n---\nb")
    #expect(composition.part == 1)
    _ = composition.take(.pageUp)
    #expect(composition.part == 0)
  }

  @Test func aDraftIsReadAsItWasWritten() {
    var draft = ComposedDraft(.reply, tweet: "x:1")
    draft.text = "a \"b\"\n---\nc"
    draft.targets = "x,bluesky"
    draft.pictures = [
      ComposedDraft.Picture(path: "/a b", description: "what"), ComposedDraft.Picture(path: "/c", description: ""),
    ]
    for wasSent in [false, true] {
      draft.wasSent = wasSent
      #expect(ComposedDraft(draft.bytes.array, kind: .reply, tweet: "x:1") == draft)
    }
    #expect(ComposedDraft(draft.bytes.array, kind: .quote, tweet: "x:1") == nil)
    #expect(ComposedDraft(draft.bytes.array, kind: .reply, tweet: "x:2") == nil)
    #expect(
      ComposedDraft(Array("{}".utf8), kind: .post, tweet: "") == nil && ComposedDraft([], kind: .post, tweet: "") == nil
    )
  }

  @Test func lengthsAreReadFromALine() {
    #expect(PostLength.list("43 of 280") == [PostLength(name: nil, length: 43, longest: 280)])
    let two = PostLength.list("x: 281 of 280\tbluesky: 300 of 300")
    #expect(two.map(\.name) == ["x", "bluesky"] && two.map(\.isTooLong) == [true, false])
    #expect(two.map(\.text) == ["x: 281 of 280", "bluesky: 300 of 300"])
    #expect(PostLength.list("nothing").isEmpty && PostLength.list("a of b").isEmpty && PostLength.list("").isEmpty)
  }
}
