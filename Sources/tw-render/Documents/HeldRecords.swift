import TweetCore

/// The records of a document that wait on disk until the input ends, or pauses: what comes there may say that one was
/// deleted, and what a document has cannot be taken back.
final class HeldRecords {
  /// Milliseconds without a record after which a live pipe is not held back longer, and those after which it never is.
  private static let (pause, patience) = (500, 60_000)
  private static let block = 1 << 20

  private let spool: RecordSpool
  /// Bytes of each.
  private var lengths: [Int32] = []
  private let begin = MonotonicClock.milliseconds
  /// Since when no record comes; `nil` while one does.
  private var idleSince: Int?

  init() throws(ToolError) { spool = try RecordSpool(in: Paths.temporary) }

  func append(_ record: JSONValue) throws(ToolError) {
    idleSince = nil
    _ = try spool.append(record.raw)
    lengths.append(Int32(clamping: record.raw.count))
  }

  /// Milliseconds to wait for more; `nil` when they have waited long enough. It is asked while no record comes.
  func wait() -> Int32? {
    let now = MonotonicClock.milliseconds
    let since = idleSince ?? now
    idleSince = since
    let left = min(since + Self.pause, begin + Self.patience) - now
    return left > 0 ? Int32(clamping: left) : nil
  }

  /// Hands out all records, in their order.
  func handOut(_ body: (JSONValue) throws(ToolError) -> Void) throws(ToolError) {
    try spool.finish()
    var (offset, first) = (0, 0)
    while first < lengths.count {
      var (end, size) = (first, 0)
      repeat {
        size += Int(lengths[end])
        end += 1
      } while end < lengths.count && size + Int(lengths[end]) <= Self.block
      let block = try spool.read(at: offset, count: size)
      var start = 0
      for length in lengths[first..<end] {
        let record: JSONDocument
        do { record = try JSONDocument(Array(block[start..<(start + Int(length))])) } catch {
          throw .bug("a record that was read before cannot be read again")
        }
        try record.read { (record) throws(ToolError) in try body(record) }
        start += Int(length)
      }
      (offset, first) = (offset + size, end)
    }
  }
}
