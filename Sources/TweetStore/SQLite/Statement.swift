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

/// The row a statement stands on. Valid only until the statement goes on.
package struct Row {
  let statement: OpaquePointer

  /// A column's integer, 0 for NULL. Columns count from 0.
  package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  /// A column's integer, `nil` for NULL.
  package func optionalInteger(_ column: Int32) -> Int? { isNull(column) ? nil : integer(column) }

  /// A column's text, `nil` for NULL.
  package func text(_ column: Int32) -> String? {
    isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
  }

  /// A column's bytes, text as UTF-8; empty for NULL. The pointer is SQLite's own, good as long as the row is.
  package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    guard let start = sqlite3_column_blob(statement, column) else {
      return UnsafeBufferPointer(start: nil, count: 0)
    }
    let count = Int(sqlite3_column_bytes(statement, column))
    return UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
  }

  /// A column's RFC 3339 time; 1970 when it holds none.
  package func time(_ column: Int32) -> Timestamp {
    Timestamp(ascii: bytes(column)) ?? Timestamp(milliseconds: 0)
  }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

/// A prepared statement: bind (parameters count from 1), then ``run()`` or ``step()``.
///
/// It must not outlive the writes it takes part in: a statement left in the middle of its rows keeps its read
/// transaction open until ``reset()``.
package struct Statement: ~Copyable {
  private let statement: OpaquePointer

  init(_ sql: String, on handle: OpaquePointer) throws(ToolError) {
    var prepared: OpaquePointer?
    // Statements are kept, so it pays to tell SQLite that they are.
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw failure(code, handle, doing: "use", sql: sql) }
    statement = prepared
  }

  /// Takes over a statement that ``release()`` gave.
  init(adopting statement: OpaquePointer) { self.statement = statement }

  deinit { sqlite3_finalize(statement) }

  /// Gives SQLite's statement to the caller, who finalizes it.
  consuming func release() -> OpaquePointer {
    let pointer = statement
    discard self
    return pointer
  }

  /// The row it stands on after ``step()`` gave true.
  package var row: Row { Row(statement: statement) }

  /// Binds text that is not copied: the bytes must stay as they are until the statement was run and is bound anew.
  package func bind(_ index: Int32, inPlace text: UnsafeBufferPointer<UInt8>) {
    noteBinding(tw_sqlite_bind_text_in_place(statement, index, text.baseAddress, Int32(clamping: text.count)))
  }

  /// Binds text that is copied.
  package func bind(_ index: Int32, copying text: UnsafeBufferPointer<UInt8>) {
    noteBinding(tw_sqlite_bind_text_copy(statement, index, text.baseAddress, Int32(clamping: text.count)))
  }

  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bind(index, copying: $0) }
  }

  package func bind(_ index: Int32, _ number: Int) {
    noteBinding(sqlite3_bind_int64(statement, index, Int64(number)))
  }

  package func bindNull(_ index: Int32) { noteBinding(sqlite3_bind_null(statement, index)) }

  package func bind(_ index: Int32, _ value: SQLValue) {
    switch value {
    case .null: bindNull(index)
    case .integer(let number): bind(index, number)
    case .text(let text): bind(index, text)
    case .bytes(let bytes):
      bytes.withUnsafeBufferPointer {
        noteBinding(tw_sqlite_bind_blob_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count)))
      }
    }
  }

  package func bind(_ index: Int32, _ number: Int?) {
    if let number { bind(index, number) } else { bindNull(index) }
  }

  /// Binds all parameters in order.
  package func bind(_ values: [SQLValue]) {
    for (place, value) in values.enumerated() { bind(Int32(place + 1), value) }
  }

  /// Goes to the next row; false when there is none, and then the statement is ready to be bound again.
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
        sql: sqlite3_sql(statement).map { String(cString: $0) })
      sqlite3_reset(statement)
      throw error
    }
  }

  /// What SQLite has against the values bound, which are a person's; `nil` for nothing. The rows are left.
  func fault() throws(ToolError) -> String? {
    defer { sqlite3_reset(statement) }
    if sqlite3_step(statement) == SQLITE_ERROR { return String(cString: sqlite3_errmsg(sqlite3_db_handle(statement))) }
    sqlite3_reset(statement)
    _ = try step()
    return nil
  }

  /// Runs it to its end, whatever rows it gives.
  package func run() throws(ToolError) {
    while try step() {}
  }

  /// Leaves the rows not yet read.
  package func reset() { sqlite3_reset(statement) }

  /// Binding fails only on a wrong index, on a value above SQLite's limit of a billion bytes, which callers keep away, or
  /// without memory: nothing that could be gone on from.
  private func noteBinding(_ code: Int32) {
    precondition(code == SQLITE_OK, "cannot bind a parameter: code \(code)")
  }
}
