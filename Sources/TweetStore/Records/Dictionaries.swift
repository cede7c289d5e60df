import CRecords
import TweetCore

/// The table `dictionaries`: what records are packed with. Each dictionary is made from records of the store itself, and is
/// stored twice, since without it those that were packed with it are lost.
enum Dictionaries {
  /// How many tweets a store has when its first dictionary is made, and its second one. The first one saves a fifth; the second
  /// one knows more of what is frequent in this store.
  static let sizes = [1000, 20_000]
  /// How many of the newest tweets a dictionary is made from, about, and the bytes of all of them at most.
  private static let samples = 1500
  private static let sampleSize = 4 << 20

  /// Packs with the newest dictionary of the store from now on.
  static func useNewest(_ packer: RecordPacker, _ connection: Connection) throws(ToolError) {
    // Most often it is that of the last transaction.
    if try count(connection) == packer.dictionary { return }
    let newest = try Statement(newestSQL, on: connection.handle)
    if try newest.step() { try packer.use(newest.row.bytes(1), number: newest.row.integer(0)) }
  }

  private static let newestSQL =
    "SELECT number, bytes FROM dictionaries WHERE \(RowSum.dictionaries.isSound()) ORDER BY number DESC LIMIT 1"

  /// Makes a dictionary if the store has become large enough for its next one. It is on disk before a record is packed with it:
  /// if a transaction with both were undone, the next dictionary of that number would be another one.
  /// - Returns: how many more tweets the store needs for the next one.
  static func makeIfDue(_ database: borrowing Database) throws(ToolError) -> Int {
    let connection = database.connection
    let missing = try missing(connection)
    if missing > 0 { return missing }
    let count = try count(connection)
    let size = sizes[count]
    let bytes = try make(from: size, connection)
    // Tweets that are too much alike for a dictionary will not become more unlike soon.
    if bytes.isEmpty { return .max }
    try database.write { () throws(ToolError) in
      // Another program has made it meanwhile.
      guard try Self.count(connection) == count else { return }
      try insert(bytes, number: count + 1, connection)
    }
    return count + 1 < sizes.count ? sizes[count + 1] - size : .max
  }

  /// How many more tweets the store needs for its next dictionary.
  static func missing(_ connection: Connection) throws(ToolError) -> Int {
    let count = try count(connection)
    guard count < sizes.count else { return .max }
    return try sizes[count] - connection.integer("SELECT count(*) FROM (SELECT 1 FROM tweets LIMIT \(sizes[count]))")
  }

  /// The number of the newest one; 0 if there is none.
  private static func count(_ connection: Connection) throws(ToolError) -> Int {
    try connection.integer("SELECT max(number) FROM dictionaries")
  }

  static func insert(_ bytes: [UInt8], number: Int, _ connection: Connection) throws(ToolError) {
    let insert = try Statement(RowSum.dictionaries.insertNext(["?1", "?2"]), on: connection.handle)
    for _ in 0..<2 {
      insert.bind([.integer(number), .bytes(bytes)])
      try insert.run()
    }
  }

  /// A dictionary of the newest tweets; empty if they are too few, or too much alike.
  /// - Parameter size: of how many tweets a part is used.
  static func make(from size: Int, _ connection: Connection) throws(ToolError) -> [UInt8] {
    let step = max(size / samples, 1)
    var records: [UInt8] = []
    var counts: [Int] = []
    let read = try Statement(
      "SELECT \(RecordPacker.tweet()) FROM tweets ORDER BY key DESC LIMIT ?", on: connection.handle)
    read.bind(1, size)
    var number = 0
    while records.count < sampleSize, try read.step() {
      number += 1
      if number % step != 0 { continue }
      let record = read.row.bytes(0)
      if record.isEmpty { continue }
      records.append(contentsOf: record)
      counts.append(record.count)
    }
    return make(from: records, counts)
  }

  private static func make(from records: [UInt8], _ counts: [Int]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(TW_DICTIONARY_SIZE)) { dictionary, size in
      size = tw_make_dictionary(dictionary.baseAddress, records, counts, UInt32(clamping: counts.count))
    }
  }
}
