import SQLite
import TweetCore

/// Names those who have retweeted a post in the record of such a retweet. Where a post has copies, that record stands
/// for all retweets in a list; at other services each of them is listed, and each names all people.
struct Retweeters: ~Copyable {
  /// What retweets have in common.
  enum Original: Hashable {
    /// The address of a post that may have copies.
    case address(String)
    case post(service: String, id: String)
  }

  /// The column of `tweets t` that says which post it retweets where posts have no copies.
  static let original = """
    CASE WHEN t.address IS NULL
      THEN (SELECT r.id FROM tweet_references r WHERE r.tweet = t.key AND r.type = 'retweeted') END
    """

  /// The most retweets of a post that are looked at, the most people that a record names, and the most posts whose
  /// people are remembered.
  private static let (most, mostNamed, mostKept) = (100, 20, 1000)

  private let byAddress: Statement
  private let byPost: Statement
  private var known: [Original: [Person]] = [:]

  /// Appends a record with `retweeted_by`.
  /// - Parameters:
  ///   - original: what the record retweets, or what it is a copy of.
  ///   - isListed: whether the list has the retweet of a key, which it may not show.
  /// - Returns: false if the record is none of a retweet, or of the only one: then nothing is appended.
  mutating func append(
    _ record: ByteView, of original: Original, to buffer: inout ByteBuffer,
    isListed: (Int) throws(ToolError) -> Bool
  ) throws(ToolError) -> Bool {
    let all = try people(original, isListed)
    guard !all.isEmpty, let whole = StoredColumns.parse(record),
      let own = whole.read({ $0["referenced_tweets"]?.firstRetweeted == nil ? nil : Person($0, original) })
    else { return false }
    let people = [own] + all.filter { $0.name != own.name }
    guard people.count > 1 else { return false }
    whole.read { record in
      buffer.object { out in
        out.appendMembers(of: record, except: "retweeted_by")
        out.object("retweeted_by") { out in
          out.member("count", people.count)
          out.array("first") { out in
            for person in people.prefix(Self.mostNamed) { out.append("," + person.json) }
          }
        }
      }
    }
    return true
  }

  /// Forgets who has retweeted what: others may have since.
  mutating func forgetAll() { known.removeAll() }

  /// Who has retweeted a post, by retweets that a list has and everybody may know of.
  private mutating func people(
    _ original: Original, _ isListed: (Int) throws(ToolError) -> Bool
  ) throws(ToolError) -> [Person] {
    if let known = known[original] { return known }
    var found: [Person] = []
    var names: Set<String> = []
    func read(_ statement: borrowing Statement) throws(ToolError) {
      defer { statement.reset() }
      while try statement.step() {
        let key = statement.row.integer(0)
        guard try isListed(key), let retweet = StoredColumns.parse(statement.row.bytes(1)),
          let person = retweet.read({ Person($0, original) }), person.isOpen, names.insert(person.name).inserted
        else { continue }
        found.append(person)
      }
    }
    switch original {
    case .address(let address):
      byAddress.bind(1, address)
      try read(byAddress)
    case .post(let service, let id):
      byPost.bind(1, id)
      byPost.bind(2, service)
      try read(byPost)
    }
    if known.count >= Self.mostKept { known.removeAll() }
    known[original] = found
    return found
  }

  /// The author of a retweet.
  private struct Person: Sendable {
    let name: String
    let json: String
    /// Whether everybody may know of it.
    let isOpen: Bool

    init?(_ retweet: JSONValue, _ original: Original) {
      guard let author = retweet["author"] else { return nil }
      let visibility = retweet["extra"]?["visibility"]
      let open: [StaticString] = ["public", "unlisted", "home"]
      isOpen =
        visibility.map { visibility in open.contains { visibility.equals($0) } } ?? (author["protected"]?.bool != true)
      let id = author["id"]?.string ?? ""
      switch original {
      // Two servers show one person under two ids.
      case .address:
        let username = author["username"]?.string?.prefix { $0 != "@" }.lowercased()
        name = "\(username ?? id)\n\(retweet["created_at"]?.string ?? "")"
      case .post: name = id
      }
      var buffer = ByteBuffer(capacity: 256)
      buffer.object { out in
        for key in ["id", "username", "name"] as [StaticString] {
          if let value = author[key] { out.member(key, json: value.raw) }
        }
      }
      json = buffer.string
    }
  }
}

extension Retweeters {
  init(_ database: borrowing Database) throws(ToolError) {
    let columns = "SELECT t.key, \(RecordPacker.tweet("t")) FROM"
    let end = "AND t.hidden IS NULL AND t.author IS NOT NULL ORDER BY t.first_seen, t.key LIMIT \(Self.most)"
    self.init(
      byAddress: try database.prepare(
        """
        \(columns) tweets t WHERE t.address = ?
          AND EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = t.key AND r.type = 'retweeted') \(end)
        """),
      byPost: try database.prepare(
        """
        \(columns) tweet_references r JOIN tweets t ON t.key = r.tweet
        WHERE r.id = ? AND r.type = 'retweeted' AND t.service = ? AND t.address IS NULL \(end)
        """))
  }
}

extension ByteBuffer {
  /// Appends the members of an object, each with a comma before it, except those of one name.
  mutating func appendMembers(of object: JSONValue, except name: StaticString) {
    for (key, value) in object.members where !key.equals(name) {
      self.key(key)
      append(value)
    }
  }
}
