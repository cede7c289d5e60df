import Foundation
import TestSupport
import Testing

/// What other people's programs make of records: docs/schema, docs/examples and SQLite's extension. Scripts try them,
/// which end with 77 where a program is not installed.
@Suite(.onOwnThread(minutes: 8)) struct EngineTests {
  private static let recordings = [TestData.directory].compactMap { $0 }

  /// Runs a script of the tests; the test is skipped, and says why, if a program is missing.
  private func run(_ script: String, _ arguments: [String], python: String? = nil) throws {
    let path = "\(Package.root)/Tests/\(script)"
    let result = try Tool.run(
      python ?? path, (python == nil ? [] : [path]) + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"],
      timeout: 400)
    if result.status == 77 { try Test.cancel("\(result.errors)") }
    #expect(result.status == 0, "\(result.output.suffix(4000))\(result.errors.suffix(4000))")
  }

  @Test func recordsAreWhatTheSchemaSays() throws {
    let python = try PythonPackage.needed("jsonschema")
    try run("Schema/validate.py", [Tool.path("tw-parse")] + Self.recordings, python: python)
  }

  @Test func tablesTakeAnyRecord() throws {
    let python = try PythonPackage.needed("duckdb", "pandas", "polars", "pyarrow")
    try run("Schema/tables.py", [Tool.path("tw-parse")] + Self.recordings, python: python)
  }

  /// The extension reads what the tools have packed, in each of the programs that tw-db(5) names.
  @Test func packedRecordsAreReadBySQL() throws {
    try run("Extension/examples.py", [Package.root], python: PythonPackage.needed("datasette"))
  }

  @Test func capturesAreParsedInParallel() throws { try run("Recipes/parse-all", [Package.root]) }

  @Test func tweetsAreWrittenAsParquet() throws {
    let python = try PythonPackage.needed("duckdb", "pandas", "polars", "pyarrow")
    try run("Recipes/parquet.py", [Package.root], python: python)
  }

  /// The files, tools and records of the example for Spark, with a stand-in for Spark. SparkTests has the real one.
  @Test func sparksWorkersGetTheTools() throws {
    try run("Recipes/spark-files.py", [Package.root], python: PythonPackage.needed("pyarrow"))
  }

  @Test func recordsGoToKafka() throws { try run("Recipes/kafka", [Package.root]) }

  /// Programs of a capture are killed again and again; TW_CRASH_ROUNDS says how often.
  @Test func aCaptureHasEachLineOnce() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else { try Test.cancel("needs python3") }
    let rounds = ProcessInfo.processInfo.environment["TW_CRASH_ROUNDS"] ?? "20"
    try run("Recipes/capture.py", [Package.root, rounds], python: "/usr/bin/python3")
  }
}
