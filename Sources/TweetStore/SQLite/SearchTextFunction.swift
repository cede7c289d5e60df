import CSQLite
import TweetCore

/// The SQL function `search_text(text)`: a text in the form in which the full-text index has it.
///
/// The schema does not use it, so that programs without it can use the index: FTS5 reads whole texts for ranks and snippets.
enum SearchTextFunction {
  /// Adds the function to a connection. Returns a result code of SQLite.
  static func add(to connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, "search_text", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, arguments in
        guard let value = arguments?.pointee else { return sqlite3_result_null(context) }
        // First the text, then its length: asking for the text may convert it.
        let start = sqlite3_value_text(value)
        let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        var indexed = ByteBuffer()
        guard SearchText.append(text, to: &indexed) else { return sqlite3_result_value(context, value) }
        indexed.withBytes { tw_sqlite_result_text(context, $0.baseAddress, Int32(clamping: $0.count)) }
      }, nil, nil, nil)
  }
}
