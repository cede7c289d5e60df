import SQLite
import TweetCore

/// The tables `users` and `user_names`. The second one has all names of users who have had several; for others it would
/// repeat what is in `users`.
///
/// Most tweets have a profile that is stored already, or one in which only numbers differ. The table remembers hashes
/// of the profiles stored last, so that it need not read those again.
struct UserTable: ~Copyable {
  private let packer: RecordPacker
  private let find: Statement
  private let insert: Statement
  private let update: Statement
  private let rename: Statement
  private let findName: Statement
  private let addName: Statement
  private let version: Statement
  /// Whether records come from another store's export. It has all users, so those inside tweets are ignored.
  private let isRestoring: Bool
  private var known = KnownUsers()
  /// SQLite's count of commits by other connections, when `known` was filled.
  private var knownVersion = 0
  private var merged = ByteBuffer()
}

extension UserTable {
  init(_ database: borrowing Database, _ packer: RecordPacker, isRestoring: Bool = false) throws(ToolError) {
    self.init(
      packer: packer,
      find: try database.prepare(
        """
        SELECT key, retrieved_at, \(RecordPacker.user), \(RowSum.users.isSound()), id FROM users
        WHERE service = ? AND id = ?
        """),
      insert: try database.prepare(RowSum.users.insertNext(["?1", "?2", "?3", "?4", "?5", "?6", "?7"])),
      update: try database.prepare(
        RowSum.users.update(["retrieved_at": "coalesce(?1, retrieved_at)", "json": "?2"]) + " WHERE key = ?3"),
      rename: try database.prepare(RowSum.users.update(["username": "?1", "name": "?2"]) + " WHERE key = ?3"),
      findName: try database.prepare(
        "SELECT username, name, first_seen FROM (\(Self.onlyNames)) WHERE user = ?"),
      addName: try database.prepare(RowSum.userNames.insert(["?1", "?2", "?3", "?4"], or: "OR IGNORE ")),
      version: try database.prepare("PRAGMA data_version"), isRestoring: isRestoring)
  }

  /// Drops what was remembered if another connection has written. To be called at the beginning of each transaction.
  mutating func clearCacheIfOthersWrote() throws(ToolError) {
    let current = try version.step() ? version.row.integer(0) : 0
    version.reset()
    if current != knownVersion { clearCache() }
    knownVersion = current
  }

  func key(service: JSONValue, id: JSONValue) throws(ToolError) -> Int? {
    find.bind(1, text: service)
    find.bind(2, text: id)
    defer { find.reset() }
    return try find.step() ? find.row.integer(0) : nil
  }

  mutating func clearCache() { known.removeAll() }

  /// Stores a profile, or what is new in it. Returns the user's key, and whether the user is new.
  /// - Parameters:
  ///   - profile: an object with the keys of a tweet's author.
  ///   - id: its id, a string that is not empty.
  ///   - service: the id space, a string.
  ///   - isInTweet: whether the profile is the author in a tweet, and not a `user` record.
  mutating func store(
    _ profile: JSONValue, id: JSONValue, service: JSONValue, _ seen: Sighting, isInTweet: Bool = true,
    in database: borrowing Database
  ) throws(ToolError) -> (key: Int, isNew: Bool) {
    if isRestoring, isInTweet, let key = try key(service: service, id: id) { return (key, false) }
    let identity = KnownUsers.identity(service: service, id: id)
    let old = known.find(identity)
    if let old, old.profile == KnownUser.hash(profile) { return (old.key, false) }
    let new = KnownUser(profile)
    if let old {
      // With the same keys as before, the new version replaces all of the old one.
      if old.shape == new.shape, seen.isNewer(than: old.retrieved) {
        try replace(old.key, by: profile, seen, renamed: old.names != new.names)
        remember(identity, new, key: old.key, retrieved: seen.time)
        return (old.key, false)
      }
    }
    find.bind(1, text: service)
    find.bind(2, text: id)
    guard try find.step() else {
      let key = try add(profile, id: id, service: service, seen, in: database)
      remember(identity, new, key: key, retrieved: seen.time)
      return (key, true)
    }
    let key = find.row.integer(0)
    let retrieved = find.row.isNull(1) ? nil : find.row.time(1)
    let stored = Array(find.row.bytes(2))
    let isSound = find.row.isSound(3, record: 2) ?? StoredColumns.isProfile(find.row, id: 4, json: 2)
    find.reset()
    if !isSound { throw DamagedRows.error("user '\(service.string ?? ""):\(id.string ?? "")'") }
    let result = try merge(profile, into: stored, key, seen, isNewer: seen.isNewer(than: retrieved))
    remember(identity, result, key: key, retrieved: seen.isNewer(than: retrieved) ? seen.time : retrieved)
    return (key, false)
  }

