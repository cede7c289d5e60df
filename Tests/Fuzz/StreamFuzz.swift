import TweetCore
import TweetServices

// A stream's bytes → messages, in the three ways that streams are cut up.
extension FuzzTarget {
  /// It does not matter in which pieces the bytes come, and messages are lines no longer than allowed. The input's first
  /// byte says how streams are cut up, and its second where the pieces begin.
  static let framing = FuzzTarget(name: "framing") { input in
    guard input.count > 2 else { return }
    let framings: [MessageSplitter.Framing] = [.lines, .carriageReturns, .lengths]
    let framing = framings[Int(input[0]) % framings.count]
    let stream = Array(input[2...])
    for maxMessage in [40, 1 << 20] {
      let whole = messages(of: [stream], framing, maxMessage)
      let cut = Int(input[1]) % (stream.count + 1)
      for pieces in [[Array(stream[..<cut]), Array(stream[cut...])], stream.map { [$0] }] {
        let pieced = messages(of: pieces, framing, maxMessage)
        require(pieced == whole, "in pieces \(pieced)\nas a whole \(whole)")
      }
    }
  }

  private static func messages(
    of pieces: [[UInt8]], _ framing: MessageSplitter.Framing, _ maxMessage: Int
  ) -> [String] {
    var splitter = MessageSplitter(framing, maxMessage: maxMessage)
    var found: [String] = []
    for piece in pieces {
      splitter.feed(piece) { (piece) throws(Never) in
        switch piece {
        case .message(let bytes):
          require(!bytes.isEmpty && bytes.count <= maxMessage, "a message of \(bytes.count) bytes")
          require(!bytes.contains(0x0A), "a message of two lines")
          found.append("message \(Array(bytes))")
        case .keepAlive: found.append("keep-alive")
        case .tooLong(let length): found.append("too long: \(length)")
        case .wrongLength(let reason): found.append("wrong length: \(reason)")
        }
      }
    }
    return found + [splitter.isMidMessage ? "half a message" : "whole"]
  }
}
