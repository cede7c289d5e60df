import TweetCLI
import TweetCore
import TweetNet

/// The pictures that records name, and what is added to the records about them.
enum AvatarRecord {
  /// What a picture shows.
  enum Kind: String {
    case avatar
    case media

    /// No side of its thumbnail is longer.
    var side: Int { self == .avatar ? 128 : 512 }
  }

  /// A picture that a record names, by the object that names it.
  struct Named {
    let kind: Kind
    let object: JSONValue
    let url: String
    /// Whose picture it is, if it is an author's.
    var owner: Owner?

    /// Names its look-up.
    var key: String { Key(kind: kind, owner: owner, url: url).text }
  }

  /// Whose picture it is.
  struct Owner: Equatable {
    let service: String
    let id: String
  }

  /// What names a look-up: what is fetched also depends on what it shows, and on whose newest profile may be looked at.
  struct Key {
    let kind: Kind
    let owner: Owner?
    let url: String

    var text: String { "\(kind.rawValue) \(owner.map { "\($0.service)/\($0.id)" } ?? "-") \(url)" }
  }

  /// The parts of the key of a look-up.
  static func split(_ key: String) -> Key {
    // Its bytes: to split it into letters takes twenty times as long.
    let parts = Self.split(key, at: " ", 2)
    guard parts.count == 3 else { return Key(kind: .avatar, owner: nil, url: "") }
    let owner = Self.split(parts[1], at: "/", 1)
    return Key(
      kind: Kind(rawValue: parts[0]) ?? .avatar, owner: owner.count == 2 ? Owner(service: owner[0], id: owner[1]) : nil,
      url: parts[2])
  }

  private static func split(_ text: String, at separator: Unicode.Scalar, _ times: Int) -> [String] {
    text.utf8.split(separator: UInt8(ascii: separator), maxSplits: times, omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }

  /// The service of a record that names none.
  static let usualService = "x"

  /// This many levels of references are followed. tw-parse writes one level; other programs may write more.
  private static let maxDepth = 4

  /// The pictures of a tweet and of the tweets that it refers to, of a `user` record itself, or of a notification's
  /// user and tweet.
  /// - Parameter media: whether photos and previews of videos are among them, besides those of authors.
  static func pictures(in record: JSONValue, media: Bool) -> [Named] {
    let service = record["service"]?.string ?? usualService
    if record["tw"]?.equals("user") == true { return author(record, service) }
    if record["tw"]?.equals("notification") == true {
      return (record["user"].map { author($0, service) } ?? [])
        + (record["tweet"].map { pictures(ofTweet: $0, service, media: media, depth: 0) } ?? [])
    }
    guard record["tw"]?.equals("tweet") == true else { return [] }
    return pictures(ofTweet: record, service, media: media, depth: 0)
  }

  private static func pictures(ofTweet tweet: JSONValue, _ service: String, media: Bool, depth: Int) -> [Named] {
    var found = tweet["author"].map { author($0, service) } ?? []
    if media, let items = tweet["attachments"]?["media"], items.isArray {
      for item in items.elements { found += medium(item) }
    }
    if depth < maxDepth, let references = tweet["referenced_tweets"] {
      for reference in references.elements {
        found += pictures(ofTweet: reference, service, media: media, depth: depth + 1)
      }
    }
    return found
  }

  private static func author(_ object: JSONValue, _ service: String) -> [Named] {
    guard let url = object["profile_image_url"]?.nonEmptyString else { return [] }
    return [
      Named(kind: .avatar, object: object, url: WebAddress.withoutCredentials(url), owner: owner(object, service))
    ]
  }

  /// Ids and services have neither spaces nor slashes; whoever has is not looked for.
  private static func owner(_ object: JSONValue, _ service: String) -> Owner? {
    guard let id = object["id"]?.nonEmptyString, !(id + service).contains(where: { $0.isWhitespace || $0 == "/" })
    else { return nil }
    return Owner(service: service, id: id)
  }

  /// A photo's own address; of all else the preview's, since `url` is then the video.
  private static func medium(_ object: JSONValue) -> [Named] {
    let photo = object["type"]?.equals("photo") == true ? object["url"]?.nonEmptyString : nil
    let url = photo ?? object["preview_image_url"]?.nonEmptyString
    return url.map { [Named(kind: .media, object: object, url: WebAddress.withoutCredentials($0))] } ?? []
  }

  /// Appends the record with the keys `avatar` and `picture` that `answers` give. All else keeps its bytes.
  /// - Parameters:
  ///   - export: writes an author's picture to a file and gives the file's path; `nil` for no file.
  ///   - inline: the picture's small PNG, if it is to be in the record.
  static func append(
    _ record: JSONValue, media: Bool, _ answers: LiveAnswers<AvatarAnswer>, to buffer: inout ByteBuffer,
    export: (_ picture: Picture, _ author: JSONValue) throws(ToolError) -> String?,
    inline: (_ picture: Picture) throws(ToolError) -> [UInt8]?
  ) throws(ToolError) {
    var edits = RecordEdits()
    for named in pictures(in: record, media: media) {
      guard let result = answers[named.key]?.result else { continue }
      var file: String?
      var png: [UInt8]?
      if case .success(let picture) = result {
        if named.kind == .avatar { file = try export(picture, named.object) }
        png = try inline(picture)
      }
      edits.set(
        named.kind == .avatar ? "avatar" : "picture", in: named.object, to: json(result, file: file, png: png))
    }
    edits.apply(to: record, into: &buffer)
  }

  private static func json(_ result: PictureResult, file: String?, png: [UInt8]?) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    buffer.object { out in
      switch result {
      case .success(let picture):
        out.member("key", picture.key)
        out.member("type", picture.type)
        out.member("width", picture.width)
        out.member("height", picture.height)
        out.member("bytes", picture.bytes)
        out.member("fetched_at", picture.fetchedAt)
        out.member("error", picture.error)
        out.member("file", file)
        if let png {
          out.string("data") { out in
            out.append("data:image/png;base64,")
            out.append(base64: png)
          }
        }
      case .failure(.standardPicture): out.member("default", true)
      case .failure(let failure): out.member("error", failure.code)
      }
    }
    return buffer.array
  }
}
