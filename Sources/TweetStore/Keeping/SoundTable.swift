import SQLite
import TweetCore

/// One table of a store to which rows of a damaged one are copied.
final class SoundTable {
  let sum: RowSum
  private let check: Statement
  private let write: Statement

  init(_ sum: RowSum, _ target: borrowing Database) throws(ToolError) {
    self.sum = sum
    let count = sum.columns.count
    let marks = (1...count).map { "?\($0)" }
    let made = sum.sum(Dictionary(uniqueKeysWithValues: zip(sum.columns, marks)))
    check = try target.prepare("SELECT ?\(count + 1) = \(made)")
    write = try target.prepare(sum.insert(marks, or: "OR IGNORE "))
  }

  /// Whether its rows have integer keys.
  var hasKeys: Bool { sum.columns.first == "key" }

  /// Whether the last value is the checksum of the others, as values of this table.
  func isSound(_ values: [RawRow.Value]) throws(ToolError) -> Bool {
    check.bind(raw: values)
    defer { check.reset() }
    return try check.step() && check.row.integer(0) == 1
  }

  /// Stores a row with a new checksum. One that is there already stays.
  func insert(_ values: [RawRow.Value]) throws(ToolError) {
    write.bind(raw: Array(values.prefix(sum.columns.count)))
    try write.run()
  }

  /// Whether a row has the form of a record of this table: for rows whose checksum does not say it.
  func isRecord(_ values: [RawRow.Value]) -> Bool {
    let columns = sum.columns.count
    guard ["tweets", "users", "incoming"].contains(sum.table), values.count == columns + 1 else { return false }
    return switch values[columns - 1] {
    case .text(let json): json.first == UInt8(ascii: "{")
    case .bytes(let packed): !packed.isEmpty
    default: false
    }
  }

  /// Whether a row without a checksum can be believed: if its columns say what its record says. A row without a record
  /// cannot.
  func agrees(_ values: [RawRow.Value]) -> Bool {
    guard sum.columns.last == "json", case .text(let json) = values[sum.columns.count - 1],
      let document = StoredColumns.parse(json)
    else { return false }
    let names: [(column: String, value: JSONDocument?)] =
      switch sum.table {
      case "users": [("id", document["id"])]
      case "tweets": [("service", document["service"]), ("id", document["id"]), ("text", document["text"])]
      default: [("text", document["text"])]
      }
    return names.allSatisfy { name in name.value?.string.map { Array($0.utf8) } == text(name.column, values) }
  }

  /// The tweet or the user of a row, as its columns say.
  func identity(_ values: [RawRow.Value]) -> RowRecovery.Identity? {
    guard let service = text("service", values), let id = text("id", values) else { return nil }
    return RowRecovery.Identity(
      type: sum.table == "users" ? "user" : "tweet", service: String(decoding: service, as: UTF8.self),
      id: String(decoding: id, as: UTF8.self))
  }

  /// The record in a row, as it is stored, and whose it is.
  func record(_ values: [RawRow.Value]) -> (RowRecovery.Identity, RowRecovery.Altered)? {
    guard isRecord(values), let identity = identity(values) else { return nil }
    let text = sum.columns.firstIndex(of: "text").map { values[$0] } ?? .null
    return (identity, RowRecovery.Altered(json: values[sum.columns.count - 1], text: text))
  }

  private func text(_ column: String, _ values: [RawRow.Value]) -> [UInt8]? {
    guard let index = sum.columns.firstIndex(of: column), index < values.count, case .text(let bytes) = values[index]
    else { return nil }
    return bytes
  }
}

extension Statement {
  /// Binds the first parameters to values as they were stored.
  func bind(raw values: [RawRow.Value]) {
    for (index, value) in values.enumerated() { bind(Int32(index + 1), value) }
  }

  /// Binds a value as it was stored.
  func bind(_ index: Int32, _ value: RawRow.Value) {
    switch value {
    case .null: bindNull(index)
    case .integer(let number): bind(index, number)
    case .text(let bytes): bytes.withBytes { bind(index, copying: $0) }
    case .bytes(let bytes), .real(let bytes): bytes.withUnsafeBytes { bind(index, copying: $0) }
    }
  }
}

extension Row {
  /// A column's value as it is stored.
  func raw(_ column: Int32) -> RawRow.Value {
    switch kind(column) {
    case .null: .null
    case .integer: .integer(integer(column))
    case .text: .text(Array(bytes(column)))
    case .bytes: .bytes(Array(bytes(column)))
    case .real: .real(Array(bytes(column)))
    }
  }
}
