import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

// The events of Mastodon's streams.
extension FuzzTarget {
  /// Events are lines no longer than allowed, and JSON if their data is; it does not matter in which pieces server-sent
  /// events come, and those of a WebSocket are told like them. The input's first byte says in which of the two ways the
  /// rest comes, and its second where the pieces begin; messages of a WebSocket end with 0xFF, which no text has.
  static let events = FuzzTarget(name: "events") { input in
    guard input.count > 2 else { return }
    let stream = Array(input[2...])
    for maxMessage in [40, 1 << 20] {
      if input[0] % 2 == 1 {
        checkSocket(stream.split(separator: 0xFF, omittingEmptySubsequences: false).map { Array($0) }, maxMessage)
        continue
      }
      let whole = events(of: [stream], .events, maxMessage)
      let cut = Int(input[1]) % (stream.count + 1)
      for pieces in [[Array(stream[..<cut]), Array(stream[cut...])], stream.map { [$0] }] {
        let pieced = events(of: pieces, .events, maxMessage)
        require(pieced == whole, "in pieces \(pieced)\nas a whole \(whole)")
      }
    }
  }

  private static func checkSocket(_ messages: [[UInt8]], _ maxMessage: Int) {
    var all: [UInt8] = []
    for message in messages { message.withBytes { WebSocketMessage.append($0, isText: true, to: &all) } }
    let found = events(of: [all], .socketEvents, maxMessage)
    require(found.count == messages.count + 1, "\(messages.count) messages, and \(found.count - 1) pieces")
    for (message, found) in zip(messages, found) where message.count <= maxMessage {
      guard let document = try? JSONDocument(message), let name = document["event"]?.string else { continue }
      let payload = document["payload"]
      let text = payload?.string
      // What is written out by an author of JSON stays JSON, and says the same.
      if let text, text.hasPrefix("{") || text.hasPrefix("["), (try? JSONDocument(Array(text.utf8))) == nil { continue }
      guard case .message(let line) = found, let told = try? JSONDocument(line) else {
        require(false, "an event is no JSON: \(found)")
        continue
      }
      require(told["event"]?.string == name, "an event of another name")
      let isText = told["payload"]?.isString == true
      require(isText == !(text ?? payload?.rawText ?? "").starts { "{[".contains($0) }, "a payload of another kind")
    }
  }

  private enum Event: Equatable {
    case message([UInt8])
    case keepAlive
    case tooLong(Int)
    case end(isMidMessage: Bool)
  }

  private static func events(
    of pieces: [[UInt8]], _ framing: StreamFraming, _ maxMessage: Int
  ) -> [Event] {
    var splitter = MessageSplitter(framing, maxMessage: maxMessage)
    var found: [Event] = []
    for piece in pieces {
      splitter.append(piece) { (piece) throws(Never) in
        switch piece {
        case .message(let bytes):
          // Each byte of a name or of data may need six in JSON.
          require(bytes.count <= 6 * (maxMessage + 256) + 64, "a message of \(bytes.count) bytes")
          // A bare CR may stand in what is not an event; it ends no line.
          require(!bytes.contains(0x0A), "a message of two lines")
          found.append(.message(Array(bytes)))
        case .keepAlive: found.append(.keepAlive)
        case .tooLong(let length):
          require(length > maxMessage, "\(length) bytes are not too many")
          found.append(.tooLong(length))
        case .wrongLength(let reason): require(false, "a wrong length: \(reason)")
        }
      }
    }
    return found + [.end(isMidMessage: splitter.isMidMessage)]
  }
}

extension String {
  fileprivate func starts(_ isWanted: (Character) -> Bool) -> Bool { first.map(isWanted) ?? false }
}
