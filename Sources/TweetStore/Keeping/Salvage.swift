import TweetCore

/// Saves what can be read of a damaged store into a new file, row by row: each record is stored anew, so that all that is
/// made from records, indexes included, is whole again.
struct Salvage: ~Copyable {
  private static let batch = 2000

  private let source: TweetStore
  private var target: StoreImport
  private var inBatch = 0
  /// A row that has a key.
  struct RowName: Hashable {
    var table: String
    var key: Int
  }

  /// Whether nothing was tried before.
  private let isFirst: Bool
  /// Users and tweets that could not be read, or not whole.
  private(set) var lost: Set<RowName>

  /// How many rows a table has now.
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

  /// Row by row, so that an unreadable one costs only itself.
  private mutating func save(_ part: ExportPart, of table: String) throws(ToolError) {
    for key in keys(of: table) {
      let row = RowName(table: table, key: key)
      if let whole = lines(of: part, key, isWhole: true), try add(whole) {
        lost.remove(row)
      } else {
        if isFirst { lost.insert(row) }
        if let record = lines(of: part, key, isWhole: false) { _ = try add(record) }
      }
    }
  }

  /// What an export says of a row; `nil` when it cannot be read.
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

  /// The keys that the table itself or any of its indexes still gives.
  private func keys(of table: String) -> [Int] {
    var keys: Set<Int> = []
    func take(_ sql: String) {
      // What cannot be read here may be read there.
      do throws(ToolError) {
        let statement = try source.database.prepare(sql)
        while try statement.step() { keys.insert(statement.row.integer(0)) }
      } catch {}
    }
    take("SELECT key FROM \(table) NOT INDEXED ORDER BY key")
    take("SELECT key FROM \(table) NOT INDEXED ORDER BY key DESC")
    var indexes: [String] = []
    do throws(ToolError) {
      let statement = try source.database.prepare(
        """
        SELECT name FROM sqlite_schema
        WHERE type = 'index' AND tbl_name = '\(table)' AND coalesce(sql, '') NOT LIKE '% WHERE %'
        """)
      while try statement.step() { indexes.append(statement.row.text(0) ?? "") }
    } catch {}
    for index in indexes { take("SELECT key FROM \(table) INDEXED BY \"\(index)\"") }
    return keys.sorted()
  }

  /// Up to the first row that cannot be read.
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
      // The rest cannot be told apart any more.
    }
    for line in lines { _ = try add(line) }
  }

  /// Stores a record and, on a line of its own, what was known beside it.
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
      _ = try JSONDocument(line).root.isObject
      return true
    } catch {
      return false
    }
  }
}

extension Salvage {
  /// - Parameters:
  ///   - source: the damaged file, or what sqlite3(1) made of it.
  ///   - target: a file that is not there yet, or that an earlier salvage has filled.
  ///   - lost: what that one could not read.
  init(from source: String, into target: String, lost: Set<RowName>?) throws(ToolError) {
    let damaged = try TweetStore(damaged: source)
    self.init(
      source: damaged, target: try StoreImport(try TweetStore(target, .readWrite)), isFirst: lost == nil,
      lost: lost ?? [])
  }
}
