package import TweetCore

/// Posts that are known only because somebody liked or bookmarked them, which is nobody else's business.
extension JSONValue {
  /// Whether a tweet came only by a mark: of its feeds one is a list of marks, and none says more; or it has no feed,
  /// and an account has marked it. The accounts' own tweets are theirs whoever likes them.
  package var isOnlyMarked: Bool {
    var viewer: JSONValue?
    var viewers: JSONValue?
    var feeds: JSONValue?
    var author: JSONValue?
    for (key, value) in members {
      if key.spells("viewer") {
        viewer = value
      } else if key.spells("viewers") {
        viewers = value
      } else if key.spells("feeds") {
        feeds = value
      } else if key.spells("author") {
        author = value
      }
    }
    if viewer == nil, viewers == nil, feeds == nil { return false }
    let states = [viewer].compactMap { $0 } + (viewers.map { Array($0.elements) } ?? [])
    guard Self.areOfMarks(feeds) ?? states.contains(where: \.isMark) else { return false }
    return !states.contains { state in
      [author?["username"], author?["id"]].contains { state["account"]?.isAccount($0) == true }
    }
  }

  /// Whether feeds are those of what an account has marked; `nil` if there is none. Looking a post up by its id is no
  /// other reason to have it.
  private static func areOfMarks(_ feeds: JSONValue?) -> Bool? {
    guard let feeds, !feeds.isEmpty else { return nil }
    let others = feeds.elements.filter { !$0.rawString.starts(with: "ids:".utf8) }
    return others.isEmpty ? nil : others.allSatisfy { $0.equals("likes") || $0.equals("bookmarks") }
  }

  /// Whether a state of `viewer` is one of a marked post.
  private var isMark: Bool { self["liked"]?.bool == true || self["bookmarked"]?.bool == true }

  /// Whether the account of a state is the one of that name, which the service may write without a host.
  private func isAccount(_ name: JSONValue?) -> Bool {
    guard let name = name?.nonEmptyString?.lowercased(), let own = nonEmptyString?.lowercased() else { return false }
    return own == name || own.hasPrefix(name + "@")
  }

  /// Whether a notice says that an account has liked or bookmarked a post.
  package var isNoticeOfMark: Bool {
    self["code"].map { $0.equals("like") || $0.equals("bookmark") } ?? false
  }
}
