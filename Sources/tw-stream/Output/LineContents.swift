import TweetCore

/// What a line of a plugin or a capture holds: a record of the kit, or a raw message of some service.
struct LineContents {
  /// Its type, when it is a record of the kit.
  let record: String?
  /// Whether it is not clear what it is: see ``RecordMark/unclear``.
  let isUnclear: Bool
  /// What a `notice` record is about.
  let code: String?
  /// How many posts it holds; a page has several.
  let posts: Int

  init(_ root: JSONValue) {
    let mark = RecordMark(root)
    isUnclear = mark == .unclear
    if case .type(let type) = mark { record = type } else { record = nil }
    code = record == "notice" ? root["code"]?.string : nil
    posts = record == nil ? Self.posts(inMessage: root) : record == "tweet" ? 1 : 0
  }

  private static func posts(inMessage root: JSONValue) -> Int {
    // A list may have pages in it.
    if root.isArray { return root.elements.reduce(0) { $0 + max(1, posts(inMessage: $1)) } }
    guard root.isObject else { return 0 }
    if let page = page(root) { return page.count }
    // What shows a post of X, Mastodon and Gnip; of Bluesky's views; of Bluesky's stream.
    let isPost = root["data"] ?? root["id"] ?? root["id_str"] ?? root["uri"] ?? root["post"] ?? root["commit"] != nil
    return isPost ? 1 : 0
  }

  /// The posts of a page: of X API v2 and v1.1, of Bluesky.
  static func page(_ root: JSONValue) -> JSONValue? {
    for list in [root["data"], root["statuses"], root["feed"], root["posts"]] {
      if let list, list.isArray { return list }
    }
    return nil
  }
}
