import TweetCLI
import TweetCore
import TweetDisplay

/// `csv` and `tsv`: a row for each tweet, or for each element of a list of it, after a row of the columns' names.
///
/// `csv` is RFC 4180, but a row ends with LF: so twarc-csv writes it, so line tools read it, and every reader of CSV
/// takes it. In both formats a row is one line: a line break in a text is `\n` as two characters, as in twarc-csv.
struct TableFormat: DocumentFormat, ~Copyable {
  enum Separator {
    case comma
    /// Without quotes, so that cut(1) and awk(1) read it: a tab in a text is `\t` as two characters.
    case tab
  }

  private let columns: [TableColumn]
  private let rows: TableRows?
  private let separator: Separator
  private let isGuarded: Bool
  private let hasTextIDs: Bool
  private let hasMark: Bool
  private var decoder = StringDecoder()
  private var json = PythonJSON()
  private var cell = ByteBuffer()
  private var hasRows = false
  /// The columns that only records of other programs can have, until a tweet has a value there.
  private var unseen: [Int]

  /// - Parameters:
  ///   - columns: at least one.
  ///   - rows: what a row is for; `nil` for a tweet.
  ///   - isGuarded: whether texts that a spreadsheet would take for a formula get a `'` before them.
  ///   - hasTextIDs: whether ids are formulas whose value is the id as text.
  ///   - hasMark: whether a byte order mark says that the table is UTF-8.
  init(
    _ columns: [TableColumn], of rows: TableRows?, _ separator: Separator, isGuarded: Bool, hasTextIDs: Bool,
    hasMark: Bool
  ) {
    (self.columns, self.rows, self.separator, self.isGuarded) = (columns, rows, separator, isGuarded)
    (self.hasTextIDs, self.hasMark) = (hasTextIDs, hasMark)
    unseen = columns.indices.filter { !columns[$0].isKnown }
  }