  private mutating func remember(_ identity: Int, _ user: KnownUser, key: Int, retrieved: Timestamp?) {
    var user = user
    user.key = key
    user.retrieved = retrieved
    known.insert(user, identity)
  }

  private func add(
    _ profile: JSONValue, id: JSONValue, service: JSONValue, _ seen: Sighting, in database: borrowing Database
  ) throws(ToolError) -> Int {
    insert.bind(1, text: service)
    insert.bind(2, text: id)
    insert.bind(3, text: profile["username"])
    insert.bind(4, text: profile["name"])
    insert.bind(5, seen)
    insert.bind(6, time: seen.retrieved)
    packer.bind(profile.raw, to: insert, 7)
    try insert.run()
    return database.lastInsertedRow
  }

  private mutating func merge(
    _ profile: JSONValue, into stored: [UInt8], _ key: Int, _ seen: Sighting, isNewer: Bool
  ) throws(ToolError) -> KnownUser {
    merged.removeAll()
    let before = try JSONDocument.stored(stored).read { old in
      RecordMerge.append(newerProfile: isNewer ? profile : old, older: isNewer ? old : profile, to: &merged)
      return KnownUser(old)
    }
    let new = try JSONDocument.stored(merged.array)
    let after = new.read { KnownUser($0) }
    if after.profile != before.profile {
      try new.read { (merged) throws(ToolError) in
        try replace(key, by: merged, isNewer ? seen : nil, renamed: after.names != before.names)
      }
    }
    // An older version may have an older name, which goes into `user_names` as well.
    if !isNewer, KnownUser(profile).names != before.names {
      try keepName(of: key)
      try addNames(of: profile, key, seen)
    }
    return after
  }

  /// - Parameter seen: `nil` if the stored version stays the newest one.
  private func replace(_ key: Int, by profile: JSONValue, _ seen: Sighting?, renamed: Bool) throws(ToolError) {
    update.bind(1, time: seen?.retrieved)
    packer.bind(profile.raw, to: update, 2)
    update.bind(3, key)
    try update.run()
    guard renamed else { return }
    try keepName(of: key)
    rename.bind(1, text: profile["username"])
    rename.bind(2, text: profile["name"])
    rename.bind(3, key)
    try rename.run()
    if let seen { try addNames(of: profile, key, seen) }
  }

  /// Adds the names in a profile to `user_names`. ``keepName(of:)`` must have added those that the user had.
  private func addNames(of profile: JSONValue, _ key: Int, _ seen: Sighting) throws(ToolError) {
    let (username, name) = (profile["username"], profile["name"])
    guard username != nil || name != nil else { return }
    addName.bind(1, key)
    addName.bind(2, username?.string ?? "")
    addName.bind(3, name?.string ?? "")
    addName.bind(4, seen)
    try addName.run()
  }

  /// Adds the only names that a user has had so far to `user_names`: they will no longer be the only ones.
  func keepName(of key: Int) throws(ToolError) {
    findName.bind(1, key)
    guard try findName.step() else { return }
    let row = findName.row
    addName.bind([.integer(key), SQLValue(row.text(0)), SQLValue(row.text(1)), SQLValue(row.text(2))])
    findName.reset()
    try addName.run()
  }

  /// SQL for the names of users who have had only these: `user`, `username`, `name`, `first_seen`. What is missing is
  /// empty.
  private static let onlyNames = """
    SELECT key AS user, coalesce(username, '') AS username, coalesce(name, '') AS name, first_seen FROM users
    WHERE (username IS NOT NULL OR name IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM user_names WHERE user = users.key)
    """

  /// SQL for the names of all users, with `isSound`, which says whether a row is as it was written.
  static let allNames = """
    SELECT user, username, name, first_seen, \(RowSum.userNames.isSound()) AS isSound FROM user_names
    UNION ALL SELECT *, TRUE FROM (\(onlyNames))
    """
}

extension JSONValue {
  /// Appends a `user` record in the form of a tweet's `author`.
  func appendProfile(to buffer: inout ByteBuffer) {
    var edits = RecordEdits()
    edits.remove(from: self) { $0.equals("tw") || $0.equals("service") || $0.equals("retrieved_at") }
    edits.apply(to: self, into: &buffer)
  }
}

extension JSONDocument {
  /// Parses a record that comes from the store, or that the store has just made.
  static func stored(_ bytes: [UInt8]) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(bytes)
    } catch {
      throw .inputOutput("a record in the store is damaged: \(error.reason)")
    }
  }
}
