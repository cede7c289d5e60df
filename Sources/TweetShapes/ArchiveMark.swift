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
  ///
  /// - Parameter owner: the address of whose activity it is; `nil` for the export's owner.
  func mapOutbox(
    marked address: JSONValue, _ mark: ArchiveMark, by owner: String? = nil, into out: inout ByteBuffer
  ) -> String? {
    guard address.isString, !address.isBlank else { return "\(mark.article) without an address" }
    out.notice("info", mark.code, mark.message, service: service(ofActor: owner ?? state.outboxOwner?.uri)) { out in
      out.member("url", address)
    }
    return nil
  }

  /// The service of an actor's server.
  func service(ofActor uri: String?) -> [UInt8] {
    guard !context.isGiven, let uri else { return context.service }
    return Array("mastodon:\(ActivityAddress(uri).host)".utf8)
  }
}
