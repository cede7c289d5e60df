import Foundation
import TestSupport
import Testing

/// Documents, read by other people's programs: what only our own idea of a format says would fail here.
@Suite(.onOwnThread(minutes: 3)) struct DocumentCheckerTests {
  private static let script = Package.root + "/Tests/ToolTests/document-checks.py"

  /// A Python with the modules, or none.
  static let twarc = PythonPackage.python(with: "dataframe_converter", "csv_writer")

  /// Runs a check of the script.
  /// - Parameter arguments: files, and what is rendered to files first.
  private static func check(_ python: String?, _ name: String, _ home: TemporaryDirectory, _ files: [String]) throws
    -> ToolResult
  {
    let result = try Tool.run(python ?? "/bin/false", [script, name] + files, home: home, timeout: 150)
    #expect(result.ending == .status(0), "\(result.errors.suffix(3000))")
    let faults = result.lines.filter { $0.hasPrefix("FAULT ") }
    #expect(faults == [])
    return result
  }

  private static func render(_ home: TemporaryDirectory, _ options: String) throws {
    let result = try Tool.shell(
      "tw-render records --format \(options)", environment: ["TW_NOW": "2021-11-03T21:30:00Z"], home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
  }

  /// Our table has the cells that twarc-csv makes of our lines, for every record it can meet.
  @Test(.enabled(if: twarc != nil, "\(PythonPackage.comment)"), arguments: [false, true])
  func twarcCSVReadsTheLines(_ isRecorded: Bool) throws {
    // Of two services with the same id, twarc-csv drops one.
    var records = DocumentSample.lines.joined(separator: "\n")
    if isRecorded {
      if !TestData.isAvailable { return }
      records = try DocumentSample.recorded()
    }
    let home = try TemporaryDirectory()
    try home.write("records", records)
    try Self.render(home, "twarc > lines")
    try Self.render(home, "csv --no-guard > table.csv")
    let result = try Self.check(Self.twarc, "twarc-csv", home, ["lines", "table.csv"])
    let rows = records.split(separator: "\n").count { $0.hasPrefix(#"{"tw":"tweet""#) }
    #expect(result.lines.last == #"{"rows": \#(rows)}"# || isRecorded)
  }
}
