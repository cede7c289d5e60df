import SQLite
package import TweetCore

/// Records that are stored in one transaction, in the order in which they were read.
///
/// Tweets are stored in the order of their keys, oldest first, wherever they came from: services send the newest first,
/// and files have tweets of many years. In order, the pages of the file are filled one after the other (otherwise two
/// fifths of each page stay empty), and what a tweet changes is mostly in pages that the tweet before it has changed.
package struct RecordBatch: ~Copyable {
  /// What is to be done with a record.
  private enum Item {
    /// Stored; the first key to try for it.
    case tweet(key: Int)
    /// Applied before all tweets that follow it, and after all that came before.
    case change
    /// Not stored.
    case other
  }

  /// The records, each with a newline.
  private var lines = ByteBuffer()
  private var items: [(item: Item, end: Int)] = []
  /// How many of the records are stored or applied.
  package private(set) var stored = 0

  package init() {}

  package var isEmpty: Bool { items.isEmpty }
  package var count: Int { items.count }
  /// Bytes of all records.
  package var bytes: Int { lines.count }

  /// Appends a record that the store accepts; see ``TweetWriter/fault(in:)``.
  package mutating func append(_ record: JSONValue) {
    var item = Item.change
    if record["tw"]?.equals("tweet") == true {
      let fields = TweetColumns(record)
      if let service = fields.service, let id = fields.id {
        let created = fields.createdAt?.time
        let seen = created ?? fields.retrievedAt?.time ?? .now
        item = .tweet(
          key: TweetKey.preferred(service: service.rawString, id: id.rawString, created: created, seen: seen))
      }
    }
    append(record.raw, item)
    stored += 1
  }

  /// Appends a line that is not stored.
  package mutating func append(other line: ByteView) { append(line, .other) }

  private mutating func append(_ line: ByteView, _ item: Item) {
    lines.append(line)
    lines.append(UInt8(ascii: "\n"))
    items.append((item, lines.count))
  }

  package mutating func removeAll() {
    lines.removeAll()
    items.removeAll(keepingCapacity: true)
    stored = 0
  }

  /// Whether a record is stored or applied.
  package func isStored(_ index: Int) -> Bool {
    if case .other = items[index].item { false } else { true }
  }

  /// Whether nothing but tweets is stored.
  package var hasOnlyTweets: Bool {
    stored > 0
      && items.allSatisfy {
        if case .change = $0.item { false } else { true }
      }
  }

  package func isTweet(_ index: Int) -> Bool {
    if case .tweet = items[index].item { true } else { false }
  }

  /// Calls `body` with the bytes of a record. At least ``JSONIndex/padding`` bytes can be read after them.
  package func withRecord<Result, Failure: Error>(
    _ index: Int, _ body: (ByteView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withLines(index..<index + 1) { (line) throws(Failure) in
      try body(ByteView(rebasing: line.dropLast()))
    }
  }

  /// Calls `body` with the lines of records that follow each other. There is at least one.
  package func withLines<Result, Failure: Error>(
    _ range: Range<Int>, _ body: (ByteView) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = range.lowerBound == 0 ? 0 : items[range.lowerBound - 1].end
    return try lines.withBytes { (bytes) throws(Failure) in
      try body(bytes.extracting(start..<items[range.upperBound - 1].end))
    }
  }

  /// The records that are stored, by their indexes, in the order in which that is done.
  var order: [Int] {
    var order: [Int] = []
    order.reserveCapacity(stored)
    var tweets: [(key: Int, index: Int)] = []
    func appendTweets() {
      // The same tweet may be there twice: of equal keys the first one comes first.
      tweets.sort { ($0.key, $0.index) < ($1.key, $1.index) }
      order += tweets.map(\.index)
      tweets.removeAll(keepingCapacity: true)
    }
    for (index, (item, _)) in items.enumerated() {
      switch item {
      case .tweet(let key): tweets.append((key, index))
      case .change:
        appendTweets()
        order.append(index)
      case .other: break
      }
    }
    appendTweets()
    return order
  }
}

extension TweetWriter {
  /// A batch of more bytes is one of a bulk load.
  private static let bulk = 20 << 20

  /// Stores a batch in a transaction of its own: it is on disk then. When it throws, nothing of it is stored.
  ///
  /// - Parameter isLive: whether the batch, which has only tweets to store, is put into `incoming`, if all of them can
  ///   wait there.
  /// - Returns: what was done with each record, in the order of the batch.
  package mutating func store(_ batch: borrowing RecordBatch, isLive: Bool = false) throws(ToolError) -> [AddResult] {
    var results = [AddResult](repeating: AddResult(), count: batch.count)
    if batch.stored == 0 { return results }
    try database.use(for: batch.bytes > Self.bulk ? .bulk : .usual)
    if isLive { try beginTransaction() } else { try begin() }
    let reader = JSONReader()
    var canWait = true
    do throws(ToolError) {
      for index in batch.order where canWait {
        results[index] = try batch.withRecord(index) { (bytes) throws(ToolError) in
          let record = try reader.checked(bytes)
          guard isLive else { return try addChecked(record) }
          guard let result = try addIncoming(record) else {
            canWait = false
            return AddResult()
          }
          return result
        }
      }
    } catch {
      rollback()
      throw error
    }
    guard canWait else {
      rollback()
      return try store(batch)
    }
    try commit()
    return results
  }
}

extension JSONReader {
  /// Reads a record of a batch, which was checked before.
  func checked(_ record: ByteView) throws(ToolError) -> JSONValue {
    do throws(JSONFault) {
      return try read(record, readable: JSONIndex.padding)
    } catch {
      throw .bug("a record in a batch is no JSON: \(error.reason)")
    }
  }
}
