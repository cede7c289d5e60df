/// A whole answer, or its beginning where it was cut at `HTTPRequest.maxBody`.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8] = []
  /// The URL that answered, as libcurl normalised it. Redirects are not followed, so it is the request's.
  package var url: String
  /// The body went on beyond `maxBody`.
  package var truncated = false
  /// Seconds the server asks to wait (`Retry-After`, either form).
  package var retryAfter: Int?

  package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], url: String) {
    self.status = status
    self.headers = headers
    self.body = body
    self.url = url
  }

  /// The status is 2xx.
  package var isSuccess: Bool { (200...299).contains(status) }

  /// It is meant for a person's eyes: what networks with a sign-in page, and proxies in trouble, answer in a service's
  /// place.
  package var isWebPage: Bool { headers["content-type"]?.lowercased().hasPrefix("text/html") ?? false }
}

/// Header fields in the order received; names compare without regard to case.
package struct HTTPHeaders: Sendable, Equatable {
  package private(set) var fields: [HTTPHeader] = []

  package init(_ fields: [HTTPHeader] = []) { self.fields = fields }

  /// The first field of that name.
  package subscript(_ name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }

  /// A field that holds a whole number, as the rate limit headers do.
  package func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  mutating func append(_ field: HTTPHeader) { fields.append(field) }
}

extension HTTPHeader {
  /// A field as it stands in an answer, without its line end; `nil` when there is no colon.
  init?(line: Slice<UnsafeRawBufferPointer>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
  }
}
