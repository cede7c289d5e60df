import Libc
import SQLite
import TweetCore

/// Rows of one table that are inserted in the order of their keys, a text and the key of a tweet.
///
/// Tweets name tags, users and links in no order, so each row would change another page of the file. Of rows in order,
/// those of one page follow each other.
struct SortedRows: ~Copyable {
  /// How SQLite compares the texts.
  enum Collation { case binary, noCase }

  private struct Row {
    var text: Range<Int>
    var tweet: Int
    /// Two more columns; NULL if they are empty.
    var third: Range<Int>
    var fourth: Range<Int>
    /// Of rows with the same key the first one is inserted.
    var number: Int
  }

  private let insert: Statement
  private let collation: Collation
  /// The texts of all rows.
  private var texts = ByteBuffer()
  private var rows: [Row] = []

  /// - Parameter insert: a statement that inserts a row, unless its key is there. Its parameters are the text, the
  ///   tweet, and up to two more texts.
  init(_ insert: consuming Statement, _ collation: Collation = .binary) {
    self.insert = insert
    self.collation = collation
  }

  /// The memory of the rows, in bytes.
  var size: Int { texts.count + rows.count * MemoryLayout<Row>.stride }

  /// Appends a row. Values that are not text, or empty, become NULL.
  /// - Parameter text: a string that is not empty.
  mutating func append(_ text: JSONValue, _ tweet: Int, _ third: JSONValue? = nil, _ fourth: JSONValue? = nil) {
    let (text, third, fourth) = (put(text), put(third), put(fourth))
    rows.append(Row(text: text, tweet: tweet, third: third, fourth: fourth, number: rows.count))
  }

  mutating func append(_ text: String, _ tweet: Int) {
    let start = texts.count
    texts.append(text)
    let end = texts.count
    rows.append(Row(text: start..<end, tweet: tweet, third: end..<end, fourth: end..<end, number: rows.count))
  }

  private mutating func put(_ value: JSONValue?) -> Range<Int> {
    let start = texts.count
    if let value, value.isString { texts.append(unescaping: value.rawString) }
    return start..<texts.count
  }

  /// Inserts the rows that were appended since the last call.
  mutating func insertAll() throws(ToolError) {
    let isFolded = collation == .noCase
    texts.withBytes { bytes in
      rows.sort { left, right in
        let order = Self.compare(bytes, left.text, right.text, isFolded: isFolded)
        return order == 0 ? (left.tweet, left.number) < (right.tweet, right.number) : order < 0
      }
    }
    for row in rows {
      texts.withBytes { bytes in
        insert.bind(1, copying: bytes.extracting(row.text))
        insert.bind(2, row.tweet)
        for (index, range) in [(Int32(3), row.third), (4, row.fourth)] where index <= insert.parameterCount {
          if range.isEmpty {
            insert.bindNull(index)
          } else {
            insert.bind(index, copying: bytes.extracting(range))
          }
        }
      }
      try insert.run()
    }
    discardAll()
  }

  /// Discards what was appended in a transaction that was rolled back.
  mutating func discardAll() {
    rows.removeAll(keepingCapacity: true)
    texts.removeAll()
  }

  /// Less than, equal to or greater than 0.
  private static func compare(
    _ bytes: ByteView, _ left: Range<Int>, _ right: Range<Int>, isFolded: Bool
  ) -> Int {
    let count = min(left.count, right.count)
    if isFolded {
      for offset in 0..<count {
        // As in SQLite, only the letters of ASCII have two cases.
        let a = bytes[left.lowerBound + offset].asASCIILowercase
        let b = bytes[right.lowerBound + offset].asASCIILowercase
        if a != b { return Int(a) - Int(b) }
      }
    } else {
      let order = bytes.extracting(left.prefix(count)).order(to: bytes.extracting(right.prefix(count)))
      if order != 0 { return order }
    }
    return left.count - right.count
  }
}
