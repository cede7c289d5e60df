import SQLite
package import TweetCore

/// The lines of an export, stored many in one transaction. A record may be followed by its `stored` object, so each
/// record waits for the next line.
package struct ImportedLines: ~Copyable {
  /// The largest transaction: records and bytes. Others wait for its end.
  private static let mostRecords = 8000
  private static let mostBytes = 8 << 20

  private var store: StoreImport
  /// The last record, until the next line is read.
  private var pending: [UInt8]?
  private var records = 0
  private var bytes = 0
  /// Whether a line was stored.
  package private(set) var hasStored = false

  package init(_ store: consuming StoreImport) { self.store = store }

  /// What was done beside storing.
  package var report: StoreImport.Report { store.report }
  /// How many tweets went since the export names them as deleted or forgotten, and how many of these had a label.
  package var removed: (all: Int, labelled: Int) { store.writer.removed }

  /// How many rows a table has.
  func count(_ table: StaticString) throws(ToolError) -> Int { try store.count(table) }

  /// Takes one line. Returns what is wrong with the record before it, or with this line; `nil` if nothing is.
  package mutating func add(_ line: [UInt8]) throws(ToolError) -> String? {
    let document: JSONDocument
    do throws(JSONFault) { document = try JSONDocument(line) } catch { return error.reason }
    if document["tw"]?.equals("stored") == true {
      guard let before = pending else { return "no tweet or user comes before it" }
      pending = nil
      return try add(before, stored: document)
    }
    guard document.read({ StoreImport.accepts($0["tw"]) }) else { return "no line of an export" }
    let fault = try addPending()
    pending = line
    return fault
  }

  /// Stores the last record and commits. Returns what is wrong with the record.
  package mutating func finish() throws(ToolError) -> String? {
    let fault = try addPending()
    if records > 0 { try store.commit() }
    records = 0
    if store.hasForgottenPeople { try store.writer.database.clearTraces() }
    return fault
  }

  /// Rolls back what is not committed.
  package mutating func cancel() {
    if records > 0 { store.rollback() }
    records = 0
  }

  private mutating func addPending() throws(ToolError) -> String? {
    guard let before = pending else { return nil }
    pending = nil
    return try add(before, stored: nil)
  }

  private mutating func add(_ line: [UInt8], stored: JSONDocument?) throws(ToolError) -> String? {
    let document: JSONDocument
    do throws(JSONFault) { document = try JSONDocument(line) } catch { return error.reason }
    if records == 0 { try store.begin() }
    records += 1
    bytes += line.count
    let fault = try document.read { (record) throws(ToolError) in
      guard let stored else { return try store.add(record, stored: nil) }
      return try stored.read { (stored) throws(ToolError) in try store.add(record, stored: stored) }
    }
    if fault == nil { hasStored = true }
    if records >= Self.mostRecords || bytes >= Self.mostBytes {
      (records, bytes) = (0, 0)
      try store.commit()
    }
    return fault
  }
}
