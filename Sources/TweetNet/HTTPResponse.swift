import TweetCore

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

  /// Puts `(hidden)` in the place of a secret.
  mutating func hide(_ secret: Secret) {
    body = secret.hidden(in: body)
    headers.hide(secret)
  }

  /// Whether the status is 2xx.
  package var isSuccess: Bool { (200...299).contains(status) }

  /// Whether it is a page for people. Networks with a sign-in page, and proxies in trouble, send one in place of a
  /// service's answer.
  package var isWebPage: Bool { headers["content-type"]?.lowercased().hasPrefix("text/html") ?? false }
}

/// Header fields in the order received. Names compare without regard to case.
package struct HTTPHeaders: Sendable, Equatable {
  package private(set) var fields: [HTTPHeader] = []

  package init(_ fields: [HTTPHeader] = []) { self.fields = fields }

  /// The first field of that name.
  package subscript(_ name: String) -> String? {
    let wanted = name.lowercased()
    return fields.first { $0.name.lowercased() == wanted }?.value
  }

  /// The value of a field that holds a whole number, as rate limit headers do.
  package func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// Replaces a credential in the values.
  mutating func hide(_ secret: Secret) {
    fields = fields.map { field in
      HTTPHeader(field.name, String(decoding: secret.hidden(in: Array(field.value.utf8)), as: UTF8.self))
    }
  }

  mutating func append(_ field: HTTPHeader) { fields.append(field) }
}

extension HTTPHeader {
  /// Parses a field as it stands in an answer, without its line end. `nil` when there is no colon.
  init?(line: Slice<UnsafeRawBufferPointer>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    self.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
  }
}
