import SQLite
import TweetCore

/// The table `notifications`. A row says who did what to which tweet by their ids: the tweet and the profile themselves
/// are where all tweets and profiles are, so that an edit, a deletion or another name shows in notifications too.
struct NotificationTable: ~Copyable {
  private let packer: RecordPacker
  private let find: Statement
  private let insert: Statement
  private let update: Statement

  /// Stores a notification, or what is new in it; false if it was stored before.
  func store(_ record: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    find.bind(1, text: service)
    find.bind(2, record["account"]?.string ?? "")
    find.bind(3, text: id)
    let new = try JSONDocument.stored(Self.withIDs(of: ["user", "tweet"], record))
    guard try find.step() else {
      return try new.read { (new) throws(ToolError) in
        try write(new, insert, service: service, id: id)
        return true
      }
    }
    let isSound = find.row.isSound(1, record: 0) == true
    let old = Array(find.row.bytes(0))
    find.reset()
    if !isSound { throw DamagedRows.error("notification '\(service.string ?? ""):\(id.string ?? "")'") }
    var merged = ByteBuffer(capacity: old.count)
    try JSONDocument.stored(old).read { (old) throws(ToolError) in
      new.read { new in
        let isNewer = Sighting(retrieved: new["retrieved_at"], now: "").isNewer(than: old["retrieved_at"]?.time)
        RecordMerge.append(newerNotification: isNewer ? new : old, older: isNewer ? old : new, to: &merged)
      }
    }
    if merged.array != old {
      try JSONDocument.stored(merged.array).read { (record) throws(ToolError) in
        try write(record, update, service: service, id: id)
      }
    }
    return false
  }

  private func write(
    _ record: JSONValue, _ statement: borrowing Statement, service: JSONValue, id: JSONValue
  ) throws(ToolError) {
    statement.bind(1, text: service)
    statement.bind(2, record["account"]?.string ?? "")
    statement.bind(3, text: id)
    statement.bind(4, text: record["kind"])
    statement.bind(5, time: record["at"])
    statement.bind(6, text: record["user"]?["id"])
    statement.bind(7, text: record["tweet"]?["id"])
    packer.bind(record.raw, to: statement, 8)
    try statement.run()
  }

  /// The record with nothing but the ids of some objects in it.
  static func withIDs(of keys: [StaticString], _ record: JSONValue) -> [UInt8] {
    var edits = RecordEdits()
    for key in keys {
      guard let value = record[key] else { continue }
      var object = ByteBuffer(capacity: 64)
      object.object { out in
        guard let id = value["id"], id.isText else { return }
        out.key("id")
        out.append(id)
      }
      edits.set(key, in: record, to: object.array)
    }
    var edited = ByteBuffer(capacity: record.raw.count)
    edits.apply(to: record, into: &edited)
    return edited.array
  }
}

extension NotificationTable {
  init(_ database: borrowing Database, _ packer: RecordPacker) throws(ToolError) {
    let table = RowSum.notifications
    self.init(
      packer: packer,
      find: try database.prepare(
        """
        SELECT \(RecordPacker.notification), \(table.isSound()) FROM notifications
        WHERE service = ? AND account = ? AND id = ?
        """),
      insert: try database.prepare(table.insert((1...8).map { "?\($0)" })),
      update: try database.prepare(
        table.update(["kind": "?4", "at": "?5", "user_id": "?6", "tweet_id": "?7", "json": "?8"])
          + " WHERE service = ?1 AND account = ?2 AND id = ?3"))
  }
}

extension TweetWriter {
  /// Why a notification cannot be stored; `nil` if it can.
  static func fault(inNotification record: JSONValue) -> String? {
    if record["kind"]?.isText != true { return "no \"kind\"" }
    return record["at"]?.time == nil ? "no time \"at\"" : nil
  }

  /// Stores a notification, and who caused it.
  mutating func add(
    notification: JSONValue, service: JSONValue, id: JSONValue
  ) throws(ToolError) -> AddResult {
    if let user = notification["user"]?["id"], try forgottenPeople.has(service: service, id: user) {
      return AddResult(absence: .forgotten)
    }
    if let user = notification["user"], let userID = user["id"], userID.isText, user.count > 1 {
      let seen = Sighting(retrieved: notification["retrieved_at"], now: now)
      _ = try users.store(user, id: userID, service: service, seen, in: database)
    }
    var result = AddResult(
      isNew: try notifications.store(notification, service: service, id: id), isNotification: true)
    // Who reads on is not shown the words of a tweet that is gone.
    if let tweet = notification["tweet"], let id = tweet["id"], id.isText,
      try absence(of: tweet, service: service, id: id) != nil
    {
      result.replacement = NotificationTable.withIDs(of: ["tweet"], notification)
    }
    return result
  }
}
