import CCrypto
import CCurl
import TweetCore

/// That a request asks for a WebSocket (RFC 6455). Its URL is the one with `http` or `https` for `ws` or `wss`.
package struct WebSocketOffer: Sendable {
  /// The subprotocols that the client speaks; the server may choose one.
  package var protocols: [String]
  /// The most bytes of one message.
  package var maxMessage: Int

  package init(protocols: [String] = [], maxMessage: Int = 16 << 20) {
    (self.protocols, self.maxMessage) = (protocols, maxMessage)
  }
}

/// The request for a WebSocket, and the answer to it (RFC 6455 §4).
struct WebSocketHandshake {
  enum Outcome {
    case needsMore
    /// The connection is a WebSocket now; these bytes came after the head already.
    case open(HTTPResponse, rest: [UInt8])
    /// Another answer, whole.
    case refused(HTTPResponse)
  }

  private static let longestHead = 64 << 10
  private static let longestBody = 256 << 10
  private static let headEnd = Array("\r\n\r\n".utf8)

  private let key: String
  private let protocols: [String]
  private let url: String
  private var received: [UInt8] = []
  /// The answer, once its head is complete; its body is what ``received`` has then.
  private var response: HTTPResponse?

  init(_ offer: WebSocketOffer, url: String) {
    key = String(base64: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    (protocols, self.url) = (offer.protocols, url)
  }

  /// The bytes of the request.
  func request(to address: WebAddress, _ headers: [HTTPHeader]) -> [UInt8] {
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let isUsual = address.port == (address.scheme == "https" ? 443 : 80)
    let target = address.path + (address.query.map { "?" + $0 } ?? "")
    var fields = [
      ("Host", isUsual ? host : "\(host):\(address.port)"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"), ("User-Agent", Version.userAgent),
    ]
    if !protocols.isEmpty { fields.append(("Sec-WebSocket-Protocol", protocols.joined(separator: ", "))) }
    fields += headers.map { ($0.name, $0.value) }
    return Array(
      ("GET \(target) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n").utf8)
  }

  /// Whether the head of an answer is complete that is none of a WebSocket.
  var isRefused: Bool { response != nil }

  mutating func append(_ bytes: ByteView) throws(TransferError) -> Outcome {
    received.append(contentsOf: bytes)
    while response == nil {
      guard let end = Self.find(Self.headEnd, in: received) else {
        guard received.count <= Self.longestHead else {
          throw TransferError(.protocolError, "the head of the answer is larger than \(Self.longestHead) bytes")
        }
        return .needsMore
      }
      let answer = try Self.parse(received[..<(end + 2)], url: url)
      received.removeFirst(end + Self.headEnd.count)
      if answer.status == 101 {
        try check(answer)
        return .open(answer, rest: received)
      }
      if answer.status >= 200 { response = answer }
    }
    return isBodyWhole ? .refused(refusal()) : .needsMore
  }

  /// The server has closed the connection.
  mutating func end() throws(TransferError) -> HTTPResponse {
    guard response != nil else {
      throw TransferError(.lostConnection, "the connection ended inside the head")
    }
    return refusal()
  }

  // MARK: The answer

  private static func parse(_ head: ArraySlice<UInt8>, url: String) throws(TransferError) -> HTTPResponse {
    let lines = head.split(separator: UInt8(ascii: "\n"))
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8),
      let status = Int(String(decoding: words[1].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)),
      (100...999).contains(status)
    else { throw TransferError(.protocolError, "the answer is not HTTP/1.1") }
    var headers = HTTPHeaders()
    for line in lines.dropFirst() { Array(line).withUnsafeBytes { headers.append(line: $0) } }
    return HTTPResponse(status: status, headers: headers, url: url)
  }

  /// Any server that answers 101 for another reason, and any that answers what another request was about, is found out.
  private func check(_ answer: HTTPResponse) throws(TransferError) {
    func fault(_ text: String) -> TransferError {
      TransferError(.protocolError, "the server opens no WebSocket: \(text)")
    }
    guard answer.headers["upgrade"]?.lowercased() == "websocket" else { throw fault("it says 101 without 'Upgrade'") }
    let connection = answer.headers.values("connection").joined(separator: ",").lowercased().split(separator: ",")
    guard connection.contains(where: { $0.filter { $0 != " " && $0 != "\t" } == "upgrade" }) else {
      throw fault("it says 101 without 'Connection: Upgrade'")
    }
    guard answer.headers["sec-websocket-accept"] == Self.accept(key) else {
      throw fault("its 'Sec-WebSocket-Accept' is not the answer to this request")
    }
    guard answer.headers["sec-websocket-extensions"] == nil else { throw fault("it uses extensions nobody offered") }
    if let chosen = answer.headers["sec-websocket-protocol"], !protocols.contains(chosen) {
      throw fault("it chose a subprotocol nobody offered")
    }
  }

  /// §4.2.2: the key, with a text that no other protocol has, hashed.
  static func accept(_ key: String) -> String {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_Digest(text, text.count, &hash, &count, EVP_sha1(), nil) == 1 else { return "" }
    return String(base64: Array(hash.prefix(Int(count))))
  }

  // MARK: The body of a refusal

  private var isChunked: Bool {
    response?.headers["transfer-encoding"]?.lowercased().hasSuffix("chunked") == true
  }

  private var isBodyWhole: Bool {
    if received.count > Self.longestBody || response?.status == 204 || response?.status == 304 { return true }
    if isChunked { return Self.dechunked(received[...]).isWhole }
    return response?.headers.integer("content-length").map { received.count >= $0 } ?? false
  }

  private func refusal() -> HTTPResponse {
    var answer = response ?? HTTPResponse(status: 0, url: url)
    answer.truncated = received.count > Self.longestBody
    answer.body = Array((isChunked ? Self.dechunked(received[...]).body : received).prefix(Self.longestBody))
    if let length = answer.headers.integer("content-length"), !isChunked {
      answer.body = Array(answer.body.prefix(max(0, length)))
    }
    answer.retryAfter = answer.headers["retry-after"].flatMap { Self.seconds($0) }
    return answer
  }

  /// `Retry-After` in seconds, or as a date.
  private static func seconds(_ text: String) -> Int? {
    if let seconds = Int(text) { return seconds > 0 ? seconds : nil }
    let time = curl_getdate(text, nil)
    let left = Int(time) - Int(Timestamp.now.milliseconds / 1000)
    return time > 0 && left > 0 ? left : nil
  }

  /// RFC 9112 §7.1. Trailer fields are of no use here.
  private static func dechunked(_ bytes: ArraySlice<UInt8>) -> (body: [UInt8], isWhole: Bool) {
    var (rest, body) = (bytes, [UInt8]())
    while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let digits = rest[..<feed].prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\r") }
      let text = String(decoding: digits, as: UTF8.self).filter { $0 != " " }
      guard let count = Int(text, radix: 16), count >= 0 else { return (body, true) }
      rest = rest[(feed + 1)...]
      if count == 0 { return (body, true) }
      body += rest.prefix(count)
      guard rest.count - count >= 2 else { return (body, false) }
      rest = rest.dropFirst(count + 2)
    }
    return (body, false)
  }

  private static func find(_ pattern: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= pattern.count else { return nil }
    return (0...(bytes.count - pattern.count)).first { bytes[$0...].starts(with: pattern) }
  }
}
