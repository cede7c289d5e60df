package import TweetCore

/// Profile pictures that no profile of the store names any more, since their users have others now.
package enum UnusedPictures {
  /// The addresses in the store of pictures that are those of no stored profile. What was fetched in another size, or with
  /// another query, than the profile names is a picture of it all the same.
  package static func addresses(
    in media: borrowing MediaStore, of tweets: borrowing TweetStore
  ) throws(ToolError) -> [String] {
    var named: Set<String> = []
    let damaged = try tweets.forEachUser(named: nil, service: nil) { (record) throws(ToolError) in
      if let url = StoredColumns.parse(record)?.root["profile_image_url"]?.string { named.insert(picture(url)) }
      return Interruption.signal == nil
    }
    // A profile that cannot be read may name any of them.
    try damaged.check(of: tweets.database.path)
    var unused: [String] = []
    try media.forEachAvatar { if !named.contains(picture($0)) { unused.append($0) } }
    return unused
  }

  /// What the addresses of one picture have in common: all up to the size, the extension and the query.
  static func picture(_ url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    let dot = path[start...].lastIndex(of: ".") ?? path.endIndex
    let stem = path[..<dot]
    // X's sizes.
    for size in ["_normal", "_bigger", "_mini", "_400x400", "_200x200", "_reasonably_small", "_x96"]
    where stem[start...].hasSuffix(size) && stem[start...].count > size.count {
      return String(stem.dropLast(size.count))
    }
    return String(stem)
  }
}

extension MediaStore {
  /// The addresses of all profile pictures.
  fileprivate func forEachAvatar(_ body: (String) -> Void) throws(ToolError) {
    try use { (database) throws(ToolError) in
      try database.forEachRow("SELECT url FROM avatars WHERE kind = 'avatar' ORDER BY url") { body($0.text(0) ?? "") }
    }
  }
}
