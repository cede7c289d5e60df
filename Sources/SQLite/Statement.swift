import CSQLite
package import TweetCore

/// A value for a parameter of a statement.
package enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int)
  case text(String)
  case bytes([UInt8])

  /// `nil` is `null`.
  package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  /// `nil` is `null`.
  package init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }
}

/// The statement's current row. Valid only until the next step or reset of the statement.
package struct Row {
  let statement: OpaquePointer

  /// How many columns it has.
  package var count: Int { Int(sqlite3_column_count(statement)) }

  /// A column's integer, 0 for NULL. Columns count from 0.
  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  /// A column's integer, `nil` for NULL.
  package func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

  /// A column's text, `nil` for NULL.
  package func text(_ column: Int32) -> String? {
    isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// A column's bytes, text as UTF-8; empty for NULL. SQLite owns the memory: it is valid as long as the row.
  package func bytes(_ column: Int32) -> ByteView {
    guard let start = sqlite3_column_blob(statement, column) else {
      return .empty
    }
    let count = Int(sqlite3_column_bytes(statement, column))
    return ByteView(start: start.assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// A column's RFC 3339 time; 1970 if it holds no time.
  package func time(_ column: Int32) -> Timestamp {
    Timestamp(ascii: bytes(column)) ?? Timestamp(milliseconds: 0)
  }

  /// What ``RowSum/isSound(_:)`` gives; `nil` if the row has no checksum.
  package func isSound(_ column: Int32) -> Bool? { isNull(column) ? nil : integer(column) != 0 }

  /// The same for a row whose record is unpacked; false if that failed.
  package func isSound(_ column: Int32, record: Int32) -> Bool? { isNull(record) ? false : isSound(column) }

  package enum Kind { case null, integer, real, text, bytes }

  /// How a column is stored.
  package func kind(_ column: Int32) -> Kind {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    default: .null
    }
  }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

/// A prepared statement: bind its parameters (they count from 1), then call ``run()`` or ``step()``.
///
/// A statement with unread rows keeps a read transaction open until ``reset()``.
package struct Statement: ~Copyable {
  private let statement: OpaquePointer
  /// What to do with a damaged file; `nil` where nobody is told.
  private let advice: StaticString?

  init(_ sql: String, on handle: OpaquePointer, _ advice: StaticString?) throws(ToolError) {
    var prepared: OpaquePointer?
    // Statements live long. SQLite then allocates them in another way.
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw failure(code, handle, doing: "use", sql: sql, advice: advice)
    }
    (statement, self.advice) = (prepared, advice)
  }

  /// Becomes the owner of a statement that ``release()`` returned.
  init(adopting statement: OpaquePointer, _ advice: StaticString?) {
    (self.statement, self.advice) = (statement, advice)
  }

  deinit { sqlite3_finalize(statement) }

  /// Returns SQLite's statement. The caller must finalize it.
  consuming func release() -> OpaquePointer {
    let pointer = statement
    discard self
    return pointer
  }

  /// The current row, after ``step()`` returned true.
  package var row: Row { Row(statement: statement) }

  /// How many parameters it has.
  package var parameterCount: Int32 { sqlite3_bind_parameter_count(statement) }

  /// Binds text without a copy: the bytes must not change or move until the parameter is bound again.
  package func bind(_ index: Int32, inPlace text: ByteView) {
    checkBinding(tw_sqlite_bind_text_in_place(statement, index, text.baseAddress, Int32(clamping: text.count)))
  }

  /// Binds a copy of the text.
  package func bind(_ index: Int32, copying text: ByteView) {
    checkBinding(tw_sqlite_bind_text_copy(statement, index, text.baseAddress, Int32(clamping: text.count)))
  }

  /// Binds a copy of bytes that are not text.
  package func bind(_ index: Int32, copying bytes: UnsafeRawBufferPointer) {
    checkBinding(tw_sqlite_bind_blob_copy(statement, index, bytes.baseAddress, Int32(clamping: bytes.count)))
  }

  package func bind(_ index: Int32, _ text: String) {
    text.withBytes { bind(index, copying: $0) }
  }

  package func bind(_ index: Int32, _ number: Int) {
    checkBinding(sqlite3_bind_int64(statement, index, Int64(number)))
  }

  package func bindNull(_ index: Int32) { checkBinding(sqlite3_bind_null(statement, index)) }

  package func bind(_ index: Int32, _ value: SQLValue) {
    switch value {
    case .null: bindNull(index)
    case .integer(let number): bind(index, number)
    case .text(let text): bind(index, text)
    case .bytes(let bytes):
      bytes.withUnsafeBytes { bind(index, copying: $0) }
    }
  }

  package func bind(_ index: Int32, _ number: Int?) {
    if let number { bind(index, number) } else { bindNull(index) }
  }

  /// Binds all parameters in order.
  package func bind(_ values: [SQLValue]) {
    for (index, value) in values.enumerated() { bind(Int32(index + 1), value) }
  }

  /// Binds the values of a row, also one of another connection.
  package func bind(_ row: Row) {
    for column in 0..<Int32(row.count) {
      checkBinding(sqlite3_bind_value(statement, column + 1, sqlite3_column_value(row.statement, column)))
    }
  }

  /// Goes to the next row. False if there is none; then the statement is reset and can be bound again.
  package func step() throws(ToolError) -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(statement)
      return false
    case let code:
      let error = failure(
        code, sqlite3_db_handle(statement),
        doing: sqlite3_stmt_readonly(statement) != 0 ? "read from" : "write to",
        sql: sqlite3_sql(statement).map { String(cString: $0) }, advice: advice)
      sqlite3_reset(statement)
      throw error
    }
  }

  /// SQLite's message if it rejects the bound values, as it does with a person's wrong query of the full-text index;
  /// else `nil`. Other errors are thrown. The rows are discarded.
  package func rejection() throws(ToolError) -> String? {
    defer { sqlite3_reset(statement) }
    if sqlite3_step(statement) == SQLITE_ERROR { return String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))) }
    sqlite3_reset(statement)
    _ = try step()
    return nil
  }

  /// Runs the statement to its end and ignores its rows.
  package func run() throws(ToolError) {
    while try step() {}
  }

  /// Discards the rows that were not read.
  package func reset() { sqlite3_reset(statement) }

  /// Stops the process if binding failed. That needs a wrong index, a value above SQLite's limit of a billion bytes
  /// (callers refuse such records before), or a lack of memory.
  private func checkBinding(_ code: Int32) {
    precondition(code == SQLITE_OK, "cannot bind a parameter: code \(code)")
  }
}
