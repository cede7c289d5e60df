import TweetCore
import TweetStore

/// A user as `--get` names one: `@jack`, or `mastodon:example.org:jack` where several services have that name.
struct NamedUser {
  private let service: String?
  private let name: String

  init(_ text: String) {
    let colon = text.lastIndex(of: ":")
    service = colon.map { String(text[..<$0]) }
    let name = colon.map { String(text[text.index(after: $0)...]) } ?? text
    self.name = name.hasPrefix("@") ? String(name.dropFirst()) : name
  }

  /// A stored profile that has or had the name.
  private struct Match {
    let service: String
    let isPresentName: Bool
    /// RFC 3339 in UTC; empty if it is not known.
    let retrievedAt: String
    let key: String?
  }

  /// What is fetched: the look-up's key for the picture of the user's stored profile.
  /// - Throws: `ToolError.noInput` if the store has no such user, or several, or no address of a picture.
  func pictureKey(in tweets: borrowing TweetStore) throws(ToolError) -> String {
    var found: [Match] = []
    let path = tweets.path
    let damaged = try tweets.forEachUser(named: name, service: service) { (record) throws(ToolError) in
      guard let document = try? JSONDocument(record) else { throw .badData("a profile in '\(path)' is damaged") }
      found.append(
        document.read { user in
          Match(
            service: user["service"]?.string ?? "", isPresentName: user["username"]?.string == name,
            retrievedAt: user["retrieved_at"]?.string ?? "",
            key: AvatarRecord.pictures(in: user, media: false).first?.key)
        })
      return true
    }
    try damaged.check(of: path)
    // Of one service, one user at a time has a name: of those who had it, the one who was seen with it last.
    found.sort { ($0.isPresentName ? 1 : 0, $0.retrievedAt) < ($1.isPresentName ? 1 : 0, $1.retrievedAt) }
    guard let user = found.last else { throw .noInput("no user '\(name)' in '\(path)'") }
    guard found.allSatisfy({ $0.service == user.service || !$0.isPresentName }) else {
      throw .noInput("several users are named '\(name)': name the service, such as '\(user.service):\(name)'")
    }
    guard let key = user.key else { throw .noInput("the profile of '\(name)' in '\(path)' names no picture") }
    return key
  }
}
