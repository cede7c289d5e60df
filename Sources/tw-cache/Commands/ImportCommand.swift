import ArgumentParser
import StoreCLI
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
    var lines = ImportedLines(try StoreImport(try TweetStore(try store.path, .readWrite)))
    var output = RecordWriter()
    let status: ExitStatus
    do throws(ToolError) {
      status = try input.forEachRecord(writer: &output, printsRecords: false) { (record, _) throws(ToolError) in
        try lines.add(Array(record.bytes))
      }
    } catch {
      lines.cancel()
      throw error
    }
    let fault = try lines.finish()
    if let fault { Diagnostics.warn("the last record is bad: \(fault)") }
    tell(lines.report, removed: lines.removed)
    if fault == nil { return status }
    return lines.hasStored ? (status == .done ? .someBad : status) : .badData
  }

  /// Says what was done beside storing, and what the store did not take over.
  private func tell(_ report: StoreImport.Report, removed: (all: Int, labelled: Int)) {
    for conflict in report.conflicts { Diagnostics.note(conflict) }
    if report.read > 0 {
      Diagnostics.note("\(report.read) tweets were read in the other store: they are not unread any more")
    }
    guard removed.all > 0 else { return }
    let text = "\(removed.all) tweets were removed, since the export names them as deleted or forgotten"
    if removed.labelled > 0 {
      Diagnostics.warn("\(text); \(removed.labelled) of them had a label")
    } else {
      Diagnostics.note(text)
    }
  }
}
