import Synchronization
import TestSupport
import Testing

/// Libraries from PyPI for the tests' own programs in Python, in virtual environments below `.build` that are made once.
enum PyPI {
  private static let making = Mutex<Void>(())

  /// A Python with a validator of requests and answers against an OpenAPI description.
  static func openAPI() throws -> String { try python("openapi", ["openapi-core==0.23.1"]) }

  /// A Python that has some packages; cancels the test where that is impossible, as without network.
  ///
  /// - Parameters:
  ///   - name: of the environment.
  ///   - packages: with their versions, as pip(1) takes them.
  static func python(_ name: String, _ packages: [String]) throws -> String {
    let folder = Package.root + "/.build/python-" + name
    let wanted = packages.joined(separator: " ")
    let script = """
      folder='\(folder)'
      [ "$(cat "$folder/packages" 2>/dev/null)" = '\(wanted)' ] && exit
      rm -rf "$folder"
      python3 -m venv "$folder" &&
        "$folder/bin/python3" -m pip install --quiet --timeout 10 --retries 1 --disable-pip-version-check \(wanted) &&
        printf '%s' '\(wanted)' > "$folder/packages"
      """
    // One at a time: tests that need the same environment begin together.
    let made = try making.withLock { _ in try Tool.shell(script, timeout: 300) }
    guard made.ending == .status(0) else { try Test.cancel("needs python3, its venv, and \(wanted) from PyPI") }
    return folder + "/bin/python3"
  }
}
