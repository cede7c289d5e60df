import TweetCore

/// The tables `users` and `user_names`.
struct UserTable: ~Copyable {
  private let find: Statement
  private let insert: Statement
  private let update: Statement
  private let addName: Statement
  private var merged = ByteBuffer()

  /// Stores a profile, or what is new in it, and gives the user's key and whether nothing was known of the user.
  /// - Parameters:
  ///   - profile: an object with the keys of a tweet's author; its `id` has been checked.
  ///   - service: the id space, a string.
  mutating func store(
    _ profile: JSONValue, id: JSONValue, service: JSONValue, _ seen: Seen, in database: borrowing Database
  ) throws(ToolError) -> (key: Int, isNew: Bool) {
    find.bind(1, text: service)
    find.bind(2, text: id)
    guard try find.step() else {
      return (try add(profile, id: id, service: service, seen, in: database), true)
    }
    let row = find.row
    let key = row.integer(0)
    let bytes = row.bytes(2)
    if isSame(bytes, profile.raw) {
      find.reset()
      return (key, false)
    }
    let isNewer = seen.isNewer(than: row.isNull(1) ? nil : row.time(1))
    let stored = Array(bytes)
    find.reset()
    try change(key, stored, profile, seen, isNewer)
    return (key, false)
  }

  private mutating func add(
    _ profile: JSONValue, id: JSONValue, service: JSONValue, _ seen: Seen, in database: borrowing Database
  ) throws(ToolError) -> Int {
    insert.bind(1, text: service)
    insert.bind(2, text: id)
    insert.bind(3, text: profile["username"])
    insert.bind(4, text: profile["name"])
    insert.bind(5, seen)
    insert.bind(6, time: seen.retrieved)
    insert.bind(7, inPlace: profile.raw)
    try insert.run()
    let key = database.lastInsertedRow
    try note(profile, key, seen)
    return key
  }

  private mutating func change(
    _ key: Int, _ stored: [UInt8], _ profile: JSONValue, _ seen: Seen, _ isNewer: Bool
  ) throws(ToolError) {
    let old = try JSONDocument.stored(stored)
    merged.removeAll()
    RecordMerge.append(newer: isNewer ? profile : old.root, older: isNewer ? old.root : profile, to: &merged)
    let new = try JSONDocument.stored(merged.array)
    if !isSame(new.root.raw, old.root.raw) {
      update.bind(1, text: new.root["username"])
      update.bind(2, text: new.root["name"])
      update.bind(3, time: isNewer ? seen.retrieved : nil)
      update.bind(4, inPlace: new.root.raw)
      update.bind(5, key)
      try update.run()
    }
    if !Self.hasSameNames(profile, old.root) { try note(profile, key, seen) }
  }

  /// Remembers the names a profile shows.
  private func note(_ profile: JSONValue, _ key: Int, _ seen: Seen) throws(ToolError) {
    let (username, name) = (profile["username"]?.string, profile["name"]?.string)
    guard username != nil || name != nil else { return }
    addName.bind(1, key)
    addName.bind(2, username ?? "")
    addName.bind(3, name ?? "")
    addName.bind(4, seen)
    try addName.run()
  }

  private static func hasSameNames(_ one: JSONValue, _ other: JSONValue) -> Bool {
    one["username"]?.string == other["username"]?.string && one["name"]?.string == other["name"]?.string
  }
}

extension UserTable {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      find: try database.prepare("SELECT key, retrieved_at, json FROM users WHERE service = ? AND id = ?"),
      insert: try database.prepare(
        "INSERT INTO users (service, id, username, name, first_seen, retrieved_at, json) VALUES (?, ?, ?, ?, ?, ?, ?)"),
      update: try database.prepare(
        "UPDATE users SET username = ?, name = ?, retrieved_at = coalesce(?, retrieved_at), json = ? WHERE key = ?"),
      addName: try database.prepare(
        "INSERT OR IGNORE INTO user_names (user, username, name, first_seen) VALUES (?, ?, ?, ?)"))
  }
}

extension JSONValue {
  /// Appends a `user` record as the object that a tweet's `author` would be.
  func appendProfile(to buffer: inout ByteBuffer) {
    var separator = UInt8(ascii: "{")
    for (key, value) in members {
      if key.equals("tw") || key.equals("service") || key.equals("retrieved_at") { continue }
      buffer.append(separator)
      buffer.append(key.raw)
      buffer.append(UInt8(ascii: ":"))
      buffer.append(value.raw)
      separator = UInt8(ascii: ",")
    }
    buffer.append(UInt8(ascii: "}"))
  }
}

extension JSONDocument {
  /// Reads a record that the store itself holds or has just made.
  static func stored(_ bytes: [UInt8]) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(bytes)
    } catch {
      throw .inputOutput("a record in the store is damaged: \(error.reason)")
    }
  }
}
