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
