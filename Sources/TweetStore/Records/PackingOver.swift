import CSQLite
import TweetCore

/// Brings the rows of a store of version 5 to version 6, a batch at a time: makes a dictionary from the store's records, packs
/// all records, and returns the pages that become free to the file system.
///
/// A record that is TEXT is not packed yet, so a process that was killed loses one batch. One that does not become shorter
/// stays TEXT, and so does a damaged one: it must not look sound.
enum PackingOver {
  /// How many records have room in one transaction, and how many of their bytes.
  private static let most = 1000
  private static let mostBytes = 8 << 20
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
  ///
  /// The rows are removed and inserted again: that fills the pages of the file one after the other. If the rows were updated,
  /// each page would keep its rows, and most of it would be empty.
  private static func pack(
    _ table: RowSum, _ connection: Connection, _ position: inout BatchPosition
  ) throws(ToolError) -> Bool {
    if position.key == .min {
      let first = "SELECT key FROM \(table.table) WHERE \(isPlain(table)) ORDER BY key LIMIT 1"
      guard let key = try connection.optionalInteger(first) else { return true }
      position.key = key
    }
    let rows = try rows(table, from: position.key, connection)
    guard let first = rows.first?.key, let last = rows.last?.key else { return true }
    let name = table.table
    try connection.execute("DELETE FROM \(name) WHERE key BETWEEN \(first) AND \(last)")
    let marks = (1...table.columns.count).map { "?\($0)" }
    let all = (marks + ["?\(marks.count + 1)"]).joined(separator: ", ")
    let copy = try Statement("INSERT INTO \(name) VALUES (\(all))", on: connection.handle)
    let insert = try Statement(table.insert(marks), on: connection.handle)
    let packer = try RecordPacker()
    try Dictionaries.useNewest(packer, connection)
    for row in rows {
      position.done(row.key)
      guard row.isPlain, case .text(let json) = row.values[marks.count - 1] else {
        copy.bind(raw: row.values)
        try copy.run()
        continue
      }
      insert.bind(raw: Array(row.values.prefix(marks.count)))
      let document = try JSONDocument.stored(json)
      let root = document.root
      if let text = table.columns.firstIndex(of: "text"), case .text(let column) = row.values[text] {
        column.withUnsafeBufferPointer {
          packer.bind(root.raw, text: root["text"], column: $0, to: insert, Int32(marks.count))
        }
      } else {
        packer.bind(root.raw, to: insert, Int32(marks.count))
      }
      if let words = table.columns.firstIndex(of: "words") { insert.bindNull(Int32(words + 1)) }
      try insert.run()
    }
    return false
  }

  private struct PlainRow {
    let key: Int
    /// All columns, and the checksum.
    let values: [RawRow.Value]
    /// Whether it is sound and not packed yet.
    let isPlain: Bool
  }

  /// The rows of a batch.
  private static func rows(
    _ table: RowSum, from key: Int, _ connection: Connection
  ) throws(ToolError) -> [PlainRow] {
    let columns = table.columns + ["checksum"]
    let read = try Statement(
      "SELECT \(columns.joined(separator: ", ")), \(isPlain(table)) FROM \(table.table) WHERE key >= ? ORDER BY key",
      on: connection.handle)
    read.bind(1, key)
    var rows: [PlainRow] = []
    var bytes = 0
    while rows.count < most, bytes < mostBytes, try read.step() {
      bytes += read.row.bytes(Int32(table.columns.count - 1)).count
      rows.append(
        PlainRow(
          key: read.row.integer(0), values: columns.indices.map { read.row.raw(Int32($0)) },
          isPlain: read.row.integer(Int32(columns.count)) != 0))
    }
    return rows
  }

  /// SQL for whether a row is sound and not packed yet.
  private static func isPlain(_ table: RowSum) -> String {
    "coalesce(typeof(json) = 'text' AND \(table.isSound()) AND json_valid(json), FALSE)"
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
