import TweetCore

/// The pictures that records name, and what is added to the records about them.
enum AvatarRecord {
  /// What a picture shows.
  enum Kind: String {
    case avatar
    case media

    /// No side of its thumbnail is longer.
    var side: Int { self == .avatar ? 128 : DecoderProcess.longestSide }
  }

  /// A picture that a record names, by the object that names it.
  struct Named {
    let kind: Kind
    let object: JSONValue
    let url: String

    /// Names its look-up: what is fetched also depends on what it shows.
    var key: String { "\(kind.rawValue) \(url)" }
  }

  /// The kind and the URL in the key of a look-up.
  static func split(_ key: String) -> (kind: Kind, url: String) {
    let parts = key.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    return (Kind(rawValue: String(parts[0])) ?? .avatar, parts.count == 2 ? String(parts[1]) : "")
  }

  /// So many levels of references are followed. tw-parse writes one level; other programs may write more.
  private static let maxDepth = 4

  /// The pictures of a tweet and of the tweets that it refers to, or of a `user` record itself.
  /// - Parameter media: whether photos and previews of videos are among them, besides those of authors.
  static func pictures(in record: JSONValue, media: Bool) -> [Named] {
    if record["tw"]?.equals("user") == true { return author(record) }
    guard record["tw"]?.equals("tweet") == true else { return [] }
    return pictures(ofTweet: record, media: media, depth: 0)
  }

  private static func pictures(ofTweet tweet: JSONValue, media: Bool, depth: Int) -> [Named] {
    var found = tweet["author"].map(author) ?? []
    if media, let items = tweet["attachments"]?["media"], items.isArray {
      for item in items.elements { found += medium(item) }
    }
    if depth < maxDepth, let references = tweet["referenced_tweets"] {
      for reference in references.elements {
        found += pictures(ofTweet: reference, media: media, depth: depth + 1)
      }
    }
    return found
  }

  private static func author(_ object: JSONValue) -> [Named] {
    object["profile_image_url"]?.nonEmptyString.map { [Named(kind: .avatar, object: object, url: $0)] } ?? []
  }

  /// A photo's own address; of all else the preview's, since `url` is then the video.
  private static func medium(_ object: JSONValue) -> [Named] {
    let photo = object["type"]?.equals("photo") == true ? object["url"]?.nonEmptyString : nil
    let url = photo ?? object["preview_image_url"]?.nonEmptyString
    return url.map { [Named(kind: .media, object: object, url: $0)] } ?? []
  }

  /// Appends the record with the keys `avatar` and `picture` that `results`, by key, give. All else keeps its bytes.
  /// - Parameter export: writes an author's picture to a file and gives the file's path; `nil` for no file.
  static func append(
    _ record: JSONValue, media: Bool, _ results: [String: PictureResult], to buffer: inout ByteBuffer,
    export: (_ picture: Picture, _ author: JSONValue) throws(ToolError) -> String?
  ) throws(ToolError) {
    var edits = RecordEdits()
    for named in pictures(in: record, media: media) {
      guard let result = results[named.key] else { continue }
      switch named.kind {
      case .avatar:
        var file: String?
        if case .success(let picture) = result { file = try export(picture, named.object) }
        edits.set("avatar", in: named.object, to: json(result, file: file))
      case .media:
        edits.set("picture", in: named.object, to: json(result, file: nil))
      }
    }
    edits.apply(to: record, into: &buffer)
  }

  private static func json(_ result: PictureResult, file: String?) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    switch result {
    case .success(let picture):
      buffer.append("{\"key\":")
      buffer.appendJSONString(picture.key)
      buffer.append(",\"type\":")
      buffer.appendJSONString(picture.type)
      buffer.append(",\"width\":")
      buffer.append(decimal: picture.width)
      buffer.append(",\"height\":")
      buffer.append(decimal: picture.height)
      buffer.append(",\"bytes\":")
      buffer.append(decimal: picture.bytes)
      if let time = picture.fetchedAt {
        buffer.append(",\"fetched_at\":")
        buffer.appendJSONString(time.rfc3339)
      }
      if let error = picture.error {
        buffer.append(",\"error\":")
        buffer.appendJSONString(error)
      }
      if let file {
        buffer.append(",\"file\":")
        buffer.appendJSONString(file)
      }
    case .failure(let failure):
      buffer.append("{\"error\":")
      buffer.appendJSONString(failure.code)
    }
    buffer.append("}")
    return buffer.array
  }
}
