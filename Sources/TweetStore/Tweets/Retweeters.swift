import SQLite
import TweetCore

/// Names those who have retweeted a post in the record of one such retweet, which stands for all of them in a list.
struct Retweeters: ~Copyable {
  /// The most retweets of a post that are looked at, and the most people that a record names.
  private static let (most, mostNamed) = (100, 20)

  private let retweets: Statement

  init(_ database: borrowing Database) throws(ToolError) {
    retweets = try database.prepare(
      """
      SELECT t.key, \(RecordPacker.tweet("t")) FROM tweets t
      WHERE t.address = ? AND t.hidden IS NULL AND t.author IS NOT NULL
        AND EXISTS (SELECT 1 FROM tweet_references r WHERE r.tweet = t.key AND r.type = 'retweeted')
      ORDER BY t.first_seen, t.key LIMIT \(Self.most)
      """)
  }

  /// Appends a record with `retweeted_by`.
  /// - Parameters:
  ///   - key: the record's.
  ///   - isListed: whether the list has the retweet of a key, which it may not show.
  /// - Returns: false if the record is none of a retweet, or of the only one: then nothing is appended.
  func append(
    _ record: ByteView, key: Int, address: String, to buffer: inout ByteBuffer,
    isListed: (Int) throws(ToolError) -> Bool
  ) throws(ToolError) -> Bool {
    var people: [Person] = []
    retweets.bind(1, address)
    defer { retweets.reset() }
    while try retweets.step() {
      let other = retweets.row.integer(0)
      let isKept = if other == key { true } else { try isListed(other) }
      guard isKept, let retweet = StoredColumns.parse(retweets.row.bytes(1)),
        let person = retweet.read({ Person($0, isShown: other == key) }),
        other == key || !people.contains(where: { $0.name == person.name })
      else { continue }
      people.removeAll { $0.name == person.name }
      people.insert(person, at: other == key ? 0 : people.count)
    }
    guard people.count > 1, people[0].isShown, let whole = StoredColumns.parse(record) else { return false }
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

  private struct Person: Sendable {
    /// Two servers show one person under two ids.
    let name: String
    let json: String
    /// Whether the record is of this person's retweet.
    let isShown: Bool

    /// The author of a retweet; `nil` if not everybody may know of it.
    init?(_ retweet: JSONValue, isShown: Bool) {
      let visibility = retweet["extra"]?["visibility"]
      let open: [StaticString] = ["public", "unlisted", "home"]
      let isOpen = visibility.map { visibility in open.contains { visibility.equals($0) } }
      guard let author = retweet["author"], isShown || isOpen ?? (author["protected"]?.bool != true) else { return nil }
      let username = author["username"]?.string?.prefix { $0 != "@" }.lowercased()
      name = "\(username ?? author["id"]?.string ?? "")\n\(retweet["created_at"]?.string ?? "")"
      var buffer = ByteBuffer(capacity: 256)
      buffer.object { out in
        for key in ["id", "username", "name"] as [StaticString] {
          if let value = author[key] { out.member(key, json: value.raw) }
        }
      }
      (json, self.isShown) = (buffer.string, isShown)
    }
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
