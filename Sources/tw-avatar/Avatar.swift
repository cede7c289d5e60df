import TweetCore

/// A profile picture that is in the store: the facts that records carry.
struct Picture: Equatable, Sendable {
  /// `ContentKey` of its bytes.
  var key: String
  /// `image/png` and so on, by the bytes.
  var type: String
  var width: Int
  var height: Int
  /// How many.
  var bytes: Int
  /// When the server last gave it, or said that it is still the same. `nil` where it failed to since.
  var fetchedAt: Timestamp?
}

/// Why there is no picture.
struct PictureFailure: Error, Equatable, Sendable {
  /// What the record says: `http 404`, `timeout`, `too-large`, …
  let code: String
  /// Of the answer, where one came.
  let status: Int?

  static let tooLarge = PictureFailure("too-large")
  static let notAPicture = PictureFailure("not-a-picture")
  static let tooManyRedirects = PictureFailure("too-many-redirects")
  static let badURL = PictureFailure("bad-url")
  static let privateAddress = PictureFailure("private-address")

  init(_ code: String, status: Int? = nil) {
    self.code = code
    self.status = status
  }

  /// - Parameter status: of an answer without a picture.
  init(status: Int) { self.init("http \(status)", status: status) }

  /// Whether it is an answer about the picture, and not just about this moment. Too many requests, and failures of the
  /// server, may pass.
  var isFinal: Bool {
    if let status { return (400..<500).contains(status) && status != 408 && status != 429 }
    return [.tooLarge, .notAPicture, .tooManyRedirects, .badURL].contains(self)
  }
}

/// What is known about the picture an author names.
typealias Avatar = Result<Picture, PictureFailure>

/// Where authors stand in records, and what is written beside them.
enum AvatarRecord {
  /// References are one level deep in what tw-parse writes; deeper ones of other writers are followed so far.
  private static let maxDepth = 4

  /// The authors of a tweet and of those it refers to, or a `user` record itself, with the URL of the picture.
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

  /// Writes the record with what `avatars` say, by URL; all else keeps its bytes.
  static func append(_ record: JSONValue, _ avatars: [String: Avatar], to buffer: inout ByteBuffer) {
    var edits = RecordEdits()
    for (object, url) in authors(in: record) {
      if let avatar = avatars[url] { edits.set("avatar", in: object, to: json(avatar)) }
    }
    edits.apply(to: record, into: &buffer)
  }

  private static func json(_ avatar: Avatar) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    switch avatar {
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
