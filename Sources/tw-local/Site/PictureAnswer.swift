import TweetCore

/// Answers with a picture, or with 304 where the client has it.
enum PictureAnswer {
  /// - Parameter type: what the bytes are, which browsers must not guess: a user has chosen them.
  static func answer(
    _ request: ServerRequest, _ bytes: [UInt8], type: String, changed: Timestamp
  ) -> ServerResponse {
    let tag = "\"\(String(fingerprint(bytes), radix: 16))\""
    let modified = httpDate(changed)
    let headers = [
      (name: "etag", value: tag), (name: "last-modified", value: modified),
      (name: "cache-control", value: "max-age=604800, must-revalidate"),
      (name: "x-content-type-options", value: "nosniff"),
    ]
    // RFC 9110 §13.1.3: the date counts only where no tag was sent.
    let isKnown =
      if let tags = request.headers["if-none-match"] {
        tags == "*" || tags.split(separator: ",").contains { $0.contains(tag) }
      } else {
        request.headers["if-modified-since"] == modified
      }
    if isKnown { return ServerResponse(status: 304, headers: headers) }
    var response = ServerResponse(status: 200, type: type, body: bytes)
    response.headers += headers
    return response
  }
}
