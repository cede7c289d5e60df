import ArgumentParser
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

/// A tweet, and the tweets that it refers to, as the columns of a table need them.
struct TableRow {
  private let tweet: JSONValue
  private let references: JSONValue?
  /// What it retweets.
  private let original: JSONValue?
  /// The element of a list that the row is for; `nil` for one of the tweet.
  var element: JSONValue?

  init(_ tweet: JSONValue) {
    self.tweet = tweet
    references = tweet["referenced_tweets"]
    original = Self.reference(Array("retweeted".utf8), in: references)
  }

  /// The last reference of this type, which twarc-csv takes.
  private static func reference(_ type: [UInt8], in references: JSONValue?) -> JSONValue? {
    guard let references else { return nil }
    var found: JSONValue?
    for reference in references.elements where reference["type"]?.rawString.elementsEqual(type) == true {
      found = reference
    }
    return found
  }

  /// The value that a column is made of: what the cell shows, or the list of entities whose names it shows.
  func value(of column: TableColumn) -> JSONValue? {
    switch column.source {
    case .value, .names, .addresses:
      guard column.isOriginals, let first = column.path.first else { return tweet.value(at: column.path) }
      return (original?.member(first) ?? tweet.member(first))?.value(at: column.path.dropFirst())
    case .element:
      let value = element?.value(at: column.path)
      return column.name == "url" ? element?["expanded_url"] ?? value : value
    case .reference(let type): return Self.reference(type, in: references)?.value(at: column.path)
    case .authorAddress:
      let author = tweet["author"]
      var last: JSONValue?
      if let urls = author?["entities"]?["url"]?["urls"] { for url in urls.elements { last = url } }
      return last?["expanded_url"] ?? last?["url"] ?? author?["url"]
    case .placeID:
      let geo = tweet["geo"]
      // A record has the place's id once; twarc twice, if the place is known.
      return geo?["id"] ?? (geo?["full_name"] != nil ? geo?["place_id"] : nil)
    case .retrievedAt: return tweet["__twarc"]?["retrieved_at"] ?? tweet["retrieved_at"]
    }
  }
}

/// A list of a tweet of which a table has a row for each element.
enum TableRows: String, CaseIterable, Sendable {
  case links, hashtags, media

  /// Where the list is in a tweet; of a retweet in what it retweets.
  private var list: TableColumn {
    switch self {
    case .links: TableColumn("entities.urls")
    case .hashtags: TableColumn("entities.hashtags")
    case .media: TableColumn("attachments.media")
    }
  }

  /// The columns of the elements, as tweet(5) names them; `url` of a link is the whole address.
  private var names: [String] {
    switch self {
    case .links:
      [
        "url", "display_url", "unwound_url", "canonical_url", "status", "verdict", "link_kind", "content_type", "title",
        "error", "checked_at", "failing_since", "archived.url", "archived.at",
      ]
    case .hashtags: ["tag"]
    case .media: ["type", "url", "preview_image_url", "alt_text", "width", "height", "media_key", "picture.file"]
    }
  }

  /// The columns without `--fields`.
  var usual: [TableColumn] {
    let own =
      switch self {
      case .links: ["url", "unwound_url", "status", "verdict", "archived.url"]
      case .hashtags: ["tag", "id"]
      case .media: ["type", "url", "alt_text"]
      }
    return (["created_at", "author.username"] + own).map { column($0) ?? TableColumn($0) }
  }

  /// The column of the elements of that name; `nil` if they have none.
  func column(_ name: String) -> TableColumn? { names.contains(name) ? TableColumn(ofElements: name) : nil }

  /// The elements of a tweet. X has a link to each picture among the links.
  func elements(of row: TableRow) -> [JSONValue] {
    guard let list = row.value(of: list), list.isArray else { return [] }
    return list.elements.filter { $0.isObject && (self != .links || $0["media_key"] == nil) }
  }
}

/// The value of `--rows`: how many rows of a text are shown, or of what a table has rows.
enum RowsChoice: ExpressibleByArgument {
  case most(Int)
  case each(TableRows)

  init?(argument: String) {
    if let rows = TableRows(rawValue: argument) {
      self = .each(rows)
    } else if let number = Int(argument), (1...10_000).contains(number) {
      self = .most(number)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { TableRows.allCases.map(\.rawValue) }

  /// `nil` for rows of a table.
  var most: Int? { if case .most(let number) = self { number } else { nil } }
  /// `nil` for rows of a text.
  var each: TableRows? { if case .each(let rows) = self { rows } else { nil } }
}
