package import TweetCore

/// What labels say of a post, for which clients hide or mark it (docs.bsky.app, "Labels and moderation"): those of
/// moderators on the post and on its author, and the author's own.
package struct BlueskyMarks {
  /// Nobody is to see it.
  private(set) var isHidden = false
  /// Its author wants no readers without an account.
  private(set) var isForMembers = false
  /// A moderator warns of the post, or of its author.
  private(set) var warnsOfPost = false
  private(set) var warnsOfAuthor = false
  /// Its pictures, or all of its author's, are for adults or hard to bear.
  private(set) var isAdult = false

  /// - Parameters:
  ///   - view: what is around a record: a post view, a quoted post, an event.
  ///   - record: the post itself.
  init(_ view: JSONValue, author: JSONValue?, record: JSONValue?) {
    read(view["labels"], isAuthor: false)
    read(record?["labels"]?["values"], isAuthor: false)
    read(author?["labels"], isAuthor: true)
  }

  private mutating func read(_ labels: JSONValue?, isAuthor: Bool) {
    guard let labels, labels.isArray else { return }
    for label in labels.elements where label["neg"]?.bool != true {
      guard let value = label["val"] else { continue }
      if value.equals("!hide") {
        isHidden = true
      } else if value.equals("!no-unauthenticated") {
        isForMembers = true
      } else if value.equals("!warn") {
        if isAuthor { warnsOfAuthor = true } else { warnsOfPost = true }
      } else if Self.adult.contains(where: { value.equals($0) }) {
        isAdult = true
      }
    }
  }

  /// The labels for which Bluesky covers pictures (the global values of its moderation service).
  private static let adult: [StaticString] = ["porn", "sexual", "nudity", "graphic-media", "gore"]

  /// Whether it is not to be shown.
  func hides(toAnonymous isAnonymous: Bool) -> Bool { isHidden || isForMembers && isAnonymous }

  /// Whether a post, or an account, is not to be shown for what moderators say of it or of its author.
  /// - Parameter isAnonymous: whether the reader has no account.
  package static func hide(_ view: JSONValue, _ isAnonymous: Bool) -> Bool {
    Self(view, author: view["author"], record: nil).hides(toAnonymous: isAnonymous)
  }

  var isSensitive: Bool { isAdult || warnsOfPost || warnsOfAuthor }

  /// What stands before the post, as the words of a content warning.
  var warning: StaticString? {
    warnsOfPost ? "a moderator warns of this post" : warnsOfAuthor ? "a moderator warns of this account" : nil
  }
}

extension TweetMapper {
  /// Whether a post that stands within another document is not to be shown to its reader. Those that stand alone,
  /// tw-stream leaves out.
  func hides(_ view: JSONValue?) -> Bool {
    guard let view else { return false }
    return BlueskyMarks(view, author: view["author"], record: view["value"] ?? view["record"])
      .hides(toAnonymous: context.isAnonymous)
  }
}

/// A place in a thread or a list where a post is missing.
extension TweetMapper {
  /// Appends a notice of a post that the AppView does not show: it is gone, or one of its author and the reader has
  /// blocked the other.
  /// - Returns: whether the value is such a place.
  func appendBlueskyHole(_ view: JSONValue, to out: inout ByteBuffer) -> Bool {
    guard let uri = view["uri"], uri.isPostAddress, view["record"] == nil else { return false }
    let isBlocked = view["blocked"]?.bool == true
    guard isBlocked || view["notFound"]?.bool == true else { return false }
    let address = uri.string ?? ""
    let message =
      isBlocked
      ? "the post \(address) is not shown: of its author and the reader, one has blocked the other"
      : "the post \(address) is gone"
    out.notice("info", isBlocked ? "blocked" : "not-found", message, service: Array("bluesky".utf8)) { out in
      out.member("id", uri)
      out.member("user_id", view["author"]?["did"])
    }
    return true
  }
}
