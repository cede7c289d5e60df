import Foundation
import TestSupport
import Testing

/// What `make bench`, `make soak-local`, `make year` and `make fuzz-render` run, with tiny inputs: each ends with 0 and
/// prints all its tables and lines. The times mean nothing here, so that a goal may be missed.
@Suite(.onOwnThread(minutes: 6), .enabled(if: Sanitizer.name == nil, "they measure tools without a sanitizer"))
struct BenchTests {
  struct Bench: CustomTestStringConvertible {
    let name: String
    var variables: [String: String] = [:]
    /// After the folder of the tools.
    var arguments: [String] = []
    /// Beside python3.
    var programs: [String] = []
    /// Beginnings of lines that it must print, which have as many cells as the head of their table.
    let lines: [String]

    var testDescription: String { name }
  }

  static let benches = [
    Bench(
      name: "startup", variables: ["RUNS": "4"], programs: ["hyperfine", "jq", "curl"],
      lines: ["jq ", "tw ", "tw-parse ", "tw-render ", "curl ", "tw-stream ", "tw-avatar ", "tw-linkcheck "]),
    Bench(
      name: "parse", variables: ["SIZE": "100K", "RUNS": "1"], programs: ["cc", "jq"],
      lines: ["### v1.1", "### v2", "| tw-parse |", "| tw-parse, from a pipe |", "| jq -c . |", "- peak memory "]),
    Bench(
      name: "stream", variables: ["MESSAGES": "200", "SECONDS": "1", "RUNS": "1"], programs: ["cc", "curl"],
      lines: ["### 800 messages", "### 200 messages", "| tw-stream > /dev/null |", "| curl -sN |", "- 99 % are there "]),
    Bench(
      name: "cache", variables: ["TWEETS": "100", "MANY": "200", "STORED": "100", "LIVE": "4", "RUNS": "1"],
      programs: ["cc", "pkg-config"],
      lines: [
        "### v1.1", "### v2", "### diverse", "| tw-cache add |", "| sqlite3 script in Python |",
        "| the same SQL from prepared rows |", "### 4 records", "- printed after ", "### 200 diverse",
        "- first row of a search for a common word",
      ]),
    Bench(
      name: "render", variables: ["SIZE": "50K", "RUNS": "1"], programs: ["jq"],
      lines: ["text ", "line ", "html ", "mbox ", "jq, a line ", "html: "]),
    Bench(
      name: "browse", arguments: ["3000", "50", "1"],
      lines: ["3000 tweets: first screen ", "idle: ", "the end of 3000 tweets ", "G and g, of 3000 tweets: "]),
    Bench(
      name: "site", variables: ["TWEETS": "100", "RUNS": "1"],
      lines: ["| site of 90 tweets |", "| the same again |", "| mail of 100 tweets |"]),
    Bench(
      name: "net", variables: ["LINKS": "300", "RUNS": "1"], programs: ["cc", "curl"],
      lines: [
        "### 30 links", "### 300 links, cold", "### 300 links, warm", "one record with 3000 links, which are known: ",
        "tw-avatar ",
      ]),
    Bench(
      name: "networks", variables: ["EVENTS": "3000", "SECONDS": "1", "RUNS": "1"],
      lines: ["| tw-stream |", "| after | tw-stream, MiB |", "age on disk: median "]),
    Bench(
      name: "local-streams", variables: ["STREAMS": "3", "RATE": "10", "SECONDS": "1"],
      lines: ["3 streams, "]),
  ]

  @Test(arguments: benches)
  func isWhole(_ bench: Bench) throws {
    for program in ["python3"] + bench.programs {
      guard Self.isThere(program) else { try Test.cancel("needs \(program)") }
    }
    let result = try Tool.run(
      "\(Package.root)/bench/\(bench.name)", [Tool.directory] + bench.arguments,
      environment: bench.variables.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { $1 }, timeout: 300)
    #expect(result.status == 0, "\(result.output.suffix(3000))\(result.errors.suffix(3000))")
    let printed = result.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in bench.lines {
      // Of a pipe that stands in a cell Markdown wants a backslash.
      #expect(printed.contains { $0.hasPrefix(line) }, "no '\(line)' in:\n\(result.output)")
    }
    var head: Int?
    for line in printed {
      guard line.hasPrefix("|") else {
        head = nil
        continue
      }
      let cells = line.replacing("\\|", with: "").count { $0 == "|" }
      #expect(cells == head ?? cells, "a row of another table: \(line)")
      head = cells
    }
  }

  /// Ten mutated records in every format, which other people's parsers read.
  @Test func mutatedRecordsAreShown() throws {
    let python = try PythonPackage.needed("feedparser", "html5lib", "markdown_it")
    let result = try Tool.run(
      python, ["\(Package.root)/Tests/Fuzz/render", Tool.directory, "10", "7"],
      environment: ["PYTHONDONTWRITEBYTECODE": "1"], timeout: 300)
    #expect(result.status == 0, "\(result.output.suffix(3000))\(result.errors.suffix(3000))")
    #expect(result.errors.contains("mail: 0 faults") && result.errors.contains("text: 0 faults"), "\(result.errors)")
  }

  /// Two days of `make year`, in which refreshes are killed and the power is lost.
  @Test func twoDaysOfCron() throws {
    for program in ["python3", "cc"] {
      guard Self.isThere(program) else { try Test.cancel("needs \(program)") }
    }
    let result = try Tool.run(
      "\(Package.root)/Tests/Year/run", [Tool.directory],
      environment: ["DAYS": "2", "PYTHONDONTWRITEBYTECODE": "1"], timeout: 300)
    #expect(result.status == 0, "\(result.output.suffix(3000))\(result.errors.suffix(3000))")
    #expect(result.output.contains(#""days": 2, "posts": 1"#), "\(result.output)")
  }

  /// Each bench that the Makefile runs is tried here.
  @Test func allAreTried() throws {
    let makefile = try Package.text("Makefile")
    let run = Set(makefile.matches(of: /bench\/([a-z-]+) \.build\/release/).map { String($0.1) })
    // That one compares with lychee, which has to be installed.
    #expect(run.subtracting(["link-verdicts"]) == Set(Self.benches.map(\.name)))
  }

  private static func isThere(_ program: String) -> Bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }
}
