import ServiceClients
import TweetCore
import TweetNet

@testable import TweetServices
@testable import tw_stream

// What a service sends: streams, pages and errors.
extension FuzzTarget {
  /// It does not matter in which pieces the bytes come, and messages are lines no longer than allowed. The input's
  /// first byte says how streams are cut up, and its second where the pieces begin.
  static let framing = FuzzTarget(name: "framing") { input in
    guard input.count > 2 else { return }
    let framings: [StreamFraming] = [.lines, .carriageReturns, .lengths]
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

  /// It does not matter in which pieces the frames of a WebSocket come; messages are no longer than allowed, and text
  /// is UTF-8. The input's first byte says where the pieces begin.
  static let websocket = FuzzTarget(name: "websocket") { input in
    guard input.count > 1 else { return }
    let stream = Array(input[1...])
    for maxMessage in [40, 1 << 20] {
      let whole = frames(of: [stream], maxMessage)
      let cut = Int(input[0]) % (stream.count + 1)
      for pieces in [[Array(stream[..<cut]), Array(stream[cut...])], stream.map { [$0] }] {
        let pieced = frames(of: pieces, maxMessage)
        require(pieced == whole, "in pieces \(pieced)\nas a whole \(whole)")
      }
    }
  }

  private static func frames(of pieces: [[UInt8]], _ maxMessage: Int) -> [String] {
    var reader = WebSocketReader(maxMessage: maxMessage)
    var found: [String] = []
    for piece in pieces {
      do throws(WebSocketReader.Fault) {
        try piece.withBytes { (piece) throws(WebSocketReader.Fault) in
          try reader.append(piece) { event in
            switch event {
            case .message(let bytes, let isText):
              require(bytes.count <= maxMessage, "a message of \(bytes.count) bytes")
              require(!isText || String(validating: bytes, as: UTF8.self) != nil, "text that is not UTF-8")
              found.append("message \(isText) \(Array(bytes))")
            case .ping(let bytes):
              require(bytes.count <= 125, "a ping of \(bytes.count) bytes")
              found.append("ping \(bytes)")
            case .close(let code, let reason): found.append("close \(code ?? 0) \(reason)")
            }
          }
        }
      } catch {
        require((1002...1009).contains(error.code) && !error.text.isEmpty, "a fault without a reason")
        return found + ["fault \(error.code) \(error.text)"]
      }
    }
    return found
  }

  /// A page is lines of JSON, of no more posts than it has; what a service says is wrong has words. The input is an
  /// answer's body, or a message of a stream.
  static let answers = FuzzTarget(name: "answers", isJSON: true) { input in
    let isGood = input.count % 2 == 0
    let answer = HTTPResponse(status: isGood ? 200 : 400 + input.count % 200, body: input, url: "https://h.example/")
    for limit in [nil, 1] {
      for page in [FeedPage(v2: answer, limit: limit), FeedPage(v1: answer, limit: limit)] {
        guard let page else { continue }
        require(page.count <= page.sent && page.count <= limit ?? .max, "\(page)")
        require(page.lines.reduce(0) { $0 + $1.posts } == page.count, "\(page)")
        for line in page.lines {
          require(!line.bytes.contains(0x0A) && (try? JSONDocument(line.bytes)) != nil, "a line is no JSON")
        }
      }
    }
    require(!ServiceProblem(answer).text.isEmpty, "a problem without words")
    _ = Refusal(answer)
    var rules = StreamRules([StreamRules.Wanted(hashtag: "swift"), StreamRules.Wanted(hashtag: "tea")])
    _ = rules.recordAdded(answer)
    _ = rules.recordListed(answer)
    require(rules.missing.count <= 2, "more rules are missing than wanted")
    guard let document = try? JSONDocument(input) else { return }
    _ = document.read { rules.feed(of: $0) }
    if let problem = document.read({ ServiceProblem(message: $0) }) {
      require(!problem.text.isEmpty && Refusal(problem).error.message != nil, "a problem without words")
    }
    require(document.read { LineContents($0).posts } >= 0, "fewer posts than none")
  }

  private static func messages(
    of pieces: [[UInt8]], _ framing: StreamFraming, _ maxMessage: Int
  ) -> [String] {
    var splitter = MessageSplitter(framing, maxMessage: maxMessage)
    var found: [String] = []
    for piece in pieces {
      splitter.append(piece) { (piece) throws(Never) in
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
