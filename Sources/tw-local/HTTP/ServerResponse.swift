import Libc
import TweetCore

/// What a client gets: a complete body, or a stream.
struct ServerResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Sent chunked, each message in a chunk of its own, until the queue is finished or the client leaves.
    case stream(StreamQueue)
    /// The connection is a WebSocket from now on, which sends the frames of the queue.
    case webSocket(StreamQueue)
    /// The connection is closed and nothing is sent, not even a head.
    case nothing
    /// The same, but only when the client has left or has waited too long.
    case silence
    /// The head promises these bytes, and the connection is closed after the first half.
    case half([UInt8])
  }

  let status: Int
  var headers: [(name: String, value: String)]
  var body: Body

  init(status: Int, type: String, body: [UInt8]) {
    self.status = status
    headers = [("content-type", type)]
    self.body = .bytes(body)
  }

  init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer with a JSON value, as both versions of the API send it.
  init(status: Int = 200, json: JSON, headers: [(name: String, value: String)] = []) {
    self.init(status: status, type: Self.jsonType, body: json.bytes)
    self.headers += headers
  }

  /// The messages of a stream of the API.
  init(stream queue: StreamQueue) {
    self.init(status: 200, headers: [("content-type", Self.jsonType)], body: .stream(queue))
  }

  static let jsonType = "application/json; charset=utf-8"

  /// The status line and the headers, with the empty line after them.
  /// - Parameter closing: whether the connection is closed after this answer; then the head says so.
  func head(closing: Bool) -> [UInt8] {
    var text = ByteBuffer(capacity: 512)
    text.append("HTTP/1.1 \(status) \(Self.phrase(status))\r\n")
    text.append("date: \(httpDate(Timestamp.now))\r\nserver: tw-local/\(Version.number)\r\n")
    for header in headers {
      text.append("\(header.name): \(header.value)\r\n")
    }
    switch body {
    // RFC 9110 §8.6: a 304 has the length of the answer it stands for, or no length; a 204 has none.
    case .bytes(let bytes) where status != 304 && status != 204: text.append("content-length: \(bytes.count)\r\n")
    case .half(let bytes): text.append("content-length: \(bytes.count)\r\n")
    case .bytes, .nothing, .silence, .webSocket: break
    case .stream: text.append("transfer-encoding: chunked\r\n")
    }
    if closing { text.append("connection: close\r\n") }
    text.append("\r\n")
    return text.array
  }

  /// The phrase that goes with a status (RFC 9110 §15).
  static func phrase(_ status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 402: "Payment Required"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 410: "Gone"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 421: "Misdirected Request"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Status \(status)"
    }
  }
}

/// A time in HTTP's form, to the second: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
func httpDate(_ time: Timestamp) -> String {
  var seconds = time_t(time.milliseconds / 1000)
  var parts = tm()
  gmtime_r(&seconds, &parts)
  let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  func twoDigits(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
  let date =
    "\(days[Int(parts.tm_wday)]), \(twoDigits(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
  return "\(date) \(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):\(twoDigits(parts.tm_sec)) GMT"
}
