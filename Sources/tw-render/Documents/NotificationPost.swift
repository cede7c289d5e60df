import TweetCore
import TweetDisplay

/// A notification as a post, for formats in which all is a post: its author is who did something, and its text says
/// what.
enum NotificationPost {
  /// Columns of the text.
  private static let widest = 300

  /// A `tweet` record of that post.
  static func document(_ notification: JSONValue, _ locale: ReaderLocale) -> JSONDocument? {
    var text = ByteBuffer(capacity: 256)
    NotificationFields(notification).append(locale, most: widest, to: &text)
    var post = ByteBuffer(capacity: 1024)
    let tweet = notification["tweet"]
    let service = notification["service"].flatMap { $0.isString ? $0 : nil }
    post.record("tweet") { post in
      post.string("id") { post in
        post.append("notification/")
        if let account = notification["account"], account.isString { post.append(account.rawString) }
        post.append("/")
        if let id = notification["id"], id.isString { post.append(id.rawString) }
      }
      // A notification has no page of its own, so no address may be made of its id.
      let url = tweet?["url"]
      post.string("service") { post in
        if url == nil { post.append("notification:") }
        if let service { post.append(service.rawString) }
      }
      post.copy("url", url)
      post.copy("created_at", notification["at"])
      post.string("text") { post in text.withBytes { post.appendJSONEscaped($0) } }
      post.copy("author_id", notification["user"]?["id"])
      post.copy("author", notification["user"])
    }
    // A record that was read is JSON, and so is what is made of it.
    return try? JSONDocument(post.array)
  }
}

/// A format in which all is a post.
protocol PostFormat: DocumentFormat, ~Copyable {}

extension PostFormat where Self: ~Copyable {
  static var showsNotifications: Bool { true }

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    guard kind == .notification, let post = NotificationPost.document(record, ReaderLocale(nil)) else { return }
    post.read { append($0, to: &output) }
  }
}

extension ByteBuffer {
  fileprivate mutating func copy(_ name: StaticString, _ value: JSONValue?) {
    guard let value else { return }
    key(name)
    append(value)
  }
}
