import Services
import TweetCore

/// Where a post stands in a list of Bluesky's AppView, and how new it is there.
///
/// Lists are in the order of the time that an author's program gives a post, and for one of the future of the time when
/// the AppView took note of it: the lower of `createdAt` and `indexedAt`. Keys of records mostly tell the same. But
/// programs choose them too, and nobody checks them. One post with a key of the far future would hide all that come
/// after it, and one with an old key would end a round before its end. So a key counts only as far as the AppView's own
/// time allows.
struct BlueskyPlace {
  /// The AppView's time; `nil` if it does not say.
  private var indexed: Timestamp?
  private var created: Timestamp?

  init() {}

  /// - Parameter post: a view of a post, or a notification.
  init(_ post: JSONValue) {
    indexed = Self.time(post["indexedAt"])
    created = Self.time(post["record"]?["createdAt"])
  }

  init(repost reason: JSONValue) { indexed = Self.time(reason["indexedAt"]) }

  /// The same in a search, which is in the order in which the AppView took note of posts.
  var inSearch: BlueskyPlace {
    var place = self
    place.created = nil
    return place
  }

  private static func time(_ value: JSONValue?) -> Timestamp? { value?.string.flatMap { Timestamp(parsing: $0) } }

  /// The time that has its place in a list.
  private var sorted: Timestamp? {
    guard let indexed else { return nil }
    return created.map { min($0, indexed) } ?? indexed
  }

  /// The id with the order by which what is new is told: its own, or, if its key is of a time when the post cannot have
  /// come, that of the AppView's.
  func rank(_ id: PostID) -> PostID {
    guard case .text(let text, let key) = id, let time = bound(key) else { return id }
    return .text(text, order: TimeKey.first(at: time))
  }

  /// The id from which the next round goes on. A key has no order of its own to be kept, so it is replaced by one that
  /// is just above it.
  func newest(_ id: PostID) -> PostID {
    guard case .text(_, let key) = id, let time = bound(key) else { return id }
    return BlueskyService.postID(TimeKey.key(at: time, number: 1))
  }

  /// The id down to which a list has been read; `nil` if neither its key nor the AppView tells it.
  func oldest(_ id: PostID) -> PostID? {
    guard case .text(_, let key) = id else { return nil }
    guard let sorted else { return key == nil ? nil : id }
    guard let key, let made = TimeKey.time(of: key), abs(made.milliseconds - sorted.milliseconds) < Self.near else {
      return BlueskyService.postID(TimeKey.first(at: sorted))
    }
    return id
  }

  /// Milliseconds between the time in a key and that of its place in which they are taken for one.
  private static let near: Int64 = 60_000

  /// The time to use in place of a key's; `nil` if that can be right: not before the post's place in the lists, and not
  /// after the AppView has seen it.
  private func bound(_ key: String?) -> Timestamp? {
    guard let indexed, let sorted else { return nil }
    guard let key, let made = TimeKey.time(of: key) else { return sorted }
    return made > indexed ? indexed : made < Timestamp(milliseconds: sorted.milliseconds - Self.near) ? sorted : nil
  }
}
