import TweetCore

/// Which files of an archive, as X and Mastodon hand out accounts, have posts, likes and what these need. Their media,
/// and what concerns others (messages, followers), are not read.
package enum ArchiveMembers {
  /// What is looked for, for messages.
  package static let sought = "data/tweets.js (X) and without outbox.json (Mastodon)"

  /// A file that may be read: its name in the archive, taken apart.
  private struct Member {
    let name: String
    /// With a slash at its end; empty for the top.
    let folder: String
    let file: String

    init(_ name: String) {
      self.name = name
      (folder, file) = Paths.split(name)
    }
  }

  /// Whether a file of this name may be one that ``chosen(from:)`` chooses.
  package static func isCandidate(_ name: String) -> Bool {
    let member = Member(name)
    let isOutside = name.hasPrefix("/") || name.split(separator: "/").contains("..")
    return !isOutside
      && (rank(inX: member.file) != nil || rank(inMastodon: member.file) != nil || isGrailbird(member))
  }

  /// The files to read of an archive with these names, in the order of reading: who the account is before its posts.
  /// - Returns: none when the archive is neither service's.
  package static func chosen(from names: [String]) -> [String] {
    let members = names.map(Member.init)
    // An archive that was packed once more has a folder around it. Of two archives in one, the outermost is read.
    let folders = Set(members.map(\.folder)).sorted { ($0.count, $0) < ($1.count, $1) }
    for folder in folders {
      let here = members.filter { $0.folder == folder }
      let found = chosen(fromFolder: here)
      if !found.isEmpty { return found }
    }
    return []
  }

  private static func chosen(fromFolder members: [Member]) -> [String] {
    func sorted(_ rank: (String) -> Rank?) -> [String] {
      members.compactMap { member in rank(member.file).map { ($0, member.name) } }.sorted { $0 < $1 }.map(\.1)
    }
    let files = Set(members.map(\.file))
    if files.contains("outbox.json") { return sorted(rank(inMastodon:)) }
    if files.contains(where: { rank(inX: $0)?.isPosts ?? false }) || files.contains("account.js") {
      let isNamed = files.contains("account.js")
      // The manifest names the owner too. It is read when there is nothing better.
      return sorted { isNamed && $0 == "manifest.js" ? nil : rank(inX: $0) }
    }
    return members.filter(isGrailbird).map(\.name).sorted()
  }

  /// Where a file comes in the order of reading.
  private struct Rank: Comparable {
    var kind: Int
    var part = 0
    var isPosts: Bool { (Rank.firstOfPosts..<Rank.likes).contains(kind) }

    static let firstOfPosts = 10
    /// What others posted is not an archive by itself.
    static let likes = 20

    static func < (one: Rank, other: Rank) -> Bool { (one.kind, one.part) < (other.kind, other.part) }
  }

  /// X's archives since 2018. Large files come in parts: `tweets.js`, `tweets-part1.js`, …; until 2021 the name was
  /// `tweet.js`.
  private static func rank(inX file: String) -> Rank? {
    guard file.hasSuffix(".js") else { return nil }
    var stem = file.dropLast(3)
    var part = 0
    if let range = stem.firstRange(of: "-part"), let number = Int(stem[range.upperBound...]), number > 0 {
      (stem, part) = (stem[..<range.lowerBound], number)
    }
    switch stem {
    case "account", "manifest": return part == 0 ? Rank(kind: 0) : nil
    case "profile": return part == 0 ? Rank(kind: 1) : nil
    case "note-tweet": return Rank(kind: 2, part: part)
    case "tweets", "tweet": return Rank(kind: Rank.firstOfPosts, part: part)
    case "community-tweet": return Rank(kind: Rank.firstOfPosts + 1, part: part)
    case "deleted-tweets": return Rank(kind: Rank.firstOfPosts + 2, part: part)
    case "like": return Rank(kind: Rank.likes, part: part)
    case "bookmark": return Rank(kind: Rank.likes + 1, part: part)
    default: return nil
    }
  }

  private static func rank(inMastodon file: String) -> Rank? {
    switch file {
    case "actor.json": Rank(kind: 0)
    case "outbox.json": Rank(kind: Rank.firstOfPosts)
    case "likes.json": Rank(kind: Rank.likes)
    case "bookmarks.json": Rank(kind: Rank.likes + 1)
    default: nil
    }
  }

  /// The archives before 2018 have a file a month, `data/js/tweets/2015_01.js`.
  private static func isGrailbird(_ member: Member) -> Bool {
    guard member.folder.hasSuffix("data/js/tweets/"), member.file.hasSuffix(".js") else { return false }
    let month = member.file.dropLast(3)
    return month.utf8.count == 7
      && month.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
  }
}
