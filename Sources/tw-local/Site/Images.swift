import TweetCore

/// Profile pictures, drawn anew for each request: the same account always gets the same bytes.
enum Portraits {
  /// X's sizes in pixels by the ending of the name; without one it is the original.
  private static let sizes = ["_normal": 48, "_bigger": 73, "_mini": 24, "_400x400": 400]
  private static let original = 400

  /// The picture's path on this service.
  static func path(of account: Account, size: String) -> String {
    "/profile_images/\(account.id)/\(account.username)\(size).\(account.pictureFormat)"
  }

  static func answer(_ request: HTTPRequest, file: String, of account: Account) -> HTTPResponse {
    let known = [("", original)] + sizes.map { ($0.key, $0.value) }
    let match = known.first { path(of: account, size: $0.0).hasSuffix("/" + file) }
    guard let match else { return Page.notFound }
    let picture = Raster.portrait(seed: fingerprint(account.username.utf8), size: match.1)
    let isPNG = account.pictureFormat == "png"
    return Images.answer(
      request, type: isPNG ? "image/png" : "image/jpeg",
      bytes: isPNG ? PNGEncoder.encode(picture) : JPEGEncoder.encode(picture), changed: account.createdAt)
  }
}

/// Photos attached to posts.
enum Photos {
  static let width = 320
  static let height = 180
  /// The photos there are, with what a person who cannot see them is told.
  private static let known = [
    "harbour": "Low hills behind a harbour at dusk, the sun just above them",
    "allotment": "A green slope of allotments under a pale morning sky",
    "night-train": "Dark hills from the window of a train, the last light above",
  ]
  /// When the drawing last changed: 2026-01-01.
  private static let changed = Timestamp(milliseconds: 1_767_225_600_000)

  static func describe(_ name: String) -> String { known[name] ?? "" }

  static func answer(_ request: HTTPRequest, file: String) -> HTTPResponse {
    let name = String(file.dropLast(4))
    guard file.hasSuffix(".jpg"), known[name] != nil else { return Page.notFound }
    let picture = Raster.landscape(seed: fingerprint(name.utf8), width: width, height: height)
    return Images.answer(request, type: "image/jpeg", bytes: JPEGEncoder.encode(picture), changed: changed)
  }
}

/// Answers with a picture, or with 304 where the client has it.
private enum Images {
  static func answer(_ request: HTTPRequest, type: String, bytes: [UInt8], changed: Timestamp) -> HTTPResponse {
    let tag = "\"\(String(fingerprint(bytes), radix: 16))\""
    let modified = httpDate(changed.milliseconds / 1000)
    let headers = [
      ("etag", tag), ("last-modified", modified), ("cache-control", "max-age=604800, must-revalidate"),
    ].map { (name: $0.0, value: $0.1) }
    // RFC 9110 §13.1.3: the date counts only where no tag was sent.
    let isKnown =
      if let tags = request.headers["if-none-match"] {
        tags == "*" || tags.split(separator: ",").contains { $0.contains(tag) }
      } else {
        request.headers["if-modified-since"] == modified
      }
    if isKnown { return HTTPResponse(status: 304, headers: headers) }
    var response = HTTPResponse(status: 200, type: type, body: bytes)
    response.headers += headers
    return response
  }
}
