import TestSupport
import Testing

/// Files of other programs, and several of them in one pipe.
@Suite(.onOwnThread) struct ParseOldFilesTests {
  /// academictwitteR keeps the users and the quoted tweets of a page in another file, which a folder has after it.
  @Test(arguments: ["tw-parse c", "tw-parse c/users_1.json c/data_1.json c/errors_1.json c/users_2.json c/data_2.json"])
  func authorsStandInAFileOfTheirOwn(_ reading: String) throws {
    let home = try TemporaryDirectory()
    try home.write(
      "c/data_1.json",
      #"[{"id":"11","text":"RT @bob: a text that is cut…","author_id":"7","created_at":"2021-11-03T21:30:00.000Z","referenced_tweets":[{"type":"retweeted","id":"10"}]}]"#
    )
    try home.write(
      "c/users_1.json",
      #"{"users":[{"id":"7","username":"ann","name":"Ann"},{"id":"8","username":"bob","name":"Bob"}],"tweets":[{"id":"10","text":"a text that is cut here and whole there","author_id":"8"}]}"#
    )
    try home.write(
      "c/errors_1.json",
      #"[{"resource_id":"5","title":"Not Found Error","detail":"Could not find tweet 5.","type":"https://api.twitter.com/2/problems/resource-not-found"}]"#
    )
    try home.write(
      "c/data_2.json", #"[{"id":"12","text":"t","author_id":"7","created_at":"2021-11-03T21:30:00.000Z"}]"#)
    try home.write("c/users_2.json", #"{"users":[{"id":"7","username":"ann_new","name":"Ann"}]}"#)
    let result = try Tool.shell(reading, home: home)
    #expect(result.ending == .status(0) && result.errors == "")
    let tweets = result.lines.filter { $0.hasPrefix(#"{"tw":"tweet""#) }
    #expect(
      tweets == [
        #"{"tw":"tweet","id":"11","service":"x","url":"https://x.com/ann/status/11","created_at":"2021-11-03T21:30:00.000Z","text":"RT @bob: a text that is cut here and whole there","author_id":"7","author":{"id":"7","username":"ann","name":"Ann"},"entities":{"mentions":[{"start":3,"end":7,"username":"bob","id":"8","name":"Bob"}]},"referenced_tweets":[{"type":"retweeted","id":"10","text":"a text that is cut here and whole there","author_id":"8","author":{"id":"8","username":"bob","name":"Bob"}}]}"#,
        #"{"tw":"tweet","id":"12","service":"x","url":"https://x.com/ann_new/status/12","created_at":"2021-11-03T21:30:00.000Z","text":"t","author_id":"7","author":{"id":"7","username":"ann_new","name":"Ann"}}"#,
      ])
    #expect(result.lines.count { $0.hasPrefix(#"{"tw":"user""#) } == 3)
    #expect(result.lines.count { $0.hasPrefix(#"{"tw":"notice","level":"warning","code":"resource-not-found""#) } == 1)
  }

  /// Windows' programs put a byte order mark before each file, and cat(1) keeps them all.
  @Test func filesWithMarksMayComeInOnePipe() throws {
    let home = try TemporaryDirectory()
    let mark = "\u{FEFF}"
    func post(_ id: Int) -> String { #"{"id_str":"\#(id)","text":"t","user":{"id_str":"1"}}"# }
    try home.write("a", "\(mark)\(post(1))\n\(post(2))\n")
    try home.write("b", "\(mark)\(post(3))\n\(post(4))\n")
    try home.write("c", "\(mark)[\(post(5)),\(post(6))]\n")
    try home.write("d", "\(mark)window.YTD.tweets.part0 = [{\"tweet\":\(post(7))}]\n")
    try home.write("e", "\(mark)\(post(8))")
    let result = try Tool.shell("cat a b c e a d | tw-parse", home: home)
    #expect(
      result.lines.map { $0.dropFirst(20).prefix { $0 != "\"" } } == ["1", "2", "3", "4", "5", "6", "8", "1", "2", "7"])
    #expect(result.ending == .status(0) && result.errors == "")
  }

  /// A comma too many costs nothing but the status; of what was cut nobody knows what came before it.
  @Test func brokenArraysKeepTheirElements() throws {
    func post(_ id: Int) -> String { #"{"id_str":"\#(id)","text":"t","user":{"id_str":"1"}}"# }
    for (text, ids, bad) in [
      ("[\(post(1)),]\n", 1, 1), ("[\(post(1)),,\(post(2))]\n", 2, 1), ("[,\(post(1))]\n", 1, 1),
      ("[\(post(1)) \(post(2))]\n", 2, 1), ("[\(post(1)),\n{\"id_str\":\"cut\n\(post(2)),\n\(post(3))\n]\n", 3, 1),
      ("[\n\(post(1)),\n\(post(2))\n]\n", 2, 0), ("[\(post(1))]\n[\(post(2))]\n", 2, 0), ("[[],[\(post(1))]]", 1, 0),
      ("[\(post(1))][\(post(2))]", 2, 0), ("[[]\(post(1))]", 1, 1),
    ] {
      let result = try Tool.run("tw-parse", ["--rejects", "/dev/null"], stdin: ToolInput(text))
      #expect(result.lines.count == ids, "\(text)")
      #expect(result.errors.split(separator: "\n").count == bad, "\(text) \(result.errors)")
      #expect(result.ending == .status(bad == 0 ? 0 : 1), "\(text)")
    }
  }

  /// What a reader of bytes finds, a reader of records finds too.
  @Test func textsAreFoundByTheirCharacters() throws {
    let posts = (1...36).map {
      #"{"id":\#($0),"text":"tea for \u00a3\#($0)","user":{"id":7,"screen_name":"a"}}"# + "\n"
    }
    let result = try Tool.shell("tw-parse | grep -c '£'", stdin: ToolInput(posts.joined()))
    #expect(result.output == "36\n")
  }
}
