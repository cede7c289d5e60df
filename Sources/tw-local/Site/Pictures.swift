import TweetCore

/// Profile pictures, drawn for each request: an account always gets the same bytes.
enum Portraits {
  /// X's sizes in pixels, by the end of the file's name. A name without one is the original.
  private static let sizes = ["": 400, "_normal": 48, "_bigger": 73, "_mini": 24, "_400x400": 400]

  /// - Parameter size: one of X's endings, or empty.
  static func path(of account: LocalAccount, size: String) -> String {
    let parts = (account.picture ?? "\(account.username).png").split(separator: ".")
    return "/profile_images/\(account.id)/\(parts[0])\(size).\(parts[1])"
  }

  /// Whether a file is the picture of an account in one of the sizes.
  static func isFile(_ file: String, of account: LocalAccount) -> Bool {
    sizes.keys.contains { path(of: account, size: $0) == "/profile_images/\(account.id)/\(file)" }
  }

  /// - Parameter file: the last part of the path.
  static func answer(_ request: ServerRequest, file: String, of account: LocalAccount) -> ServerResponse {
    let path = "/profile_images/\(account.id)/\(file)"
    guard let pixels = sizes.first(where: { Self.path(of: account, size: $0.key) == path })?.value else {
      return Page.notFound
    }
    let picture = Raster.portrait(seed: fingerprint(account.username.utf8), size: pixels)
    return PictureAnswer.answer(request, PNGEncoder.encode(picture), type: "image/png", changed: account.createdAt)
  }
}

/// The photos of posts, and what is shown in place of videos.
enum Photos {
  static let width = 320
  static let height = 180
  /// The names of the photos, with descriptions for people who cannot see them.
  private static let altTexts = [
    "harbour": "Low hills behind a harbour at dusk, the sun just above them",
    "allotment": "A green slope of allotments under a pale morning sky",
    "night-train": "Dark hills from the window of a train, the last light above",
  ]
  /// When the drawing last changed: 2026-01-01.
  private static let changed = Timestamp(milliseconds: 1_767_225_600_000)

  static func altText(of name: String) -> String { altTexts[name] ?? "" }

  static func path(of name: String) -> String { "/media/\(name).png" }

  /// The number of a photo in v1.1, which is part of its key in v2.
  static func mediaNumber(_ name: String) -> Int { Int(fingerprint(name.utf8) >> 2) }

  /// - Parameter file: the last part of the path.
  static func answer(_ request: ServerRequest, file: String) -> ServerResponse {
    guard let name = altTexts.keys.first(where: { path(of: $0) == "/media/\(file)" }) else { return Page.notFound }
    return landscape(request, seed: name)
  }

  static func answer(_ request: ServerRequest, previewOf video: LocalStore.Media) -> ServerResponse {
    landscape(request, seed: String(video.id))
  }

  private static func landscape(_ request: ServerRequest, seed: String) -> ServerResponse {
    let picture = Raster.landscape(seed: fingerprint(seed.utf8), width: width, height: height)
    return PictureAnswer.answer(request, PNGEncoder.encode(picture), type: "image/png", changed: changed)
  }
}

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
