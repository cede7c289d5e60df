import CSQLite
import TweetCore

/// Brings the rows of a store of version 5 to version 6, a batch at a time: makes a dictionary from the store's records, packs
/// all records, and returns the pages that become free to the file system.
///
/// A record that is TEXT is not packed yet, so a process that was killed loses one batch. One that does not become shorter
/// stays TEXT, and so does a damaged one: it must not look sound.
enum PackingOver {
  /// How many records have room in one transaction: about 4 MB.
  private static let batch = 1000
  /// How many pages are returned in one transaction.
  private static let pages = 1000

  static func run(_ connection: Connection, _ position: inout BatchPosition) throws(ToolError) -> Bool {
    switch position.step {
    case 0:
      try makeDictionary(connection)
      position.goOn()
    case 1:
      if try pack(.users, connection, &position) { position.goOn() }
    case 2:
      if try pack(.tweets, connection, &position) { position.goOn() }
    default: return try shrink(connection)
    }
    return false
  }

  /// In a transaction of its own, as ``Dictionaries/makeIfDue(_:)`` says.
  private static func makeDictionary(_ connection: Connection) throws(ToolError) {
    guard try connection.integer("SELECT count(*) FROM dictionaries") == 0 else { return }
    let size = try connection.integer("SELECT count(*) FROM (SELECT 1 FROM tweets LIMIT \(Dictionaries.sizes[1]))")
    guard size >= Dictionaries.sizes[0] else { return }
    let bytes = try Dictionaries.make(from: size, connection)
    if !bytes.isEmpty { try Dictionaries.insert(bytes, number: 1, connection) }
  }

  /// Packs a batch of the records of `tweets` or `users`. Returns whether these were the last ones.
  private static func pack(
    _ table: RowSum, _ connection: Connection, _ position: inout BatchPosition
  ) throws(ToolError) -> Bool {
    let text = table.columns.contains("text") ? "text" : "NULL"
    let read = try Statement(
      "SELECT key, json, \(text) FROM \(table.table) WHERE \(isPlain(table)) ORDER BY key LIMIT \(batch)",
      on: connection.handle)
    let write = try Statement(table.update(["json": "?2"]) + " WHERE key = ?1", on: connection.handle)
    let packer = try RecordPacker()
    try Dictionaries.useNewest(packer, connection)
    read.bind(1, position.key)
    var count = 0
    while try read.step() {
      count += 1
      position.done(read.row.integer(0))
      let document = try JSONDocument.stored(Array(read.row.bytes(1)))
      let root = document.root
      write.bind(1, read.row.integer(0))
      packer.bind(root.raw, text: root["text"], column: read.row.bytes(2), to: write, 2)
      try write.run()
    }
    return count < batch
  }

  /// SQL for the sound rows of a table that are not packed yet, from a key on.
  private static func isPlain(_ table: RowSum) -> String {
    "key >= ?1 AND typeof(json) = 'text' AND \(table.isSound()) AND json_valid(json)"
  }

  /// Returns whether nothing is left to return.
  private static func shrink(_ connection: Connection) throws(ToolError) -> Bool {
    let free = try connection.integer("PRAGMA freelist_count")
    if free == 0 { return true }
    let vacuum = try Statement("PRAGMA incremental_vacuum(\(pages))", on: connection.handle)
    try vacuum.run()
    return try connection.integer("PRAGMA freelist_count") >= free
  }
}
