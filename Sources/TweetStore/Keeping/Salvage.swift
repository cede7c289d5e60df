import TweetCore

/// Copies what can be read of a damaged store to a new file. Each record is stored as if it came from an export, so the
/// columns, tables and indexes that follow from records are correct again.
struct Salvage: ~Copyable {
  /// A row of a table with keys.
  struct RowID: Hashable {
    var table: String
    var key: Int
  }

  /// How many records are stored in one transaction.
  private static let batch = 2000

  private let source: TweetStore
  private var target: StoreImport
  private var inBatch = 0
  /// Whether this is the first try. A second one reads what sqlite3(1) recovered.
  private let isFirst: Bool
  /// Users and tweets that could not be read, or only in part.
  private(set) var lost: Set<RowID>

  /// How many rows a table of the new file has.
  func count(_ table: StaticString) throws(ToolError) -> Int { try target.count(table) }

  mutating func run() throws(ToolError) {
    try target.begin()
    do throws(ToolError) {
      for part in ExportPart.allCases {
        if let name = part.table { try save(part, of: name) } else { try saveRows(of: part) }
      }
    } catch {
      target.rollback()
      throw error
    }
    try target.commit()
  }

  /// Copies the rows of a table with keys one by one: an unreadable row does not affect the others.
  private mutating func save(_ part: ExportPart, of table: String) throws(ToolError) {
    for key in keys(of: table) {
      let row = RowID(table: table, key: key)
      if let whole = lines(of: part, key, isWhole: true), try add(whole) {
        lost.remove(row)
      } else {
        if isFirst { lost.insert(row) }
        if let record = lines(of: part, key, isWhole: false) { _ = try add(record) }
      }
    }
  }

  /// The lines of an export for one row; `nil` if it cannot be read.
  private func lines(of part: ExportPart, _ key: Int, isWhole: Bool) -> [UInt8]? {
    var line = ByteBuffer(capacity: 4096)
    do throws(ToolError) {
      let statement = try source.database.prepare(part.sql + " WHERE key = ?")
      statement.bind(1, key)
      guard try statement.step() else { return nil }
      defer { statement.reset() }
      try part.append(statement.row, of: source.database, to: &line, isWhole: isWhole)
      return line.array
    } catch {
      return nil
    }
  }

  /// The keys that can be read from the table or from any of its indexes.
  private func keys(of table: String) -> [Int] {
    var keys: Set<Int> = []
    func collect(_ sql: String) {
      // A key that cannot be read in one place may be readable in another.
      do throws(ToolError) {
        let statement = try source.database.prepare(sql)
        while try statement.step() { keys.insert(statement.row.integer(0)) }
      } catch {}
    }
    collect("SELECT key FROM \(table) NOT INDEXED ORDER BY key")
    collect("SELECT key FROM \(table) NOT INDEXED ORDER BY key DESC")
    var indexes: [String] = []
    do throws(ToolError) {
      let statement = try source.database.prepare(
        """
        SELECT name FROM sqlite_schema
        WHERE type = 'index' AND tbl_name = '\(table)' AND coalesce(sql, '') NOT LIKE '% WHERE %'
        """)
      while try statement.step() { indexes.append(statement.row.text(0) ?? "") }
    } catch {}
    for index in indexes { collect("SELECT key FROM \(table) INDEXED BY \"\(index)\"") }
    return keys.sorted()
  }

  /// Copies the rows of a table without keys, up to the first one that cannot be read.
  private mutating func saveRows(of part: ExportPart) throws(ToolError) {
    var lines: [[UInt8]] = []
    do throws(ToolError) {
      let statement = try source.database.prepare(part.sql)
      while try statement.step() {
        var line = ByteBuffer(capacity: 256)
        try part.append(statement.row, of: source.database, to: &line)
        lines.append(line.array)
      }
    } catch {
      // Without keys there is no way to go on behind an unreadable row.
    }
    for line in lines { _ = try add(line) }
  }

  /// Stores a record and its `stored` object, which is on the next line. Returns false if they are damaged.
  private mutating func add(_ lines: [UInt8]) throws(ToolError) -> Bool {
    let parts = lines.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map { Array($0) }
    guard parts.allSatisfy(Self.isJSON) else { return false }
    let record = try JSONDocument.stored(parts.first ?? [])
    let stored = try JSONDocument.stored(parts.count > 1 ? parts[1] : Array("null".utf8))
    if try target.add(record.root, stored: stored.root.isNull ? nil : stored.root) != nil { return false }
    inBatch += 1
    if inBatch >= Self.batch {
      inBatch = 0
      try target.commit()
      try target.begin()
    }
    return true
  }

  private static func isJSON(_ line: [UInt8]) -> Bool {
    do throws(JSONFault) {
      _ = try JSONDocument(line)
      return true
    } catch {
      return false
    }
  }
}

extension Salvage {
  /// - Parameters:
  ///   - source: the damaged file, or the one that sqlite3(1) recovered.
  ///   - target: a file that does not exist yet, or that an earlier salvage has filled.
  ///   - lost: the rows that the earlier salvage could not read; `nil` if there was none.
  init(from source: String, into target: String, lost: Set<RowID>?) throws(ToolError) {
    let damaged = try TweetStore(damaged: source)
    self.init(
      source: damaged, target: try StoreImport(try TweetStore(target, .readWrite)), isFirst: lost == nil,
      lost: lost ?? [])
  }
}
