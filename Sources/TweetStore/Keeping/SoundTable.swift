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
    bind(values, to: check)
    defer { check.reset() }
    return try check.step() && check.row.integer(0) == 1
  }

  /// Stores a row with a new checksum. One that is there already stays.
  func insert(_ values: [RawRow.Value]) throws(ToolError) {
    bind(Array(values.prefix(sum.columns.count)), to: write)
    try write.run()
  }

  private func bind(_ values: [RawRow.Value], to statement: borrowing Statement) {
    for (index, value) in values.enumerated() {
      let parameter = Int32(index + 1)
      switch value {
      case .null: statement.bindNull(parameter)
      case .integer(let number): statement.bind(parameter, number)
      case .text(let bytes): bytes.withUnsafeBufferPointer { statement.bind(parameter, copying: $0) }
      case .bytes(let bytes), .real(let bytes): statement.bind(parameter, .bytes(bytes))
      }
    }
  }

  /// Whether a row has the form of a record of this table: for rows whose checksum does not say it.
  func isRecord(_ values: [RawRow.Value]) -> Bool {
    let columns = sum.columns.count
    guard sum.table == "tweets" || sum.table == "users", values.count == columns || values.count == columns + 1 else {
      return false
    }
    guard case .text(let json) = values[columns - 1] else { return false }
    return json.first == UInt8(ascii: "{")
  }

  /// Whether a row without a checksum can be believed: if its columns say what its record says. A row without a record
  /// cannot.
  func agrees(_ values: [RawRow.Value]) -> Bool {
    guard sum.columns.last == "json", case .text(let json) = values[sum.columns.count - 1],
      let document = StoredColumns.parse(json)
    else { return false }
    let record = document.root
    let names: [(column: String, value: JSONValue?)] =
      switch sum.table {
      case "users": [("id", record["id"])]
      case "tweets": [("service", record["service"]), ("id", record["id"]), ("text", record["text"])]
      default: [("text", record["text"])]
      }
    return names.allSatisfy { name in name.value?.string.map { Array($0.utf8) } == text(name.column, values) }
  }

  /// The tweet or the user of a row, as its columns say.
  func identity(_ values: [RawRow.Value]) -> RowRecovery.Identity? {
    guard let service = text("service", values), let id = text("id", values) else { return nil }
    return RowRecovery.Identity(
      type: sum.table == "tweets" ? "tweet" : "user", service: String(decoding: service, as: UTF8.self),
      id: String(decoding: id, as: UTF8.self))
  }

  /// The record in a row of `tweets` or `users`, and whose it is.
  func record(_ values: [RawRow.Value]) -> (RowRecovery.Identity, [UInt8])? {
    guard isRecord(values), let identity = identity(values), case .text(let json) = values[sum.columns.count - 1] else {
      return nil
    }
    return (identity, json)
  }

  private func text(_ column: String, _ values: [RawRow.Value]) -> [UInt8]? {
    guard let index = sum.columns.firstIndex(of: column), index < values.count, case .text(let bytes) = values[index]
    else { return nil }
    return bytes
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
