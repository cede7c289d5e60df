import TweetCore

/// A request as it was received: its head parsed, its body complete.
struct ServerRequest: Sendable {
  /// As sent, upper case by convention: `GET`.
  let method: String
  /// The path as it was sent, without the query.
  let rawPath: String
  /// The parts of the path between slashes, percent-decoded: `["2", "tweets"]`.
  let path: [String]
  /// The pairs of the query in order, percent-decoded, `+` read as a space.
  private(set) var parameters: [(name: String, value: String)]
  /// By lower-case name; a repeated header has its last value.
  var headers: [String: String]
  var body: [UInt8] = []
  /// Whether the client expects the connection to stay open (RFC 9112 §9.3).
  let keepsAlive: Bool
  /// The IP address that it came from.
  var address = ""

  /// The first value of a parameter.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }
}

/// Why a request cannot be read. The client gets the status, and the connection is closed.
enum RequestFault: Error {
  case badRequest
  case headTooLarge
  case bodyTooLarge
  /// Too many large bodies are being read.
  case busy
  /// The request has a body of undeclared length: this service does not read chunked bodies.
  case lengthRequired

  var status: Int {
    switch self {
    case .badRequest: 400
    case .headTooLarge: 431
    case .bodyTooLarge: 413
    case .busy: 503
    case .lengthRequired: 411
    }
  }
}

extension ServerRequest {
  /// Most bytes of a request line and its headers together.
  static let maxHead = 16 << 10
  /// Most bytes of a body. The largest that the kit sends, a set of rules, is far smaller.
  static let maxBody = 256 << 10
  /// The same for the addresses that pictures are sent to: 5 MiB, as base64 in JSON or in a form.
  static let maxUpload = 8 << 20

  private var maxLength: Int {
    let isUpload =
      path.starts(with: ["2", "media", "upload"]) || path == ["xrpc", "com.atproto.repo.uploadBlob"]
      || path.count == 3 && path[0] == "api" && path[2] == "media" || path == ["1.1", "media", "upload.json"]
      || path == ["1.1", "account", "update_profile_image.json"]
    return isUpload ? Self.maxUpload : Self.maxBody
  }

  /// Parses a head, without the empty line that ends it. Checks the declared length of the body, but reads no body.
  init(head: [UInt8]) throws(RequestFault) {
    guard Self.hasNoControls(head), let text = String(validating: head, as: UTF8.self) else { throw .badRequest }
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
    let parts = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy(\.isOfHTTPToken), parts[1].hasPrefix("/"),
      !parts[1].contains("\t"), parts[2] == "HTTP/1.1" || parts[2] == "HTTP/1.0"
    else { throw .badRequest }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .badRequest }
      guard colon > line.startIndex, line[..<colon].utf8.allSatisfy(\.isOfHTTPToken) else { throw .badRequest }
      let name = line[..<colon].lowercased()
      // Two of these are two opinions about whom a request is for, or where it ends (RFC 9112 §3.2, §6.3).
      guard headers[name] == nil || !["host", "content-length"].contains(name) else { throw .badRequest }
      headers[name] = trimmed(line[line.utf8.index(after: colon)...])
    }
    guard headers["host"] != nil || parts[2] == "HTTP/1.0" else { throw .badRequest }
    let target = parts[1].split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let options = (headers["connection"] ?? "").lowercased().split(separator: ",").map { trimmed($0) }
    method = String(parts[0])
    rawPath = String(halves[0])
    path = halves[0].split(separator: "/").map { PercentEncoding.decode($0) }
    parameters = halves.count == 2 ? PercentEncoding.pairs(halves[1]) : []
    self.headers = headers
    keepsAlive = parts[2] == "HTTP/1.1" ? !options.contains("close") : options.contains("keep-alive")
    _ = try bodyLength()
  }

  /// Whether a head has no control character but tabs and ends of lines: CR LF, or LF alone (RFC 9110 §5.5).
  private static func hasNoControls(_ head: [UInt8]) -> Bool {
    head.indices.allSatisfy { index in
      switch head[index] {
      case 0x09, 0x0A, 0x20...0x7E, 0x80...: true
      case 0x0D: index + 1 < head.count && head[index + 1] == 0x0A
      default: false
      }
    }
  }

  /// How many bytes of body follow the head.
  func bodyLength() throws(RequestFault) -> Int {
    if headers["transfer-encoding"] != nil {
      throw headers["content-length"] == nil ? .lengthRequired : .badRequest
    }
    guard let text = headers["content-length"] else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else {
      throw .badRequest
    }
    guard let length = Int(text), length <= maxLength else { throw .bodyTooLarge }
    return length
  }

  /// The request with the pairs of its body, if that is a form, after those of its query.
  func addingFormParameters() -> ServerRequest {
    var request = self
    request.parameters += formParameters
    return request
  }

  /// The request with all that its body has after the pairs of its query: of a form, of one with files, or of JSON,
  /// whose members get the names that a form would give them: `poll[options][]`.
  func addingBodyParameters() -> ServerRequest {
    var request = addingFormParameters()
    if let form = MultipartForm(self) {
      request.parameters += form.parts.filter { $0.name != "file" }.map {
        ($0.name, String(decoding: $0.bytes, as: UTF8.self))
      }
    } else if headers["content-type"]?.lowercased().hasPrefix("application/json") == true,
      let document = try? JSONDocument(body), document.isObject
    {
      Self.append(document, name: "", depth: 0, to: &request.parameters)
    }
    return request
  }

  /// Levels of JSON that a form can say; what is below is left out.
  private static let deepest = 4

  private static func append(
    _ value: JSONDocument, name: String, depth: Int, to pairs: inout [(name: String, value: String)]
  ) {
    if value.isObject || value.isArray {
      guard depth < deepest else { return }
      for element in value.elements { append(element, name: name + "[]", depth: depth + 1, to: &pairs) }
      for (key, member) in value.members {
        let key = key.string ?? ""
        append(member, name: name.isEmpty ? key : "\(name)[\(key)]", depth: depth + 1, to: &pairs)
      }
    } else if value.rawText != "null" {
      pairs.append((name, value.string ?? value.rawText))
    }
  }

  /// All values of a parameter.
  func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

  /// Most pairs of a form: all that are read cost time, whoever has sent them.
  private static let maxPairs = 1000

  /// The pairs of the body, if that is a form.
  var formParameters: [(name: String, value: String)] {
    guard let type = headers["content-type"]?.lowercased(), type.hasPrefix("application/x-www-form-urlencoded"),
      body.count(where: { $0 == UInt8(ascii: "&") }) < Self.maxPairs
    else { return [] }
    return PercentEncoding.pairs(String(decoding: body, as: UTF8.self))
  }
}

private func trimmed(_ text: Substring) -> String {
  var text = text
  while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
  while let last = text.last, last == " " || last == "\t" { text.removeLast() }
  return String(text)
}
