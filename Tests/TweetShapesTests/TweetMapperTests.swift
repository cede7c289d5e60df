import Libc
import TestNumbers
import Testing
import TweetCore

@testable import TweetShapes

/// What the mapper remembers to be fast must not show.
struct TweetMapperTests {
  private func records(of text: String, by mapper: inout TweetMapper) throws -> String {
    let document = try JSONDocument(text)
    var out = ByteBuffer()
    let reason = document.read { mapper.map(document: $0, isRecord: true, into: &out) }
    return out.string + (reason ?? "")
  }

  /// A tweet whose members come in any order, with some of `names` among them that nobody knows.
  private func tweet(with names: [String], _ numbers: inout Chance) -> String {
    let values = ["null", "\"\"", "\"x\"", "1", "{\"a\":[1,{\"b\":2}]}", "[]", "[ ]", "{}", "true"]
    var members = ["\"id_str\":\"12345678901234567\"", "\"full_text\":\"a &amp; b\"", "\"lang\":\"en\""]
    members.append("\"user\":{\"name\":\"N\",\"id\":1,\"screen_name\":\"n\",\"unknown\":[2]}")
    for name in V1TweetKey.allCases.map({ "\($0.name)" }).shuffled(using: &numbers).prefix(4)
    where !["id_str", "full_text", "user", "lang"].contains(name) {
      members.append("\"\(name)\":\(values.randomElement(using: &numbers) ?? "")")
    }
    for name in names.shuffled(using: &numbers).prefix(12) {
      members.append("\"\(name)\" : \(values.randomElement(using: &numbers) ?? "")")
    }
    return "{" + members.shuffled(using: &numbers).joined(separator: ",") + "}"
  }

  @Test func whatCameBeforeChangesNothing() throws {
    // More names than are remembered, of all lengths, many alike at both ends; some longer than any that is remembered.
    var names = (1...90).map { String(repeating: "n", count: $0) }
    names += (1...90).map { "profile_\($0)_background_image_url_https" }
    names += ["id", "i", "text_", "\\u0074ext", "with \\\"quotes\\\"", "", "名前"]
    var numbers = Chance()
    var used = TweetMapper()
    for _ in 0..<500 {
      let document = tweet(with: names, &numbers)
      var fresh = TweetMapper()
      #expect(try records(of: document, by: &used) == records(of: document, by: &fresh))
    }
  }

  @Test func aNameThatIsAlikeAtBothEndsIsAnother() throws {
    var mapper = TweetMapper()
    let known = #"{"id_str":"1","full_text":"a","user":{"id_str":"5"},"in_reply_to_status_id_str":"7"}"#
    let unknown = #"{"id_str":"1","full_text":"a","user":{"id_str":"5"},"in_reply_to_beyond_id_str":"7"}"#
    for _ in 0..<2 {
      #expect(try records(of: known, by: &mapper).contains(#""referenced_tweets":[{"type":"replied_to","id":"7"}]"#))
      #expect(try records(of: unknown, by: &mapper).contains(#""extra":{"in_reply_to_beyond_id_str":"7"}"#))
    }
  }

  @Test func nothingIsCopiedFromAnElementThatWasTakenBack() throws {
    let good =
      #"{"id":"2","text":"b @u","author_id":"9","entities":{"mentions":[{"start":2,"end":4,"username":"u","id":"9"}]}}"#
    // Its author is written before it shows that the post it quotes has no id that could be one.
    let bad = #"{"id":"1","text":"a","author_id":"9","referenced_tweets":[{"type":"quoted","id":"x7","text":"x"}]}"#
    func page(_ elements: String...) -> String {
      "{\"data\":[\(elements.joined(separator: ","))],\"includes\":{\"users\":[{\"id\":\"9\",\"username\":\"u\",\"name\":\"U\"}]}}"
    }
    var mapper = TweetMapper()
    let alone = try records(of: page(good), by: &mapper)
    #expect(try records(of: page(good, good), by: &mapper) == alone + alone)
    #expect(try records(of: page(bad, good), by: &mapper).hasPrefix(alone))
  }

  /// A long page comes in parts, each element once and its faults counted over all of it.
  @Test func aPageInPartsIsTheSame() throws {
    let elements = (1...9).map {
      $0 % 4 == 0 ? #"{"text":"no id","author_id":"9"}"# : #"{"id":"\#($0)","text":"t\#($0)","author_id":"9"}"#
    }
    let page = #"{"data":[\#(elements.joined(separator: ","))],"includes":{"users":[{"id":"9","username":"u"}]}}"#
    func run(_ partLength: Int) throws -> (text: String, reason: String?, parts: Int) {
      var ends: [Int32] = [-1, -1]
      ends.withUnsafeMutableBufferPointer { _ = pipe($0.baseAddress) }
      close(ends[1])
      defer { close(ends[0]) }
      var scanner = RecordScanner(descriptor: ends[0], name: "page", head: Array(page.utf8))
      try scanner.fill()
      guard case .record(let record) = scanner.next() else { throw Failure() }
      var mapper = TweetMapper(partLength: partLength)
      var out = ByteBuffer()
      var reason = mapper.map(record, into: &out)
      var parts = 1
      while mapper.hasMore {
        reason = mapper.map(record, into: &out)
        parts += 1
      }
      return (out.string, reason, parts)
    }
    let whole = try run(1 << 20)
    let inParts = try run(1)
    #expect(whole.parts == 1 && inParts.parts == 7)
    #expect(whole.text.split(separator: "\n").count == 7)
    #expect(inParts.text == whole.text)
    #expect(inParts.reason == whole.reason && whole.reason == "2 of 9 elements: a tweet without an id")
  }
  private struct Failure: Error {}
}
