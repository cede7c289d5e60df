import Foundation
import TweetCore

/// A request of a ``FaultyService`` while the steps of a script answer it.
final class Exchange {
  let request: LoopbackServer.Request
  let connection: Connection
  let memory: ServiceMemory
  /// Bytes by which posts are longer.
  var padding = 0
  /// Counts what went out.
  private var delivery: Delivery

  init(
    _ request: LoopbackServer.Request, _ connection: Connection, _ memory: ServiceMemory,
    delivered: @escaping (String) -> Void
  ) {
    self.request = request
    self.connection = connection
    self.memory = memory
    delivery = Delivery(of: request.kind, write: delivered)
  }

  func play(_ steps: [Script.Step]) {
    for step in steps where connection.isOpen { step(self) }
    if connection.isOpen, !connection.takesAnother { end() }
  }

  // MARK: Head

  /// - Parameter field: `{now+5}` in it becomes that moment in Unix seconds.
  func addField(_ field: String) {
    guard let start = field.firstRange(of: "{now+"), let end = field.firstIndex(of: "}"),
      let seconds = Int(field[start.upperBound..<end])
    else { return connection.fields.append(field) }
    let time = Int(Timestamp.now.milliseconds / 1000) + seconds
    connection.fields.append("\(field[..<start.lowerBound])\(time)\(field[end...].dropFirst())")
  }

  /// Adds header fields of this many bytes in all.
  func addFields(ofBytes size: Int) {
    let line = "X-Padding: " + String(repeating: "x", count: 8000)
    for _ in 0..<max(1, size / line.utf8.count) { connection.fields.append(line) }
  }

  // MARK: Bodies

  private var isDelivered: Bool { connection.isOpen && connection.status.hasPrefix("2") }

  /// A whole answer.
  func answer(_ body: [UInt8]) {
    connection.answerAndStay(body)
    if isDelivered { delivery.count(body: body) }
  }

  /// Some of a stream.
  func chunk(_ bytes: [UInt8]) {
    connection.chunk(bytes)
    if isDelivered { delivery.count(piece: bytes) }
  }

  /// Ends answer and connection in good order.
  func end() {
    if connection.takesAnother { return connection.close() }
    if !connection.hasBegun, !connection.isCompressed, connection.status != "200 OK" {
      return answer([])
    }
    connection.endStream()
    connection.close()
  }

  func answerAsUsual() {
    let (code, body) =
      switch request.kind {
      case "add", "list", "delete": memory.rules(request.body)
      case "search": memory.search(request)
      default: (404, #"{"title":"Not Found","status":404,"detail":"no such page","type":"about:blank"}"#)
      }
    connection.status = "\(code) x"
    answer(Array(body.utf8))
  }

  func post(_ range: ClosedRange<Int>) {
    for number in range where connection.isOpen {
      memory.publish(number...number)
      chunk(memory.message(number, padding: padding))
    }
  }

  func live(_ range: ClosedRange<Int>) {
    for number in range where connection.isOpen {
      memory.publish(number...number)
      chunk(memory.hasAddedRules ? memory.message(number) : [13, 10])
      connection.pause(0.05)
    }
  }

  // MARK: Silence

  /// - Parameter count: 0 goes on until the client leaves.
  func keepAlive(_ count: Int, every milliseconds: Int) {
    var sent = 0
    while connection.isOpen, count == 0 || sent < count {
      chunk([13, 10])
      sent += 1
      connection.pause(Double(milliseconds) / 1000)
    }
  }

  func hold() {
    // What has been said so far has at least a head.
    connection.startStream()
    connection.hold()
  }

  // MARK: Soak

  func run(_ soak: Soak) {
    let segment = memory.segment(of: soak)
    // Whatever becomes of the connection, the posts were made.
    defer { memory.publish(segment.sent.lowerBound...segment.last) }
    var first = segment.sent.lowerBound
    while connection.isOpen, first <= segment.sent.upperBound {
      let batch = first...min(first + segment.batch - 1, segment.sent.upperBound)
      memory.publish(batch)
      chunk(batch.flatMap { memory.message($0) })
      first = batch.upperBound + 1
    }
    guard let cut = segment.cut else { return keepAlive(0, every: 100) }
    guard connection.isOpen else { return }
    memory.publish(segment.sent.lowerBound...segment.last)
    if cut != .hardReset { connection.pause(0.02) }
    let next = memory.message(segment.last)
    if segment.away > 0 { connection.refuseOthers(milliseconds: segment.away) }
    switch cut {
    case .end: connection.endStream()
    case .close: break
    case .reset, .hardReset: connection.reset()
    case .halfMessage: chunk(Array(next.prefix(next.count / 2)))
    case .halfChunk: connection.send(Array("\(String(next.count, radix: 16))\r\n".utf8) + next.prefix(next.count / 3))
    }
    connection.close()
  }
}
