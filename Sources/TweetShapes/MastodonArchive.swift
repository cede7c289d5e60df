import TweetCore

/// What mastodon-archive keeps of an account, as the API sent it: one object with the account and its lists.
extension TweetMapper {
  private static let lists: [(name: StaticString, feed: String)] = [
    ("statuses", ""), ("favourites", "likes"), ("bookmarks", "bookmarks"), ("mentions", "mentions"),
  ]

  /// Appends the account and the posts of its lists as record lines.
  mutating func mapArchive(_ archive: JSONValue, of account: JSONValue, into out: inout ByteBuffer) -> String? {
    shape = forced ?? .mastodon
    let given = state.context
    defer { state.context = given }
    // All posts have the ids of the account's server, whoever wrote them.
    if !given.isGiven, let own = FeedContext(archiveOf: account) { state.context = own }
    var reason = mapMastodon(account: account, into: &out)
    for (name, feed) in Self.lists {
      guard let list = archive[name], list.isArray else { continue }
      if !given.isGiven { state.context.setFeed(feed) }
      let fault = mapEach(of: list, into: &out) { mapper, post, out in
        post["account"] == nil ? "a status without an account" : mapper.mapSocial(post, into: &out)
      }
      reason = reason ?? fault
    }
    appendNotRead(of: archive, except: Self.lists.map(\.name), service: context.service, to: &out)
    return reason
  }
}