  mutating func begin(_ output: inout ByteBuffer) {
    if hasMark { output.append("\u{FEFF}") }
    for (index, column) in columns.enumerated() {
      if index > 0 { appendSeparator(to: &output) }
      let name = column.name
      name.withBytes { append(text: $0, isGuarded: false, to: &output) }
    }
    output.append(UInt8(ascii: "\n"))
  }

  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer) {
    var row = TableRow(tweet)
    guard let rows else { return append(row, to: &output) }
    for element in rows.elements(of: row) {
      row.element = element
      append(row, to: &output)
    }
  }

  private mutating func append(_ row: TableRow, to output: inout ByteBuffer) {
    let start = output.count
    hasRows = true
    if !unseen.isEmpty { unseen.removeAll { row.value(of: columns[$0]) != nil } }
    for (index, column) in columns.enumerated() {
      if index > 0 { appendSeparator(to: &output) }
      append(column, of: row, to: &output)
    }
    // Readers skip empty lines.
    if columns.count == 1, output.count == start, separator == .comma { output.append("\"\"") }
    output.append(UInt8(ascii: "\n"))
  }

  /// Says which columns stayed empty because nothing has such a name.
  func finish(_ output: inout ByteBuffer) {
    if !hasRows || unseen.isEmpty { return }
    let names = unseen.map { "'\(Printable.line(columns[$0].name))'" }.joined(separator: ", ")
    Diagnostics.warn("--fields: no tweet has \(names), and tweet(5) does not either")
  }

  private func appendSeparator(to output: inout ByteBuffer) {
    output.append(separator == .comma ? UInt8(ascii: ",") : UInt8(ascii: "\t"))
  }

  // MARK: Cells

  private mutating func append(_ column: TableColumn, of row: TableRow, to output: inout ByteBuffer) {
    guard let value = row.value(of: column) else { return }
    switch column.source {
    case .names(let member, let sign) where value.isArray:
      append(value, sign: sign, to: &output) { $0[member] }
    case .addresses where value.isArray:
      append(value, sign: "", to: &output) {
        $0["media_key"] != nil ? $0["display_url"] : $0["expanded_url"] ?? $0["url"]
      }
    case .value where hasTextIDs && column.isID, .reference where hasTextIDs && column.isID:
      append(id: value, to: &output)
    default: append(cell: value, to: &output)
    }
  }

  /// Appends `="20"`: spreadsheets round numbers of more than 15 digits, but take this for the text `20`. Ids that are
  /// no numbers are texts for them as they are.
  private mutating func append(id value: JSONValue, to output: inout ByteBuffer) {
    let id = value.rawString
    guard value.isString, !id.isEmpty, id.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
      return append(cell: value, to: &output)
    }
    let start = output.count
    output.append("=\"")
    output.append(id)
    output.append("\"")
    quoteIfNeeded(&output, from: start, isForced: false)
  }

  private mutating func append(cell value: JSONValue, to output: inout ByteBuffer) {
    switch value.kind {
    case .null: return
    case .number: output.append(value.raw)
    case .bool: output.append(value.bool == true ? "True" : "False")
    case .string: append(text: decoder.decode(value, limit: .max), isGuarded: isGuarded, to: &output)
    case .array, .object:
      cell.removeAll()
      json.append(value, to: &cell)
      appendCell(to: &output)
    }
  }

  /// Appends a list of one string of each element, as JSON. Elements without it are left out.
  private mutating func append(
    _ list: JSONValue, sign: StaticString, to output: inout ByteBuffer, _ string: (JSONValue) -> JSONValue?
  ) {
    cell.removeAll()
    cell.append("[")
    for element in list.elements {
      guard let value = string(element), value.isString else { continue }
      if cell.count > 1 { cell.append(", ") }
      json.append(string: value, sign: sign, to: &cell)
    }
    cell.append("]")
    appendCell(to: &output)
  }

  /// Appends what is in `cell`, which is ASCII without control characters, in quotes if it needs them.
  private mutating func appendCell(to output: inout ByteBuffer) {
    let start = output.count
    cell.withBytes { output.append($0) }
    quoteIfNeeded(&output, from: start, isForced: false)
  }

  private func append(text: ByteView, isGuarded: Bool, to output: inout ByteBuffer) {
    let start = output.count
    let isFormula = isGuarded && Self.isFormula(text, separator)
    if isFormula { output.append(UInt8(ascii: "'")) }
    var offset = 0
    while offset < text.count {
      let plain = Self.endOfPlain(text, from: offset)
      output.append(ByteView(rebasing: text[offset..<plain]))
      offset = plain
      guard offset < text.count else { break }
      let scalar = decodeScalar(text, at: offset)
      offset += scalar.length
      switch scalar.value {
      // Of CR LF one line break stays; a CR alone is one too.
      case 0x0D where offset < text.count && text[offset] == 0x0A: continue
      case 0x0D: output.append("\\n")
      case 0x0A: output.append("\\n")
      case 0x09: output.append(separator == .tab ? "\\t" : "\t")
      // Other control characters: a table is also looked at on a terminal.
      case ..<0x20, 0x7F..<0xA0: output.append("\u{FFFD}")
      default: output.append(ByteView(rebasing: text[offset - scalar.length..<offset]))
      }
    }
    quoteIfNeeded(&output, from: start, isForced: isFormula)
  }

  /// The end of a run of bytes without control characters, which begin with a byte below 0x20, 0x7F or 0xC2.
  private static func endOfPlain(_ text: ByteView, from start: Int) -> Int {
    var end = start
    while end < text.count, text[end] >= 0x20, text[end] != 0x7F, text[end] != 0xC2 { end += 1 }
    return end
  }

  /// Puts what was appended from `start` on in quotes if it has a separator or a quote (RFC 4180 §2).
  private func quoteIfNeeded(_ output: inout ByteBuffer, from start: Int, isForced: Bool) {
    guard separator == .comma else { return }
    let quote = UInt8(ascii: "\"")
    let quotes: Int? = output.withBytes { bytes in
      let field = bytes[start...]
      let quotes = field.reduce(0) { $1 == quote ? $0 + 1 : $0 }
      return isForced || quotes > 0 || field.contains(UInt8(ascii: ",")) ? quotes : nil
    }
    guard let quotes else { return }
    let end = output.count
    for _ in 0..<quotes + 2 { output.append(quote) }
    // From its end to its start, so that nothing is overwritten before it was moved.
    var target = output.count - 2
    for source in stride(from: end - 1, through: start, by: -1) {
      let byte = output[source]
      output[target] = byte
      target -= 1
      if byte == quote {
        output[target] = quote
        target -= 1
      }
    }
    output[start] = quote
  }

  /// Whether a spreadsheet would take a text for a formula: OWASP ASVS 5.0, 1.2.10, and the full-width signs of OWASP's
  /// page "CSV Injection". In a table without quotes, a `"` would also begin a quoted field there.
  private static func isFormula(_ text: ByteView, _ separator: Separator) -> Bool {
    guard let first = text.first else { return false }
    switch first {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0A, 0x0D, 0: return true
    case UInt8(ascii: "\""): return separator == .tab
    case 0xEF:
      let sign = decodeScalar(text, at: 0).value
      return sign == 0xFF1D || sign == 0xFF0B || sign == 0xFF0D || sign == 0xFF20
    default: return false
    }
  }
}
