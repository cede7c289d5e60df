package import TweetCore

/// The fields of a tweet record that are shown, found in one pass over its members.
///
/// The values are views into the record and valid as long as it is. A field that the record does not have, or has in
/// another form than tweet(5) says, is `nil`.
package struct TweetFields {
  package private(set) var id: JSONValue?
  package private(set) var service: JSONValue?
  private(set) var url: JSONValue?
  private(set) var createdAt: Timestamp?
  package private(set) var text: JSONValue?
  private(set) var author = AuthorFields()
  private(set) var metrics: JSONValue?
  private(set) var viewer: JSONValue?
  package private(set) var entities: JSONValue?
  private(set) var attachments: JSONValue?
  private(set) var replyToUser: JSONValue?
  private(set) var replyToUserID: JSONValue?
  private(set) var references: JSONValue?

  /// - Parameter tweet: a `tweet` record, or a tweet nested in one.
  package init(_ tweet: JSONValue) {
    for (key, value) in tweet.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "url": url = value.string(or: url)
      case "text": text = value.string(or: text)
      case "author": author = AuthorFields(value)
      case "viewer": viewer = value
      case "service": service = value.string(or: service)
      case "entities": entities = value
      case "created_at": createdAt = Timestamp(ascii: value.rawString)
      case "attachments": attachments = value
      case "public_metrics": metrics = value
      case "in_reply_to_user": replyToUser = value
      case "referenced_tweets": references = value
      case "in_reply_to_user_id": replyToUserID = value.string(or: replyToUserID)
      default: break
      }
    }
  }

  /// The first of its `referenced_tweets` of this type (`retweeted`, `quoted`, `replied_to`), with what is known of it.
  package func reference(_ type: StaticString) -> JSONValue? {
    references?.elements.first { $0["type"]?.equals(type) == true }
  }

  /// Its public counts.
  package var counts: TweetCounts { TweetCounts(metrics) }
}

/// The author of a tweet.
struct AuthorFields {
  private(set) var id: JSONValue?
  private(set) var name: JSONValue?
  private(set) var username: JSONValue?
  private(set) var isVerified = false

  init() {}

  init(_ author: JSONValue) {
    for (key, value) in author.members {
      switch Key(key) {
      case "id": id = value.string(or: id)
      case "name": name = value.string(or: name)
      case "username": username = value.string(or: username)
      case "verified": isVerified = value.bool ?? false
      default: break
      }
    }
  }

  /// What the author's colour is made of: the id, since it stays when the name changes.
  var colourKey: UnsafeBufferPointer<UInt8> {
    (id ?? username ?? name)?.rawString ?? UnsafeBufferPointer(start: nil, count: 0)
  }
}

/// The public counts of a tweet; 0 where a count is not known.
package struct TweetCounts: Hashable {
  private(set) var replies = 0
  private(set) var retweets = 0
  private(set) var quotes = 0
  private(set) var likes = 0

  /// - Parameter metrics: the value of `public_metrics`.
  init(_ metrics: JSONValue?) {
    guard let metrics else { return }
    for (key, value) in metrics.members {
      guard let count = value.looseInteger else { continue }
      switch Key(key) {
      case "reply_count": replies = count
      case "retweet_count": retweets = count
      case "quote_count": quotes = count
      case "like_count": likes = count
      default: break
      }
    }
  }
}

/// A member's name, to be compared with literals in a `switch`. Records write these names without escapes.
private struct Key {
  private let bytes: UnsafeBufferPointer<UInt8>

  @inline(__always)
  init(_ key: JSONValue) { bytes = key.rawString }

  @inline(__always)
  static func ~= (literal: StaticString, key: Key) -> Bool {
    guard key.bytes.count == literal.utf8CodeUnitCount else { return false }
    for index in key.bytes.indices where key.bytes[index] != literal.utf8Start[index] { return false }
    return true
  }
}

extension JSONValue {
  /// Itself if it is a string, else `other`.
  @inline(__always)
  fileprivate func string(or other: JSONValue?) -> JSONValue? {
    isString ? self : other
  }
}
