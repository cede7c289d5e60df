import TweetCore

/// The authors of records, and the `avatar` key that is added to them.
enum AvatarRecord {
  /// So many levels of references are followed. tw-parse writes one level; other programs may write more.
  private static let maxDepth = 4

  /// The authors of a tweet and of the tweets that it refers to, or a `user` record itself, with the URLs of their
  /// pictures.
  static func authors(in record: JSONValue) -> [Author] {
    if record["tw"]?.equals("user") == true { return author(record) }
    guard record["tw"]?.equals("tweet") == true else { return [] }
    return authors(ofTweet: record, depth: 0)
  }

  typealias Author = (object: JSONValue, url: String)

  private static func authors(ofTweet tweet: JSONValue, depth: Int) -> [Author] {
    var found = tweet["author"].map(author) ?? []
    if depth < maxDepth, let references = tweet["referenced_tweets"] {
      for reference in references.elements { found += authors(ofTweet: reference, depth: depth + 1) }
    }
    return found
  }

  private static func author(_ object: JSONValue) -> [Author] {
    object["profile_image_url"]?.nonEmptyString.map { [(object, $0)] } ?? []
  }

  /// Appends the record with the `avatar` keys that `results`, by URL, give. All else keeps its bytes.
  /// - Parameter export: writes an author's picture to a file and gives the file's path; `nil` for no file.
  static func append(
    _ record: JSONValue, _ results: [String: PictureResult], to buffer: inout ByteBuffer,
    export: (_ picture: Picture, _ author: JSONValue) throws(ToolError) -> String?
  ) throws(ToolError) {
    var edits = RecordEdits()
    for (object, url) in authors(in: record) {
      guard let result = results[url] else { continue }
      var file: String?
      if case .success(let picture) = result { file = try export(picture, object) }
      edits.set("avatar", in: object, to: json(result, file: file))
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
