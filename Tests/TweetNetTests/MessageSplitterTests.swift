import Testing
import TweetServices

struct MessageSplitterTests {
  private static let stream = "{\"a\":1}\r\n\r\n{\"b\":\n2}\r\n\r\n\r\n{\"c\":\"x\r\",\"d\":3}\r\n{\"half"
  private static let expected = ["{\"a\":1}", "-", "{\"b\": 2}", "-", "-", "{\"c\":\"x\r\",\"d\":3}"]

  private static func split(_ pieces: [[UInt8]], maxMessage: Int = 1000) -> (seen: [String], splitter: MessageSplitter)
  {
    var splitter = MessageSplitter(maxMessage: maxMessage)
    var seen: [String] = []
    for piece in pieces {
      splitter.feed(piece) { (piece) throws(Never) in
        switch piece {
        case .message(let bytes): seen.append(String(decoding: bytes, as: UTF8.self))
        case .keepAlive: seen.append("-")
        case .tooLong(let length): seen.append("too long: \(length)")
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

  @Test func aHalfMessageIsForgottenWithItsConnection() {
    var (_, splitter) = Self.split([Array("{\"half\r".utf8)])
    #expect(splitter.isMidMessage)
    splitter.reset()
    #expect(!splitter.isMidMessage)
    splitter.feed(Array("{}\r\n".utf8)) { (piece) throws(Never) in
      guard case .message(let bytes) = piece else { return #expect(Bool(false)) }
      #expect(String(decoding: bytes, as: UTF8.self) == "{}")
    }
  }

  @Test func tooLongMessagesAreCountedAndLeftOut() {
    let text = Array("0123456789abc\r\n{}\r\n".utf8)
    let expected = ["too long: 13", "{}"]
    #expect(Self.split([text], maxMessage: 10).seen == expected)
    #expect(Self.split(text.map { [$0] }, maxMessage: 10).seen == expected)
    #expect(Self.split([text], maxMessage: 13).seen == ["0123456789abc", "{}"])
    #expect(Self.split(text.map { [$0] }, maxMessage: 13).seen == ["0123456789abc", "{}"])
  }
}
