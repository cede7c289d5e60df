import Libc
import SQLite
import TweetCore

/// Finds the rows of a damaged store, and copies those that are sound to another store that has no other rows.
///
/// Rows are found in two ways. SQL gives those that it can still reach. Then every page of the file is read, without
/// SQLite: its rows are there whatever happened to the head of the file, the schema or the pages above. Which table a
/// row is of, and that it is sound, is shown by its checksum. A row of another program, which has none, is known by its
/// form.
struct RowRecovery: ~Copyable {
  private let path: String
  private let progress: WorkSteps
  private let target: Database
  private var tables: [SoundTable] = []
  /// The records of tweets and users that were found but are not as they were written.
  private(set) var altered: [Identity: Altered] = [:]
  /// Stores a tweet that an index names.
  private let name: Statement
  /// How many pages are missing or empty.
  private(set) var lostPages = 0
  /// Whether a row of ours was found, sound or not.
  private(set) var hasFoundAny = false

  /// What identifies a tweet or a user.
  struct Identity: Hashable, Comparable {
    /// `tweet` or `user`.
    var type: String
    var service: String
    var id: String

    static func < (one: Identity, other: Identity) -> Bool {
      (one.type, one.service, one.id) < (other.type, other.service, other.id)
    }
  }

  /// A record as it is stored, and the text of its row.
  struct Altered {
    var json: RawRow.Value
    var text: RawRow.Value
  }

  /// An altered record, as far as it can be unpacked; `nil` if it cannot.
  func record(_ altered: Altered) throws(ToolError) -> [UInt8]? {
    let unpack = try target.prepare("SELECT record(?, ?)")
    unpack.bind(1, altered.json)
    unpack.bind(2, altered.text)
    guard try unpack.step(), !unpack.row.isNull(0) else { return nil }
    return Array(unpack.row.bytes(0))
  }

  /// The tweets that an index names and that were not found, and those whose sound row cannot be unpacked.
  func lost() throws(ToolError) -> [Identity] {
    // One bit of an entry may be wrong: then either its id or its key is that of a tweet that was found.
    let read = try target.prepare(
      """
      SELECT service, id FROM temp.named WHERE key NOT IN (SELECT key FROM tweets)
      EXCEPT SELECT service, id FROM tweets
      UNION SELECT service, id FROM tweets WHERE \(RecordPacker.tweet()) IS NULL
      """)
    var found: [Identity] = []
    while try read.step() {
      found.append(Identity(type: "tweet", service: read.row.text(0) ?? "", id: read.row.text(1) ?? ""))
    }
    return found.filter { altered[$0] == nil }
  }

  mutating func run() throws(ToolError) {
    try target.begin()
    do throws(ToolError) {
      let file = try openPages()
      // SQL gives what SQLite sees. Newer rows may be in the part of the log that it does not read.
      if file?.hasLostCommits != true { readTables() }
      try stopIfInterrupted()
      if let file { try readPages(of: file) }
    } catch {
      target.rollback()
      throw error
    }
    try target.commit()
    // A record that is altered in one place may be sound in another.
    for identity in altered.keys where try isSaved(identity) { altered[identity] = nil }
  }

  private func isSaved(_ identity: Identity) throws(ToolError) -> Bool {
    let find = try target.prepare("SELECT 1 FROM \(identity.type)s WHERE service = ? AND id = ?")
    find.bind([.text(identity.service), .text(identity.id)])
    return try find.step()
  }

