import TweetCore

/// What the owner of an archive did to the posts of others that a file of it lists.
enum ArchiveMark: String, Equatable, Sendable {
  case likes, bookmarks

  /// The one whose file in Mastodon's export has that name: its posts are addresses, which say nothing of it.
  init?(file: String) {
    switch file {
    case "likes.json": self = .likes
    case "bookmarks.json": self = .bookmarks
    default: return nil
    }
  }

  /// Of its notices.
  var code: String { self == .likes ? "like" : "bookmark" }
  var message: String { self == .likes ? "a post was liked" : "a post was bookmarked" }
  /// In `viewer` of a tweet.
  var viewerKey: StaticString { self == .likes ? "liked" : "bookmarked" }
  var article: String { self == .likes ? "a like" : "a bookmark" }
}

extension TweetMapper {
  /// Begins a file.
  ///
  /// - Parameter path: its path, or its name in an archive.
  package mutating func beginFile(_ path: String) {
    state.context.isGiven = false
    let file = path.split(separator: "/").last ?? ""
    state.mark = ArchiveMark(file: String(file))
    state.companion.begin(file)
    companion = nil
  }

  /// Appends a notice about a post that the owner of a Mastodon export has liked or bookmarked: it has the address
  /// alone.
  func mapOutbox(marked address: JSONValue, _ mark: ArchiveMark, into out: inout ByteBuffer) -> String? {
    guard address.isString, !address.isBlank else { return "\(mark.article) without an address" }
    let own = state.outboxOwner.map { "mastodon:" + ActivityAddress($0.uri).host }
    out.notice("info", mark.code, mark.message, service: own.map { Array($0.utf8) } ?? context.service) { out in
      out.member("url", address)
    }
    return nil
  }
}
