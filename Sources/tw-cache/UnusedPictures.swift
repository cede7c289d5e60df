import MediaStore
import TweetCore
import TweetStore

extension MediaStore {
  /// The addresses of the profile pictures that no stored profile names any more, since their users have others now.
  /// What was fetched in another size, or with another query, than the profile names is a picture of it all the same.
  /// - Returns: none after a signal: profiles that were not read may name any of them.
  func unusedPictures(of tweets: borrowing TweetStore) throws(ToolError) -> [String] {
    var named: Set<String> = []
    let damaged = try tweets.forEachUser(named: nil, service: nil) { (record) throws(ToolError) in
      if let url = Self.picture(of: record) {
        named.insert(ProfilePicture.name(url))
      }
      return Interruption.signal == nil
    }
    if Interruption.signal != nil { return [] }
    // A profile that cannot be read may name any of them.
    try damaged.check(of: tweets.path)
    return try pictureURLs("avatar").filter { !named.contains(ProfilePicture.name($0)) }
  }

  private static func picture(of user: [UInt8]) -> String? {
    guard let document = try? JSONDocument(user) else { return nil }
    return document["profile_image_url"]?.string
  }
}

/// A profile picture, which has an address for each of its sizes.
enum ProfilePicture {
  /// What the addresses of one picture have in common: all up to the size, the extension and the query.
  static func name(_ url: String) -> String {
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
