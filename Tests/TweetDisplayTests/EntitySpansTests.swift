import Testing
import TweetCore

@testable import TweetDisplay

struct EntitySpansTests {
  /// The bytes of the entities that are found, in order.
  private func spans(_ text: String, _ entities: String) throws -> [String] {
    let document = try JSONDocument(entities)
    return text.withBytes { bytes in
      var located = EntitySpans()
      document.read { located.locate($0, in: bytes) }
      return located.spans.map { String(decoding: bytes[$0.start..<$0.end], as: UTF8.self) }
    }
  }

  private func links(_ links: [String]) -> String { #"{"urls":[\#(links.joined(separator: ","))]}"# }

  @Test func offsetsCountScalars() throws {
    #expect(
      try spans(
        "é😀 #日本 @a $B",
        #"""
        {"hashtags":[{"start":3,"end":6}],"mentions":[{"start":7,"end":9}],"cashtags":[{"start":10,"end":12}]}
        """#)
        == ["#日本", "@a", "$B"])
    #expect(
      try spans("＃a ＠b", #"{"hashtags":[{"start":0,"end":2}],"mentions":[{"start":3,"end":5}]}"#) == ["＃a", "＠b"])
  }

  /// A span that cannot be what its entity says is dropped, wherever its offsets are.
  @Test(arguments: [
    #"{"mentions":[{"start":1,"end":3}]}"#, #"{"hashtags":[{"start":0,"end":2}]}"#,
    #"{"mentions":[{"start":0,"end":99}]}"#,
    #"{"mentions":[{"start":0,"end":0}]}"#, #"{"mentions":[{"start":2,"end":1}]}"#,
    #"{"mentions":[{"start":-1,"end":2}]}"#,
    #"{"mentions":[{"username":"a"}]}"#, #"{"mentions":[{"start":99,"end":101}]}"#, #"{"mentions":7}"#, "7",
  ])
  func wrongOffsets(_ entities: String) throws {
    #expect(try spans("@a b", entities) == [])
  }

  /// Of two spans that start together the longer is first.
  @Test func overlaps() throws {
    #expect(
      try spans("#abc", #"{"hashtags":[{"start":0,"end":2},{"start":0,"end":4},{"start":0,"end":3}]}"#) == [
        "#abc", "#ab", "#a",
      ])
  }

  @Test func linksAreSearchedForByTheirShortAddress() throws {
    let link = #"{"url":"https://t.co/a"}"#
    #expect(try spans("see https://t.co/a", links([link])) == ["https://t.co/a"])
    #expect(
      try spans("see https://t.co/a", links([#"{"url":"https://t.co/a","start":1,"end":15}"#])) == ["https://t.co/a"])
    #expect(try spans("see https://t.co/b", links([link])) == [])
    // The same address twice is two spans; a third has no text of its own.
    let text = "https://t.co/a https://t.co/a"
    #expect(try spans(text, links([link, link])) == ["https://t.co/a", "https://t.co/a"])
    #expect(try spans(text, links([link, link, link])) == ["https://t.co/a", "https://t.co/a"])
    // What has right offsets keeps its text from the others.
    #expect(
      try spans("\(text)!", links([link, #"{"url":"https://t.co/a","start":0,"end":14}"#])) == [
        "https://t.co/a", "https://t.co/a",
      ])
  }

  /// Short strings are in many texts by chance, long ones are no short addresses.
  @Test func onlyShortAddressesAreSearchedFor() throws {
    func found(_ length: Int) throws -> Int {
      let url = String(repeating: "u", count: length)
      return try spans("a \(url) b", links([#"{"url":"\#(url)"}"#])).count
    }
    #expect(try found(8) == 0)
    #expect(try found(9) == 1)
    #expect(try found(512) == 1)
    #expect(try found(513) == 0)
  }

  /// Hostile records must not cost more than their length.
  @Test func entitiesAndSearchesAreLimited() throws {
    let tags = (0..<1500).map { #"{"start":\#($0 * 3),"end":\#($0 * 3 + 2)}"# }.joined(separator: ",")
    let text = String(repeating: "#a ", count: 1500)
    #expect(try spans(text, #"{"hashtags":[\#(tags)]}"#).count == 1000)
    let urls = (0..<150).map { "https://t.co/\(1000 + $0)" }
    #expect(try spans(urls.joined(separator: " "), links(urls.map { #"{"url":"\#($0)"}"# })).count == 100)
  }
}
