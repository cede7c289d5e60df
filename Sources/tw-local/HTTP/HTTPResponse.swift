import Libc
import TweetCore

/// What goes back to a client: a whole body, or pieces as they come.
struct HTTPResponse: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Sent chunked, each piece in a chunk of its own, until the feed ends or the client leaves.
    case feed(StreamFeed)
  }

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: Body = .bytes([])

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

  /// The status line and the headers, the empty line included.
  /// - Parameter closing: says `connection: close`.
  func head(closing: Bool) -> [UInt8] {
    var text = ByteBuffer(capacity: 512)
    text.append("HTTP/1.1 \(status) \(Self.phrase(status))\r\n")
    text.append("date: \(httpDate(Timestamp.now.milliseconds / 1000))\r\nserver: tw-local/\(Version.number)\r\n")
    for header in headers {
      text.append("\(header.name): \(header.value)\r\n")
    }
    switch body {
    // RFC 9110 §8.6: a 304 either names the length of what it stands for or none.
    case .bytes(let bytes) where status != 304: text.append("content-length: \(bytes.count)\r\n")
    case .bytes: break
    case .feed: text.append("transfer-encoding: chunked\r\n")
    }
    if closing { text.append("connection: close\r\n") }
    text.append("\r\n")
    return text.array
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    default: "Status \(status)"
    }
  }
}

/// Seconds since 1970 as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
func httpDate(_ seconds: Int64) -> String {
  var time = time_t(seconds)
  var parts = tm()
  gmtime_r(&time, &parts)
  let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
  let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
  return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
}
