import Libc
import TestNumbers
import TweetCore

/// One connection: its requests and their answers.
struct Conversation {
  let wire: Wire
  let server: Server

  func run() {
    while let request = wire.request() {
      let kind = Request(head: request.head, body: request.body)
      server.log(kind)
      do throws(Gone) {
        guard try answer(kind) else { return }
      } catch {
        return
      }
    }
  }

  /// - Returns: whether another request may follow.
  private func answer(_ request: Request) throws(Gone) -> Bool {
    var answer = Answer(on: wire, Delivery(of: request.kind, write: server.record))
    for step in server.steps(for: request.kind) { try take(step, request, &answer) }
    try answer.end()
    return answer.isWhole
  }

  private func take(_ step: Script.Step, _ request: Request, _ answer: inout Answer) throws(Gone) {
    switch step {
    case .status(let status): answer.setStatus(status)
    case .header(let field): answer.addField(field)
    case .padding(let size): answer.pad(size)
    case .body(let text): try answer.whole(Array(text.utf8))
    case .usual: try usual(request, &answer)
    case .bytes(let bytes): try answer.stream(bytes)
    case .posts(let range): try post(range, &answer)
    case .away(let range): server.service.publish(range)
    case .live(let range): try live(range, &answer)
    case .longer(let size): answer.postPadding = size
    case .keepAlive(let count, let every): try keepAlive(count, every, &answer)
    case .garbage(let size):
      var chance = Chance(seed: 1)
      try answer.stream((0..<size).map { _ in UInt8(truncatingIfNeeded: chance.next()) })
    case .gzip: answer.compress()
    case .split(let size): wire.piece = size
    case .raw: answer.goRaw()
    case .cut(let count): wire.left = count
    case .soak(let soak): try run(soak, &answer)
    case .pause, .hold, .refuse, .end, .close, .reset: try wait(step, &answer)
    }
  }

  private func wait(_ step: Script.Step, _ answer: inout Answer) throws(Gone) {
    switch step {
    case .pause(let milliseconds): sleep(milliseconds: milliseconds)
    case .hold:
      // What has been said so far has at least a head.
      if !answer.hasBegun { try answer.stream([]) }
      wire.waitForEnd()
      throw Gone()
    case .refuse(let milliseconds): server.refuse(milliseconds)
    case .end:
      try answer.end()
      throw Gone()
    case .close:
      wire.close()
      throw Gone()
    default: try wire.reset()
    }
  }

  private func usual(_ request: Request, _ answer: inout Answer) throws(Gone) {
    switch request.kind {
    case "add", "list", "delete":
      let (status, body) = server.service.rules(request.body)
      answer.setStatus(status)
      try answer.whole(Array(body.utf8))
    case "search":
      let (status, body) = server.service.search(request.query)
      answer.setStatus(status)
      try answer.whole(Array(body.utf8))
    default:
      answer.setStatus("404 Not Found")
      try answer.whole(Array(#"{"title":"Not Found","status":404,"detail":"no such page","type":"about:blank"}"#.utf8))
    }
  }

  private func post(_ range: ClosedRange<Int>, _ answer: inout Answer) throws(Gone) {
    for number in range {
      server.service.publish(number...number)
      try answer.stream(server.service.message(number, padding: answer.postPadding))
    }
  }

  private func live(_ range: ClosedRange<Int>, _ answer: inout Answer) throws(Gone) {
    for number in range {
      server.service.publish(number...number)
      try answer.stream(server.service.hasAddedRules ? server.service.message(number) : [13, 10])
      sleep(milliseconds: 50)
    }
  }

  /// - Parameter count: 0 goes on until the client leaves.
  private func keepAlive(_ count: Int, _ every: Int, _ answer: inout Answer) throws(Gone) {
    var sent = 0
    while count == 0 || sent < count {
      try answer.stream([13, 10])
      sent += 1
      sleep(milliseconds: every)
    }
  }

  private func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

  // MARK: Soak

  private func run(_ soak: Soak, _ answer: inout Answer) throws(Gone) {
    let segment = server.service.segment(of: soak)
    // Whatever becomes of the connection, the posts were made.
    defer { server.service.publish(segment.sent.lowerBound...segment.last) }
    var first = segment.sent.lowerBound
    while first <= segment.sent.upperBound {
      let batch = first...min(first + segment.batch - 1, segment.sent.upperBound)
      server.service.publish(batch)
      try answer.stream(batch.flatMap { server.service.message($0) })
      first = batch.upperBound + 1
    }
    guard let cut = segment.cut else { return try keepAlive(0, 100, &answer) }
    server.service.publish(segment.sent.lowerBound...segment.last)
    if cut != .hardReset { sleep(milliseconds: 20) }
    let next = server.service.message(segment.last)
    if segment.away > 0 { server.refuse(segment.away) }
    switch cut {
    case .end: try answer.end()
    case .close: wire.close()
    case .reset, .hardReset: try wire.reset()
    case .halfMessage:
      try answer.stream(Array(next.prefix(next.count / 2)))
      wire.close()
    case .halfChunk:
      try wire.send(Array("\(String(next.count, radix: 16))\r\n".utf8) + next.prefix(next.count / 3))
      wire.close()
    }
    throw Gone()
  }
}

/// One request, and what it asks for.
struct Request {
  let head: String
  let body: [UInt8]
  /// `add`, `list`, `delete`, `stream`, `search`, or the method and the path.
  let kind: String
  let query: [String: String]

  init(head: String, body: [UInt8]) {
    self.head = head
    self.body = body
    let words = head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
    let method = words.first ?? ""
    let target = (words.count > 1 ? words[1] : "").split(separator: "?", maxSplits: 1).map(String.init)
    let path = target.first ?? ""
    var query: [String: String] = [:]
    for pair in (target.count > 1 ? target[1] : "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      query[String(parts[0])] = parts.count > 1 ? Self.decoded(parts[1]) : ""
    }
    self.query = query
    kind =
      switch "\(method) \(path)" {
      case "GET /2/tweets/search/stream": "stream"
      case "GET /2/tweets/search/recent": "search"
      case "GET /2/tweets/search/stream/rules": "list"
      case "POST /2/tweets/search/stream/rules":
        (try? JSONDocument(body))?.root["delete"] == nil ? "add" : "delete"
      default: "\(method) \(path)"
      }
  }

  private static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
