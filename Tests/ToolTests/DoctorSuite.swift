import Foundation
import TestSupport
import Testing

/// What tests of `tw doctor` have in common: a home, a crontab of its own, and runs of the commands that findings name.
protocol DoctorSuite {
  var home: TemporaryDirectory { get }
}

/// A line of `tw doctor --json`.
struct DoctorFinding {
  let topic, state, message: String
  let mend: String?

  static func all(of lines: [String]) throws -> [DoctorFinding] {
    try JSONObject.list(lines).map { object in
      DoctorFinding(
        topic: try #require(object["topic"] as? String), state: try #require(object["state"] as? String),
        message: try #require(object["message"] as? String), mend: object["mend"] as? String)
    }
  }
}

extension DoctorSuite {
  /// A home whose crontab(1) keeps its lines in a file there.
  static func makeHome() throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    let script = """
      #!/bin/sh
      case $1 in
      -l) cat "$HOME/crontab" 2>/dev/null || { echo 'no crontab' >&2; exit 1; } ;;
      -) cat > "$HOME/crontab.new" && mv "$HOME/crontab.new" "$HOME/crontab" ;;
      esac
      """
    for (name, text) in [("crontab", script), ("systemctl", "#!/bin/sh\necho disabled; exit 1\n")] {
      try home.program("bin/\(name)", text)
    }
    return home
  }

  func environment(_ more: [String: String] = [:]) -> [String: String] {
    ["PATH": "\(home.path)/bin:\(Tool.directory):/usr/local/bin:/usr/bin:/bin"].merging(more) { $1 }
  }

  /// - Parameter tw: the program, if it is not that of the tests.
  func doctor(
    _ words: String..., tw: String = "tw", environment more: [String: String] = [:]
  ) throws -> [DoctorFinding] {
    let result = try Tool.run(tw, ["doctor", "--json"] + words, environment: environment(more), home: home)
    let findings = try DoctorFinding.all(of: result.lines)
    #expect(result.errors == "")
    #expect(result.ending == .status(findings.contains { $0.state == "fault" } ? 1 : 0))
    // What is all right needs no command; the rest has one.
    for finding in findings { #expect((finding.mend == nil) == (finding.state == "ok"), "\(finding)") }
    return findings
  }

  /// Expects a finding, runs its command in a shell, and expects the finding to be gone there.
  /// - Parameters:
  ///   - more: what follows the command on its line.
  ///   - wanted: what the command is to be.
  ///   - tw: the program, if it is not that of the tests.
  func expectMended(
    _ topic: String, _ text: String, state: String = "fault", by wanted: String, more: String = "",
    options: [String] = ["--offline"], tw: String = "tw", environment variables: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let words = ["doctor", "--json"] + options
    let before = try DoctorFinding.all(
      of: try Tool.run(tw, words, environment: environment(variables), home: home).lines)
    let found = before.first { $0.topic == topic && $0.state == state && $0.message.contains(text) }
    let finding = try #require(found, "\(before)", sourceLocation: sourceLocation)
    let mend = try #require(finding.mend, sourceLocation: sourceLocation)
    #expect(mend == wanted, sourceLocation: sourceLocation)
    // A command in the background has its time to begin.
    let script =
      "\(mend)\(more)\n" + (mend.hasSuffix("&") ? "sleep 2\n" : "") + "\(tw) \(words.joined(separator: " "))\n"
      + (mend.hasSuffix("&") ? "kill $!\n" : "")
    let result = try Tool.shell(script, environment: environment(variables), home: home)
    let after = try DoctorFinding.all(of: result.lines.filter { $0.hasPrefix("{\"topic\"") })
    #expect(!after.isEmpty, "\(result.errors)", sourceLocation: sourceLocation)
    let same = after.filter { $0.topic == topic && $0.state == state && $0.message.contains(text) }
    #expect(same.isEmpty, "\(mend): \(result.errors)\(same)", sourceLocation: sourceLocation)
  }
}
