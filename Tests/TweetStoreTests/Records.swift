import TweetCore

@testable import TweetStore

extension TweetWriter {
  mutating func add(_ record: JSONDocument) throws(ToolError) -> AddResult {
    try record.read { (record) throws(ToolError) in try add(record) }
  }
}

extension RecordMerge {
  @discardableResult
  static func append(newer: JSONDocument, older: JSONDocument, to buffer: inout ByteBuffer) -> Bool {
    newer.read { newer in older.read { append(newer: newer, older: $0, to: &buffer) } }
  }
}
