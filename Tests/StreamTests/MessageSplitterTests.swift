import TestSupport
import Testing
import TweetServices

@testable import tw_stream

struct MessageSplitterTests {
  private static let stream = "{\"a\":1}\r\n\r\n{\"b\":\n2}\r\n\r\n\r\n{\"c\":\"x\r\",\"d\":3}\r\n{\"half"
  private static let expected = ["{\"a\":1}", "-", "{\"b\": 2}", "-", "-", "{\"c\":\"x\r\",\"d\":3}"]

  private static func split(
    _ pieces: [[UInt8]], _ framing: StreamFraming = .carriageReturns, maxMessage: Int = 1000
  ) -> (seen: [String], splitter: MessageSplitter) {
    var splitter = MessageSplitter(framing, maxMessage: maxMessage)
    var seen: [String] = []
    for piece in pieces {
      splitter.append(piece) { (piece) throws(Never) in
        switch piece {
        case .message(let bytes): seen.append(String(decoding: bytes, as: UTF8.self))
        case .keepAlive: seen.append("-")
        case .tooLong(let length): seen.append("too long: \(length)")
        case .wrongLength: seen.append("wrong length")
        }
      }
    }
    return (seen, splitter)
  }

  @Test func everyFragmentationGivesTheSameMessages() {
    let bytes = Array(Self.stream.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
        let (seen, splitter) = Self.split(pieces)
        #expect(seen == Self.expected, "cut at \(first) and \(second)")
        #expect(splitter.isMidMessage)
      }
    }
    #expect(Self.split(bytes.map { [$0] }).seen == Self.expected)
  }

  @Test func aHalfMessageIsDiscardedWithItsConnection() {
    var (_, splitter) = Self.split([Array("{\"half\r".utf8)])
    #expect(splitter.isMidMessage)
    splitter.reset()
    #expect(!splitter.isMidMessage)
    splitter.append(Array("{}\r\n".utf8)) { (piece) throws(Never) in
      guard case .message(let bytes) = piece else { return #expect(Bool(false)) }
      #expect(String(decoding: bytes, as: UTF8.self) == "{}")
    }
  }

  @Test func tooLongMessagesAreCountedAndDiscarded() {
    let text = Array("0123456789abc\r\n{}\r\n".utf8)
    let expected = ["too long: 13", "{}"]
    #expect(Self.split([text], maxMessage: 10).seen == expected)
    #expect(Self.split(text.map { [$0] }, maxMessage: 10).seen == expected)
    #expect(Self.split([text], maxMessage: 13).seen == ["0123456789abc", "{}"])
    #expect(Self.split(text.map { [$0] }, maxMessage: 13).seen == ["0123456789abc", "{}"])
  }

  /// What is kept of an event is no longer than allowed, whatever its lines are, and a comment is not a part of it.
  @Test func eventsAreBounded() {
    let comment = ":" + String(repeating: "x", count: 200) + "\n"
    let text =
      "\(comment)event: a\ndata: 1\n\n" + String(repeating: "data:\n", count: 100) + "\ndata: "
      + String(repeating: "y", count: 100) + "\n\nid: \(comment)\ndata: 2\n\n"
    let expected = [
      "-", #"{"event":"a","payload":"1"}"#, "too long: 99", "too long: 100", "-", #"{"event":"message","payload":"2"}"#,
    ]
    #expect(Self.split([Array(text.utf8)], .events, maxMessage: 10).seen == expected)
    #expect(Self.split(text.utf8.map { [$0] }, .events, maxMessage: 10).seen == expected)
  }

  /// Cuts a stream at every place, at every pair of places, and into single bytes.
  private static func expectEverywhere(
    _ text: String, _ framing: StreamFraming, maxMessage: Int = 1000, gives expected: [String],
    at location: SourceLocation = #_sourceLocation
  ) {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])]
        let (seen, _) = split(pieces, framing, maxMessage: maxMessage)
        guard seen == expected else {
          Issue.record("cut at \(first) and \(second): \(seen)", sourceLocation: location)
          return
        }
      }
    }
    #expect(split(bytes.map { [$0] }, framing, maxMessage: maxMessage).seen == expected, sourceLocation: location)
  }

  @Test func linesEndWithANewlineOfEitherKind() {
    let stream = "{\"a\":1}\n\n{\"b\":2}\r\n\r\n{\"c\":\"\r\"}\n{\"half"
    Self.expectEverywhere(stream, .lines, gives: [#"{"a":1}"#, "-", #"{"b":2}"#, "-", "{\"c\":\"\r\"}"])
    Self.expectEverywhere(
      "0123456789abc\n{}\r\n0123456789\r\n", .lines, maxMessage: 10, gives: ["too long: 13", "{}", "0123456789"])
  }

  @Test func lengthsSayWhereMessagesEnd() {
    let stream =
      "\r\n9\r\n{\"a\":1}\r\n\n\r\n12\n{\"b\":\n\r\n2}\r\n7\r\n{\"c\":3}\r\n\r\n9\r\n{\"d\":4}\r\n9\r\n{\"half"
    Self.expectEverywhere(
      stream, .lengths,
      gives: ["-", #"{"a":1}"#, "-", "-", #"{"b":   2}"#, #"{"c":3}"#, "-", #"{"d":4}"#])
  }

  @Test func aWrongLengthIsReportedAndTheMessagesAreFound() {
    let good = "9\r\n{\"z\":9}\r\n"
    for (stream, messages) in [
      // Too short, too long for one message, too long for several, none, and far too long to be kept.
      ("5\r\n{\"a\":1}\r\n", [#"{"a":1}"#]),
      ("14\r\n{\"a\":1}\r\n", [#"{"a":1}"#]),
      ("30\r\n{\"a\":1}\r\n\(good)", [#"{"a":1}"#, #"{"z":9}"#]),
      ("{\"a\":1}\r\n{\"b\":\n2}\r\n", [#"{"a":1}"#, #"{"b": 2}"#]),
    ] {
      Self.expectEverywhere(stream + good, .lengths, gives: ["wrong length"] + messages + [#"{"z":9}"#])
    }
    Self.expectEverywhere(
      "4000\r\n{\"a\":1}\r\n\(good)99999999999999999999999\r\nx\r\n\(good)", .lengths, maxMessage: 20,
      gives: ["too long: 4000", #"{"z":9}"#, "too long: \(Int.max / 16)", #"{"z":9}"#])
    Self.expectEverywhere(
      "{\"a\":\"0123456789\"}\r\n\(good)", .lengths, maxMessage: 10,
      gives: ["wrong length", "too long: 18", #"{"z":9}"#])
  }

  /// White space between two values, and what ends early only if it is JSON.
  @Test func aMessageMayHaveLinesOfItsOwn() {
    let good = "9\r\n{\"z\":9}\r\n"
    for (text, seen) in [
      ("\r\n\r\n{\"a\":\r\n[1,\r\n\"\\\"]}\"]\r\n}\r\n", ["{\"a\":  [1,  \"\\\"]}\"]  }"]),
      ("}\r\n{\"a\":1}\r\n", ["}  {\"a\":1}"]), ("\"a\r\n\"\r\n", ["\"a  \""]), ("{]\r\n1\r\n", ["{]  1"]),
      ("\r\n\r\n\r\n", []),
    ] {
      Self.expectEverywhere("\(text.utf8.count)\r\n\(text)\(good)", .lengths, gives: seen + [#"{"z":9}"#])
    }
  }

  @Test(arguments: ["\r\n", "}\r\n", "{\r\n", "\"\r\n", "1\r\n", "[]\r\n,", "x\r\n{}\r\n"])
  func hostileMessagesAreQuick(_ piece: String) {
    let text = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
    let stream = Array("\(text.count + 2)\r\n".utf8) + text + Array("\r\n".utf8)
    for size in [stream.count, 1000] {
      let pieces = stride(from: 0, to: stream.count, by: size).map { Array(stream[$0..<min($0 + size, stream.count)]) }
      let took = ProcessorTime.measure { _ = Self.split(pieces, .lengths, maxMessage: 16 << 20) }
      #expect(took < .seconds(5))
    }
  }

  @Test func aHalfMessageOfKnownLengthIsDiscardedToo() {
    var (_, splitter) = Self.split([Array("9\r\n{\"a\"".utf8)], .lengths)
    #expect(splitter.isMidMessage)
    splitter.reset()
    #expect(!splitter.isMidMessage)
  }

  @Test(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
  func theExampleOfTheDocumentationIsOneMessageHoweverItIsCut() throws {
    let bytes = try TestData.bytes("v1/stream/delimited-length-doc-example.bin")
    let whole = Self.split([bytes], .lengths, maxMessage: 4000).seen
    #expect(whole.map(\.utf8.count) == [1951])
    for cut in bytes.indices {
      #expect(Self.split([Array(bytes[..<cut]), Array(bytes[cut...])], .lengths, maxMessage: 4000).seen == whole)
    }
  }
}
