import TweetCore

/// The parts of a body of `multipart/form-data` (RFC 7578).
struct MultipartForm {
  struct Part {
    let name: String
    let bytes: [UInt8]
  }

  /// Most parts; an upload has three.
  private static let maxParts = 32

  private(set) var parts: [Part] = []

  /// `nil` for a request that has no such body, or a broken one.
  init?(_ request: ServerRequest) {
    guard let type = request.headers["content-type"], type.lowercased().hasPrefix("multipart/form-data"),
      let boundary = Self.parameter("boundary", of: type), (1...70).contains(boundary.utf8.count)
    else { return nil }
    let (body, mark) = (request.body, Array("--\(boundary)".utf8))
    // What stands before the first boundary is ignored (RFC 2046 §5.1.1).
    guard var at = Self.find(mark, in: body, from: 0) else { return nil }
    while true {
      at += mark.count
      if body[at...].starts(with: "--".utf8) { return }
      guard body[at...].starts(with: "\r\n".utf8), parts.count < Self.maxParts,
        let head = Self.find(Array("\r\n\r\n".utf8), in: body, from: at),
        let end = Self.find([0x0D, 0x0A] + mark, in: body, from: head + 2),
        let name = Self.name(String(decoding: body[at..<head], as: UTF8.self))
      else { return nil }
      parts.append(Part(name: name, bytes: end > head + 4 ? Array(body[head + 4..<end]) : []))
      at = end + 2
    }
  }

  subscript(name: String) -> [UInt8]? { parts.first { $0.name == name }?.bytes }

  func text(_ name: String) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

  private static func find(_ mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    guard start <= bytes.count, mark.count <= bytes.count else { return nil }
    return bytes.withBytes { bytes in
      var at = start
      while at + mark.count <= bytes.count {
        if bytes[at] == mark[0], bytes[at..<at + mark.count].elementsEqual(mark) { return at }
        at += 1
      }
      return nil
    }
  }

  /// The name of a part, from its head.
  private static func name(_ head: String) -> String? {
    for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("content-disposition:") {
      return parameter("name", of: String(line))
    }
    return nil
  }

  /// A parameter of a header: `name=value` or `name="value"` after a semicolon.
  private static func parameter(_ name: String, of header: String) -> String? {
    for part in header.split(separator: ";").dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0].filter({ $0 != " " }).lowercased() == name else { continue }
      let value = halves[1].drop { $0 == " " }
      guard value.first == "\"" else { return String(value.prefix { $0 != " " }) }
      return String(value.dropFirst().prefix { $0 != "\"" })
    }
    return nil
  }
}
