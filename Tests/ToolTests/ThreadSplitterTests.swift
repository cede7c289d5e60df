import Testing
import TweetCore
import TweetServices

@testable import tw_post

@Suite struct ThreadSplitterTests {
  /// Counts characters, of which a post has forty.
  private struct Rules: PostRules {
    let postParts: Set<PostPart> = []
    func longestText(isLong: Bool) -> Int? { 40 }
  }

  private func split(_ text: String, isNumbered: Bool = false) throws -> [String] {
    try ThreadSplitter(TextLimit(Rules(), of: "test", isLong: false), isNumbered: isNumbered).split(text)
  }

  @Test(arguments: [
    // A paragraph before a sentence that would leave more room.
    (
      "First thing. It is short.\n\nSecond. And this is its end.",
      ["First thing. It is short.", "Second. And this is its end."]
    ),
    (
      "One two three four five. Six seven eight. Nine ten.", ["One two three four five.", "Six seven eight. Nine ten."]
    ),
    (
      "We have met with the famous Dr. Robert Miller there.",
      ["We have met with the famous Dr. Robert", "Miller there."]
    ),
    (
      "What we have to say of it. Part 1. The beginning of all.",
      ["What we have to say of it.", "Part 1. The beginning of all."]
    ),
    (
      "We measured five ounces, approx. one pint in that cup.",
      ["We measured five ounces, approx. one", "pint in that cup."]
    ),
    ("Words that go on until 1999. Then they stopped.", ["Words that go on until 1999.", "Then they stopped."]),
    ("one\n---\ntwo\n---\n\n---\nthree", ["one", "two", "three"]),
    ("a line with --- in it stays", ["a line with --- in it stays"]),
    ("one\r\n---\r\ntwo\r\n", ["one", "two"]),
    ("\n  - a\n  - b\n---\n\n    code", ["  - a\n  - b", "    code"]),
    (
      "今日は天気がいいので、近くの公園まで散歩に行きました。公園では桜が咲いていて、とてもきれいでした。",
      ["今日は天気がいいので、近くの公園まで散歩に行きました。", "公園では桜が咲いていて、とてもきれいでした。"]
    ),
    (
      "他说：“今天的天气真好，我们一起去公园散步吧！”然后他就带着孩子们一起出门去了公园那边。",
      ["他说：“今天的天气真好，我们一起去公园散步吧！”", "然后他就带着孩子们一起出门去了公园那边。"]
    ),
    // A comma or a small letter begins no post, a bracket ends none.
    (
      String(repeating: "長", count: 39) + "い、" + "後", [String(repeating: "長", count: 39), "い、後"]
    ),
    (String(repeating: "長", count: 39) + "「後」", [String(repeating: "長", count: 39), "「後」"]),
    (String(repeating: "ま", count: 39) + "っった", [String(repeating: "ま", count: 38), "まっった"]),
    ("Wide: " + String(repeating: "長", count: 40), ["Wide: " + String(repeating: "長", count: 34), "長長長長長長"]),
  ])
  func breaks(_ text: String, _ posts: [String]) throws { #expect(try split(text) == posts) }

  @Test func numbersTakeRoom() throws {
    let posts = try split(String(repeating: "abcdefg ", count: 60), isNumbered: true)
    #expect(posts.count > 9 && posts.allSatisfy { $0.count <= 40 })
    #expect(
      posts.first?.hasSuffix(" 1/\(posts.count)") == true
        && posts.last?.hasSuffix("\(posts.count)/\(posts.count)") == true)
  }

  /// With its number a post is as long as it may be, and no longer; a thread that is rather a mistake is refused.
  @Test func postsAreFullAndThreadsHaveAnEnd() throws {
    for count in [3, 15] {
      let posts = try split(String(repeating: "a", count: 37 * count - 5), isNumbered: true)
      #expect(posts.allSatisfy { $0.count <= 40 } && posts.contains { $0.count == 40 }, "\(posts)")
    }
    // What fits without a number has none.
    #expect(try split(String(repeating: "a", count: 40), isNumbered: true) == [String(repeating: "a", count: 40)])
    let hundred = Array(repeating: "a", count: 100).joined(separator: "\n---\n")
    #expect(try split(hundred).count == 100)
    let error = #expect(throws: ToolError.self) { try split(hundred + "\n---\nb\n---\nc") }
    #expect(error?.message?.contains("102 posts") == true, "\(error as Any)")
  }

  @Test func nothingIsLost() throws {
    let text = (1...80).map { "Word\($0)\($0 % 7 == 0 ? "." : "")\($0 % 20 == 0 ? "\n\n" : " ")" }.joined()
    let words = try split(text).joined(separator: " ").split(whereSeparator: \.isWhitespace)
    #expect(words == text.split(whereSeparator: \.isWhitespace))
  }
}
