import CRecords
import SQLite
import TweetCore

/// Packs records for the columns `json`, with zstd and the dictionary of the program. SQL reads them with ``tweet(_:)``
/// and ``user``. CRecords.h has the format.
///
/// A class: the tables of one writer share it.
final class RecordPacker {
  private let packer: OpaquePointer

  private let isPacking: Bool

  /// - Parameter isPacking: whether records are packed at all. In memory that would only cost time.
  init(isPacking: Bool = true) throws(ToolError) {
    self.isPacking = isPacking
    guard let packer = tw_packer_new() else { throw .tryLater("no memory for packing records") }
    self.packer = packer
  }

  deinit { tw_packer_free(packer) }

  /// Binds a packed record; the record itself if that is shorter.
  /// - Parameters:
  ///   - text: the string in the record that is the text of its tweet; `nil` for a record without one.
  ///   - column: the column `text` of the same row, the same string without escapes.
  func bind(
    _ record: ByteView, text: JSONValue?, column: ByteView,
    to statement: borrowing Statement, _ index: Int32
  ) {
    if !isPacking { return statement.bind(index, inPlace: record) }
    let raw = text?.rawString ?? .empty
    var count = 0
    guard
      let packed = tw_packer_pack(
        packer, record.baseAddress, record.count, raw.baseAddress, raw.count, column.baseAddress, column.count, &count)
    else { return statement.bind(index, inPlace: record) }
    statement.bind(index, copying: UnsafeRawBufferPointer(start: packed, count: count))
  }

  /// Binds a packed record from which no text is cut out.
  func bind(_ record: ByteView, to statement: borrowing Statement, _ index: Int32) {
    bind(record, text: nil, column: .empty, to: statement, index)
  }

  /// SQL for the record in a row of `tweets` or `tweet_versions`; NULL if it cannot be unpacked.
  /// - Parameter alias: what the table is called in the statement.
  static func tweet(_ alias: String? = nil) -> String {
    let table = alias.map { $0 + "." } ?? ""
    return "record(\(table)json, \(table)text)"
  }

  /// SQL for the record in a row of `notifications`; NULL if it cannot be unpacked.
  static let notification = "record(json, NULL)"

  /// SQL for the record in a row of `users`; NULL if it cannot be unpacked.
  static let user = "record(json, NULL)"
}
