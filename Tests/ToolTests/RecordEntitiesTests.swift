import Foundation
import TestSupport
import Testing

/// Records of other programs without entities get those of their text, so that searches and link checks find them.
@Suite(.onOwnThread) struct RecordEntitiesTests {
  private static let record =
    #"{"tw":"tweet","id":"1","service":"test","text":"a \"b\" #Tea by @ada: https://e.org/x $ABC","author":{"id":"7"},"#
    + #""attachments":{},"x":  1.0}"#
  private static let entities =
    #","entities":{"hashtags":[{"start":6,"end":10,"tag":"Tea"}],"mentions":[{"start":14,"end":18,"username":"ada"}],"#
    + #""cashtags":[{"start":36,"end":40,"tag":"ABC"}],"urls":[{"start":20,"end":35,"url":"https://e.org/x"}]}"#
  private static let completed = record.replacing(#""7"}"#, with: #""7"}"# + entities)

  /// A record with its `tw` moved away loses its own white space between members, as ever.
  @Test(arguments: [
    (record, completed), (completed, completed),
    (record.replacing("service\":\"test", with: "service\":\"x"), nil),
    (record.replacing("service\":\"test", with: "service\":\"mastodon:a.b"), nil),
    (record.replacing("service\":\"test", with: "service\":\"bluesky"), nil),
    (record.replacing(#","text""#, with: #","entities":{},"text""#), nil),
    (record.replacing(#""tw":"tweet""#, with: #""tw":"draft""#), nil),
    (#"{"tw":"tweet","id":"1","service":"test","text":"nothing here"}"#, nil),
    (#"{"tw":"tweet","id":"1","service":"test","text":7}"#, nil),
    (
      ##"{"text":"#a","id":"1","tw":"tweet"}"##,
      ##"{"tw":"tweet","text":"#a","id":"1","entities":{"hashtags":[{"start":0,"end":2,"tag":"a"}]}}"##
    ),
    (
      ##"{ "tw" : "tweet", "id":"1", "text":"\u0023a" }"##,
      ##"{"tw":"tweet","id":"1","text":"\u0023a","entities":{"hashtags":[{"start":0,"end":2,"tag":"a"}]}}"##
    ),
  ])
  func onlyRecordsWithoutEntitiesGetThem(_ record: String, _ expected: String?) throws {
    let result = try Tool.run("tw-parse", stdin: ToolInput(record + "\n"))
    let lines = result.lines
    #expect(result.ending == .status(0))
    #expect(lines == [expected ?? record])
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
  }

  /// A plugin may also send raw posts of X's shape, whose lists of entities are empty.
  @Test func rawPostsOfAPluginGetThemToo() throws {
    let context = #"{"tw":"context","feed":"test:x","service":"test"}"#
    let none = #""entities":{"hashtags":[],"urls":[],"user_mentions":[],"symbols":[]}"#
    let posts = [
      ##"{"id_str":"1","text":"#a @nobody","user":{"id_str":"7"},\##(none)}"##,
      ##"{"data":{"id":"2","text":"#b","entities":{"hashtags":[]}}}"##,
    ]
    let result = try Tool.run("tw-parse", stdin: ToolInput(([context] + posts).joined(separator: "\n")))
    #expect(result.lines.count == 3)
    #expect(result.lines[1].contains(#""tag":"a""#) && result.lines[1].contains(#""username":"nobody""#))
    #expect(result.lines[2].contains(#""tag":"b""#))
    #expect(try Tool.run("tw-parse", stdin: ToolInput(result.stdout)).stdout == result.stdout)
    let ofX = try Tool.run("tw-parse", stdin: ToolInput(posts.joined(separator: "\n")))
    #expect(!String(decoding: ofX.stdout, as: UTF8.self).contains("entities"))
    #expect(try Tool.run("tw-parse", stdin: ToolInput(ofX.stdout)).stdout == ofX.stdout)
  }

  /// The way of a plugin's record into the store: through tw-parse, by a refresh, or straight.
  @Test(arguments: [
    "tw-stream --once test:x | tw-parse | tw-cache add", "tw-source-test x | tw-cache add",
    "tw-cache refresh --print test:x",
  ])
  func searchesFindWhatAPluginSends(_ way: String) throws {
    let home = try StreamPluginTests.home("echo '\(Self.record)'")
    let environment = StreamPluginTests.environment(home)
    let stored = try Tool.shell(way, environment: environment, home: home)
    #expect(stored.ending == .status(0), "\(stored.errors)")
    #expect(stored.lines.contains { $0.contains(Self.entities) })
    for search in ["--tag tea", "--tag Tea", "--search '#tea'", "--search '@ada'"] {
      let found = try Tool.shell("tw-cache list \(search)", environment: environment, home: home)
      #expect(found.lines.count == 1, "\(search)")
    }
    #expect(try Tool.shell("tw-cache list --tag coffee", environment: environment, home: home).stdout.isEmpty)
  }
}
