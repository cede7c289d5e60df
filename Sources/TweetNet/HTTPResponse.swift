import Libc
package import TweetCore

/// A whole answer, or its beginning when it was cut at `HTTPRequest.maxBody`.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8] = []
  /// The request's URL, as libcurl normalised it. Redirects are not followed.
  package var url: String
  /// Whether the body was longer than `maxBody`.
  package var truncated = false
  /// How many seconds the server asks to wait (`Retry-After`, in either form).
  package var retryAfter: Int?

  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], url: String) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// What the request carried. Some services repeat it in errors and redirects, so whoever shows a part of the answer
  /// hides these in the text; the answer itself stays as it came.
  package internal(set) var secrets: [Secret] = []

  /// Whether the status is 2xx.
  package var isSuccess: Bool { (200...299).contains(status) }

  /// Whether it is a page for people. Networks with a sign-in page, and proxies in trouble, send one in place of a
  /// service's answer.
  package var isWebPage: Bool { headers["content-type"]?.lowercased().hasPrefix("text/html") ?? false }
}

/// Header fields as they were received. Most fields of most answers are never looked at, so they are read when they are
/// asked for. Names compare without regard to case.
package struct HTTPHeaders: Sendable, Equatable {
  /// `NAME:VALUE`, with a line feed after each.
  private var received: [UInt8] = []

  package init(_ fields: [HTTPHeader] = []) {
    for field in fields { received += "\(field.name):\(field.value)\n".utf8 }
  }

  /// The first field of that name, without the blanks around it.
  package subscript(_ name: String) -> String? {
    name.withBytes { name in received.withUnsafeBytes { Self.value(of: name, in: $0) } }
  }

  /// The value of a field that holds an address. Its bytes beyond ASCII are text if they are UTF-8. If not, as servers
  /// send that write Latin-1, they are percent-encoded as they stand, which is what browsers request.
  package func address(_ name: String) -> String? {
    name.withBytes { name in
      received.withUnsafeBytes { lines in Self.bytes(of: name, in: lines).map { Self.text(Array($0)) } }
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let digits = Array("0123456789ABCDEF".utf8)
    let encoded = bytes.flatMap { byte in
      byte < 0x80 ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// All fields of that name, in order.
  package func values(_ name: String) -> [String] {
    name.withBytes { name in
      received.withUnsafeBytes { lines in
        var values: [String] = []
        var rest = lines[...]
        while let value = Self.bytes(of: name, in: UnsafeRawBufferPointer(rebasing: rest)) {
          values.append(String(decoding: value, as: UTF8.self))
          guard let base = rest.base.baseAddress, let start = value.base.baseAddress else { break }
          let end = start - base + value.endIndex
          let feed = lines[end...].firstIndex(of: UInt8(ascii: "\n"))
          rest = lines[(feed.map { $0 + 1 } ?? lines.count)...]
        }
        return values
      }
    }
  }

  /// The value of a field that holds a whole number, as rate limit headers do.
  package func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// The fields as they were received, without the ends of their lines.
  package var lines: [ArraySlice<UInt8>] {
    received.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
  }

  /// - Parameter line: a field as it stands in an answer, or the next line of the one before, which begins with a blank
  ///   (obs-fold, RFC 9112 §5.2). A line without a colon is none.
  mutating func append(line: UnsafeRawBufferPointer) {
    if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"), !received.isEmpty {
      while received.last == UInt8(ascii: "\n") || received.last == UInt8(ascii: "\r") { received.removeLast() }
    }
    received.append(contentsOf: line)
    if received.last != UInt8(ascii: "\n") { received.append(UInt8(ascii: "\n")) }
  }

  private static func value(of name: ByteView, in lines: UnsafeRawBufferPointer) -> String? {
    bytes(of: name, in: lines).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func bytes(
    of name: ByteView, in lines: UnsafeRawBufferPointer
  ) -> Slice<UnsafeRawBufferPointer>? {
    guard let start = lines.baseAddress else { return nil }
    var at = 0
    while at < lines.count, let feed = memchr(start + at, Int32(UInt8(ascii: "\n")), lines.count - at) {
      let end = UnsafeRawPointer(feed) - start
      let colon = at + name.count
      if colon < end, lines[colon] == UInt8(ascii: ":"), isName(name, lines[at..<colon]) {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var value = lines[(colon + 1)..<end].prefix { $0 != UInt8(ascii: "\r") }.drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        return value
      }
      at = end + 1
    }
    return nil
  }

  private static func isName(_ name: ByteView, _ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return zip(name, bytes).allSatisfy { lower($0) == lower($1) }
  }
}