  /// Copies what SQL can reach: from the first row and from the last one, up to one that it cannot.
  private mutating func readTables() {
    do throws(ToolError) {
      let source = try Database(damaged: path)
      for index in tables.indices {
        let table = tables[index].sum
        let columns = table.columns + ["checksum"]
        for order in ["ASC", "DESC"] {
          let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table.table) NOT INDEXED ORDER BY 1 \(order)"
          Self.readRows(sql, from: source) { (row) throws(ToolError) in
            let values = columns.indices.map { row.raw(Int32($0)) }
            try keep(values, table: index)
          }
        }
      }
      Self.readRows("SELECT service, id, key FROM tweets INDEXED BY sqlite_autoindex_tweets_1", from: source) {
        (row) throws(ToolError) in
        name.bind([.text(row.text(0) ?? ""), .text(row.text(1) ?? ""), .integer(row.integer(2))])
        try name.run()
      }
    } catch {
      // SQLite cannot open it: the rows are found on the pages.
    }
  }

  private static func readRows(
    _ sql: String, from source: borrowing Database, _ body: (Row) throws(ToolError) -> Void
  ) {
    do throws(ToolError) {
      let statement = try source.prepare(sql)
      while Interruption.signal == nil, try statement.step() { try body(statement.row) }
    } catch {
      // The table is missing, or this is the first row that cannot be read: the others are found on the pages.
    }
  }

  /// Copies what is on the pages of the file.
  private mutating func readPages(of file: DamagedFile) throws(ToolError) {
    for image in file.damagedImages() { try keepRows(of: image, headOffset: 0, file) }
    lostPages = try file.forEachPage { (number, page, percent) throws(ToolError) in
      progress(percent, 100, "percent of the pages")
      try keepRows(of: page, headOffset: DamagedFile.headOffset(number), file)
    }
  }

  /// The pages of the file, in the size with which most rows of a sample are sound; `nil` if it cannot be read.
  private func openPages() throws(ToolError) -> DamagedFile? {
    var (best, most) = (DamagedFile?.none, -1)
    let sizes = DamagedFile.pageSizes(of: path)
    for size in sizes {
      try stopIfInterrupted()
      guard let file = DamagedFile(path, pageSize: size) else { return nil }
      if sizes.count == 1 { return file }
      var sound = 0
      for (number, bytes) in file.sample() {
        let offset = DamagedFile.headOffset(number)
        guard let page = RowPage(bytes, headOffset: offset, usableSize: file.usableSize) else { continue }
        for cell in page.cells {
          guard let row = page.row(at: cell, overflow: file.page) else { continue }
          if try table(of: Self.values(of: row, isTable: page.isTable)) != nil { sound += 1 }
        }
      }
      if sound > most { (best, most) = (file, sound) }
    }
    return best
  }

  private func stopIfInterrupted() throws(ToolError) {
    if Interruption.signal != nil { throw .tryLater("interrupted while '\(path)' was repaired; nothing has changed") }
  }

  /// The values of a row, with its key. The column that is the key is stored as NULL.
  private static func values(of row: RawRow, isTable: Bool) -> [RawRow.Value] {
    var values = row.values
    if isTable, let key = row.key, values.first == .null { values[0] = .integer(key) }
    return values
  }

  /// The table of a row, as its checksum says; `nil` if it is of none.
  private func table(of values: [RawRow.Value]) throws(ToolError) -> Int? {
    for index in tables.indices where values.count == tables[index].sum.columns.count + 1 {
      if try tables[index].isSound(values) { return index }
    }
    return nil
  }

  private mutating func keepRows(of bytes: [UInt8], headOffset: Int, _ file: DamagedFile) throws(ToolError) {
    try stopIfInterrupted()
    guard let page = RowPage(bytes, headOffset: headOffset, usableSize: file.usableSize) else { return }
    for cell in page.cells {
      guard let row = page.row(at: cell, overflow: file.page) else { continue }
      try keep(row, isTable: page.isTable)
    }
  }

  /// Copies a row from a page if its checksum shows that it is a sound row of one of the tables.
  private mutating func keep(_ row: RawRow, isTable: Bool) throws(ToolError) {
    let values = Self.values(of: row, isTable: isTable)
    if let index = try table(of: values) { return try insert(values, table: index) }
    if !isTable { try keepName(values) }
    // Without a checksum that fits: altered, or of another program.
    for index in tables.indices where isTable == tables[index].hasKeys && tables[index].isRecord(values) {
      return try keep(values, table: index)
    }
  }

  /// Remembers what an entry of the index of `tweets` by service and id says. Keys of other tables are small.
  private func keepName(_ values: [RawRow.Value]) throws(ToolError) {
    guard values.count == 3, case .text(let service) = values[0], case .text(let id) = values[1],
      case .integer(let key) = values[2], abs(key) > 1 << 40
    else { return }
    name.bind([
      .text(String(decoding: service, as: UTF8.self)), .text(String(decoding: id, as: UTF8.self)), .integer(key),
    ])
    try name.run()
  }

  /// Copies a row of a table if it is sound. A record that is not is remembered.
  private mutating func keep(_ values: [RawRow.Value], table: Int) throws(ToolError) {
    let isSound = values.last == .null ? tables[table].agrees(values) : try tables[table].isSound(values)
    if isSound { return try insert(values, table: table) }
    guard let (identity, record) = tables[table].record(values) else { return }
    hasFoundAny = true
    altered[identity] = altered[identity] ?? record
  }

  private mutating func insert(_ values: [RawRow.Value], table: Int) throws(ToolError) {
    try tables[table].insert(values)
    hasFoundAny = true
  }
}

extension RowRecovery {
  /// - Parameters:
  ///   - path: the damaged file.
  ///   - target: a file that does not exist yet.
  init(from path: String, into target: String, progress: @escaping WorkSteps) throws(ToolError) {
    let store = try TweetStore(target, .readWrite, syncs: false)
    let database = store.releaseDatabase()
    let tables = try RowSum.all.map { (sum) throws(ToolError) in try SoundTable(sum, database) }
    try database.execute("CREATE TEMP TABLE named (service, id, key, PRIMARY KEY (service, id)) WITHOUT ROWID")
    let name = try database.prepare("INSERT OR IGNORE INTO temp.named VALUES (?, ?, ?)")
    self.init(path: path, progress: progress, target: database, tables: tables, name: name)
  }
}
