import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct ImportCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Store what 'export' has printed.",
    usage: "tw-cache import [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-cache import copy.ndjson.gz
        tw-cache export --db copy.db | tw-cache import

      An empty store becomes a copy of the exported one. In a store that has data, tweets are updated as 'add' does it.
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    var run = ImportRun(into: try StoreImport(try TweetStore(try store.path, .readWrite)))
    var output = RecordWriter()
    let status: ExitStatus
    do throws(ToolError) {
      status = try input.forEachRecord(writer: &output) { (record, _) throws(ToolError) in try run.read(record) }
    } catch {
      run.cancel()
      throw error
    }
    let fault = try run.finish()
    if let fault { Diagnostics.warn("the last record is bad: \(fault)") }
    return fault == nil || status != .done ? status : .someBad
  }
}

/// One run of `tw-cache import`. A record may be followed by its `stored` object, so each record waits for the next
/// line.
struct ImportRun: ~Copyable {
  /// The largest transaction, as in ``AddRun``.
  private static let mostRecords = 8000
  private static let mostBytes = 8 << 20

  private var store: StoreImport
  /// The last record, until the next line is read.
  private var pending: [UInt8]?
  private var records = 0
  private var bytes = 0

  init(into store: consuming StoreImport) { self.store = store }

  /// Reads the next line. Returns what is wrong with the pending record, or with this line; `nil` if nothing is.
  mutating func read(_ record: Record) throws(ToolError) -> String? {
    if record.type?.equals("stored") == true {
      guard let before = pending else { return "no tweet or user comes before it" }
      pending = nil
      return try add(before, stored: record.root)
    }
    let fault = try addPending()
    pending = Array(record.bytes)
    return fault
  }

  /// Stores the pending record and commits. Returns what is wrong with the record.
  mutating func finish() throws(ToolError) -> String? {
    let fault = try addPending()
    if records > 0 { try store.commit() }
    records = 0
    return fault
  }

  /// Rolls back what is not committed.
  mutating func cancel() {
    if records > 0 { store.rollback() }
    records = 0
  }

  private mutating func addPending() throws(ToolError) -> String? {
    guard let before = pending else { return nil }
    pending = nil
    return try add(before, stored: nil)
  }

  private mutating func add(_ line: [UInt8], stored: JSONValue?) throws(ToolError) -> String? {
    let document: JSONDocument
    do throws(JSONFault) { document = try JSONDocument(line) } catch { return error.reason }
    if records == 0 { try store.begin() }
    records += 1
    bytes += line.count
    let fault = try store.add(document.root, stored: stored)
    if records >= Self.mostRecords || bytes >= Self.mostBytes {
      (records, bytes) = (0, 0)
      try store.commit()
    }
    return fault
  }
}
