import Foundation

#if canImport(Testing)
  import Testing
#endif

/// Other people's programs in Python that check what the tools write, in the virtual environment that `.ci/deps check`
/// makes. Tests that need one are skipped, and say so, where it is not installed.
package enum PythonPackage {
  /// Why a test was skipped.
  package static let comment = "needs Python packages, which '.ci/deps check' installs in .build/venv"

  #if canImport(Testing)
    /// A Python that has modules; without one the test is cancelled, and says so.
    package static func needed(_ modules: String...) throws -> String {
      guard let python = python(with: modules) else { try Test.cancel("\(comment)") }
      return python
    }
  #endif

  /// A Python that has modules: `$TW_TEST_PYTHON`, else the one of the virtual environment. `nil` if it has not all.
  package static func python(with modules: String...) -> String? { python(with: modules) }

  private static func python(with modules: [String]) -> String? {
    let wanted = ProcessInfo.processInfo.environment["TW_TEST_PYTHON"] ?? Package.root + "/.build/venv/bin/python3"
    guard FileManager.default.isExecutableFile(atPath: wanted) else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: wanted)
    process.arguments = ["-c", "import " + modules.joined(separator: ", ")]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? wanted : nil
  }
}
