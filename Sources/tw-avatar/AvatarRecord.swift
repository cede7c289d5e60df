import TweetCore

/// The authors of records, and the `avatar` key that is added to them.
enum AvatarRecord {
  /// So many levels of references are followed. tw-parse writes one level; other programs may write more.
  private static let maxDepth = 4

  /// The authors of a tweet and of the tweets that it refers to, or a `user` record itself, with the URLs of their
  /// pictures.
  static func authors(in record: JSONValue) -> [(object: JSONValue, url: String)] {
    if record["tw"]?.equals("user") == true { return author(record) }
    guard record["tw"]?.equals("tweet") == true else { return [] }
    return authors(ofTweet: record, depth: 0)
  }

  private static func authors(ofTweet tweet: JSONValue, depth: Int) -> [(object: JSONValue, url: String)] {
    var found = tweet["author"].map(author) ?? []
    if depth < maxDepth, let references = tweet["referenced_tweets"] {
      for reference in references.elements { found += authors(ofTweet: reference, depth: depth + 1) }
    }
    return found
  }

  private static func author(_ object: JSONValue) -> [(object: JSONValue, url: String)] {
    object["profile_image_url"]?.nonEmptyString.map { [(object, $0)] } ?? []
  }

  /// Appends the record with the `avatar` keys that `results`, by URL, give. All else keeps its bytes.
  static func append(_ record: JSONValue, _ results: [String: PictureResult], to buffer: inout ByteBuffer) {
    var edits = RecordEdits()
    for (object, url) in authors(in: record) {
      if let result = results[url] { edits.set("avatar", in: object, to: json(result)) }
    }
    edits.apply(to: record, into: &buffer)
  }

  private static func json(_ result: PictureResult) -> [UInt8] {
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
    case .failure(let failure):
      buffer.append("{\"error\":")
      buffer.appendJSONString(failure.code)
    }
    buffer.append("}")
    return buffer.array
  }
}
