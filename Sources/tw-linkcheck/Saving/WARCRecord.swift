import CCrypto
import CZlib
import TweetCore
import TweetNet

/// A request and its answer, as they are saved.
struct SavedExchange: Sendable {
  var request: HTTPRequest
  let response: HTTPResponse
}

/// Records of the WARC format 1.1 (ISO 28500:2017; iipc.github.io/warc-specifications). Each is given as gzip, so that
/// tools find one without those before it.
enum WARCRecord {
  /// The first record of a file, which says what made it.
  /// - Returns: its bytes, and its name, to which the others refer.
  static func info(fileName: String, at time: Timestamp) throws(ToolError) -> (bytes: [UInt8], id: String) {
    let fields = """
      software: tw-linkcheck/\(Version.number)\r
      format: WARC File Format 1.1\r
      conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r
      robots: ignore\r

      """
    let id = newID()
    let head = [
      ("WARC-Type", "warcinfo"), ("WARC-Record-ID", id), ("WARC-Date", time.rfc3339), ("WARC-Filename", fileName),
      ("Content-Type", "application/warc-fields"),
    ]
    return (try record(head, Array(fields.utf8)), id)
  }

  /// The records of a request and its answer.
  /// - Parameter info: the name of the file's first record.
  static func exchange(_ exchange: SavedExchange, at time: Timestamp, info: String) throws(ToolError) -> [UInt8] {
    let (request, response) = (exchange.request, exchange.response)
    let (requestID, responseID) = (newID(), newID())
    let common = [
      ("WARC-Date", time.rfc3339), ("WARC-Target-URI", LinkAddress.withoutFragment(request.url)),
      ("WARC-Warcinfo-ID", info),
    ]
    let asked = try record(
      [("WARC-Type", "request"), ("WARC-Record-ID", requestID)] + common
        + [("WARC-Concurrent-To", responseID), ("Content-Type", "application/http; msgtype=request")],
      head(of: request))
    var fields = [("WARC-Type", "response"), ("WARC-Record-ID", responseID)] + common
    fields.append(("WARC-Payload-Digest", try digest(of: response.body)))
    // The connection or the time ended, or the page is longer than what is kept of it.
    if response.truncated {
      fields.append(("WARC-Truncated", response.body.count >= request.maxBody ? "length" : "disconnect"))
    }
    fields.append(("Content-Type", "application/http; msgtype=response"))
    return asked + (try record(fields, head(of: response) + response.body))
  }

  private static func record(_ fields: [(name: String, value: String)], _ block: [UInt8]) throws(ToolError) -> [UInt8] {
    var bytes = ByteBuffer(capacity: block.count + 1024)
    bytes.append("WARC/1.1\r\n")
    for (name, value) in fields { bytes.append("\(name): \(value)\r\n") }
    bytes.append("WARC-Block-Digest: \(try digest(of: block))\r\nContent-Length: \(block.count)\r\n\r\n")
    bytes.append(block)
    bytes.append("\r\n\r\n")
    return try GzipMember.compress(bytes.array)
  }

  /// The request as it goes out by HTTP/1.1, whichever version carried it.
  private static func head(of request: HTTPRequest) -> [UInt8] {
    guard let address = request.address else { return [] }
    let isUsual = address.port == (address.scheme == "https" ? 443 : 80)
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    var text = "\(request.method.rawValue) \(address.path.isEmpty ? "/" : address.path)"
    text +=
      (address.query.map { "?" + $0 } ?? "") + " HTTP/1.1\r\nHost: \(host)\(isUsual ? "" : ":\(address.port)")\r\n"
    if !request.headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
      text += "User-Agent: \(Version.userAgent)\r\n"
    }
    for field in request.headers { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  /// The head of the answer, for the body that follows it here: without what held on the way only, which keeps its
  /// value under another name, as the Internet Archive has it.
  private static func head(of response: HTTPResponse) -> [UInt8] {
    var head = ByteBuffer(capacity: 1024)
    head.append("HTTP/1.1 \(response.status) \(reason(response.status))\r\n")
    for line in response.headers.lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      if ofConnection.contains(name) { head.append("X-Archive-Orig-") }
      // A carriage return inside a line would begin another one for some readers.
      head.append(line.map { $0 == 0x0D || $0 == 0 ? UInt8(ascii: " ") : $0 })
      head.append("\r\n")
    }
    head.append("Content-Length: \(response.body.count)\r\n\r\n")
    return head.array
  }

  private static let ofConnection: Set<String> = [
    "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive",
  ]

  /// RFC 9110 §15. Some programs that replay answers do not take one without a reason.
  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    default: status < 300 ? "Success" : "Redirect"
    }
  }

  /// A random UUID (RFC 9562 §5.4) as a URN.
  private static func newID() -> String {
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    (bytes[6], bytes[8]) = (bytes[6] & 0x0F | 0x40, bytes[8] & 0x3F | 0x80)
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { String(hexadecimal: bytes[$0]) }
    return "<urn:uuid:\(groups.joined(separator: "-"))>"
  }

  /// SHA-1 in Base32 (RFC 4648 §6): not against forgery, but what all tools for these files write and compare.
  private static func digest(of bytes: [UInt8]) throws(ToolError) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha1(), nil) == 1 else {
      throw .bug("libcrypto cannot compute a SHA-1")
    }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var text = "sha1:"
    // 20 bytes are 32 groups of five bits, without a rest.
    for group in 0..<Int(length) * 8 / 5 {
      let (byte, shift) = (group * 5 / 8, group * 5 % 8)
      let pair = UInt16(digest[byte]) << 8 | (byte + 1 < Int(length) ? UInt16(digest[byte + 1]) : 0)
      text.append(letters[Int(pair >> UInt16(11 - shift) & 31)])
    }
    return text
  }
}

/// Bytes as a gzip file of their own (RFC 1952). Several of them in a row are a gzip file too, and each can be read
/// alone.
enum GzipMember {
  static func compress(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    var stream = z_stream()
    guard tw_deflate_init_gzip(&stream) == Z_OK else { throw .inputOutput("cannot compress: memory is short") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    let code = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
        return deflate(&stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { throw .bug("zlib cannot compress \(bytes.count) bytes at once: \(code)") }
    output.removeLast(output.count - Int(stream.total_out))
    return output
  }
}
