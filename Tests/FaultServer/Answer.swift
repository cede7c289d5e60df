import TestNumbers
import TweetCore

/// An answer while it is sent: head, then body, in chunks and compressed if the script says so.
struct Answer {
  private enum Framing {
    case chunked, none
  }

  private let wire: Wire
  private var status = "200 OK"
  private var fields: [String] = []
  private var framing = Framing.chunked
  private var gzip: StoredGzip?
  private var hasHead = false
  /// Whether the connection can take another request after this answer.
  private(set) var isWhole = false
  /// Bytes by which posts are longer.
  var postPadding = 0
  /// Counts what went out.
  private var delivery: Delivery

  init(on wire: Wire, _ delivery: Delivery) {
    self.wire = wire
    self.delivery = delivery
  }

  var hasBegun: Bool { hasHead }

  mutating func setStatus(_ status: String) { self.status = status }

  /// - Parameter field: `{now+5}` in it becomes that moment in Unix seconds.
  mutating func addField(_ field: String) {
    guard let start = field.firstRange(of: "{now+"), let end = field.firstIndex(of: "}"),
      let seconds = Int(field[start.upperBound..<end])
    else { return fields.append(field) }
    let time = Int(Timestamp.now.milliseconds / 1000) + seconds
    fields.append("\(field[..<start.lowerBound])\(time)\(field[end...].dropFirst())")
  }

  /// Adds header fields of this many bytes in all.
  mutating func pad(_ size: Int) {
    let line = "X-Padding: " + String(repeating: "x", count: 8000)
    for _ in 0..<max(1, size / line.utf8.count) { fields.append(line) }
  }

  mutating func compress() {
    gzip = StoredGzip()
    fields.append("Content-Encoding: gzip")
  }

  /// From here on bytes are sent as they are; a head that was not sent yet is left out.
  mutating func goRaw() {
    hasHead = true
    framing = .none
  }

  /// A whole answer.
  mutating func whole(_ body: [UInt8]) throws(Gone) {
    let plain = body
    var body = body
    if var gzip {
      body = gzip.block(body) + gzip.end()
      self.gzip = nil
    }
    fields.append("Content-Length: \(body.count)")
    try wire.send(head + body)
    if status.hasPrefix("2") { delivery.count(body: plain) }
    hasHead = true
    framing = .none
    isWhole = true
  }

  private var head: [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n".utf8)
  }

  /// Some of a body whose length is not known before.
  mutating func stream(_ bytes: [UInt8]) throws(Gone) {
    try begin()
    guard !bytes.isEmpty else { return }
    try frame(gzip?.block(bytes) ?? bytes)
    if status.hasPrefix("2") { delivery.count(piece: bytes) }
  }

  private mutating func begin() throws(Gone) {
    guard !hasHead else { return }
    hasHead = true
    fields += ["Content-Type: application/json; charset=utf-8", "Transfer-Encoding: chunked"]
    try wire.send(head)
  }

  private func frame(_ bytes: [UInt8]) throws(Gone) {
    switch framing {
    case .chunked: try wire.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
    case .none: try wire.send(bytes)
    }
  }

  /// Ends in good order.
  mutating func end() throws(Gone) {
    if isWhole { return }
    if !hasHead, gzip == nil, status != "200 OK" { return try whole([]) }
    try begin()
    if let tail = gzip?.end() { try frame(tail) }
    if framing == .chunked { try wire.send(Array("0\r\n\r\n".utf8)) }
    wire.close()
  }
}

/// gzip (RFC 1952) whose blocks are stored as they are (RFC 1951, 3.2.4), so that every write can be read at once.
private struct StoredGzip {
  private var hasHeader = false
  private var checksum = CRC32()
  private var length: UInt32 = 0

  mutating func block(_ bytes: [UInt8]) -> [UInt8] {
    checksum.add(bytes)
    length &+= UInt32(bytes.count)
    var out = header
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(0xffff)
      out += [0] + Self.little(UInt16(part.count)) + Self.little(~UInt16(part.count)) + part
      rest = rest.dropFirst(part.count)
    }
    return out
  }

  mutating func end() -> [UInt8] {
    header + [1, 0, 0, 0xff, 0xff] + Self.little(checksum.value) + Self.little(length)
  }

  private var header: [UInt8] {
    mutating get {
      defer { hasHeader = true }
      return hasHeader ? [] : [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]
    }
  }

  private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
