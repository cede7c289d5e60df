import Foundation
import TestSupport
import Testing

/// tw-local's answers, validated against X's OpenAPI document by openapi-core (`Tests/Contract/validate.py`).
@Suite(.onOwnThread(minutes: 10)) struct LocalContractTests {
  /// X's document as of July 2026.
  private static let document = "x-openapi/openapi-2.166-2026-07-01.json"

  /// A Python with openapi-core, in a virtual environment below `.build` that is made once; `nil` where that is impossible,
  /// as without network.
  private static func python() throws -> String? {
    let folder = Package.root + "/.build/contract"
    let script = """
      "$1/bin/python3" -c 'import openapi_core' 2>/dev/null && exit
      python3 -m venv "$1" &&
        "$1/bin/python3" -m pip install --quiet --timeout 10 --retries 1 --disable-pip-version-check openapi-core==0.23.1
      """
    let made = try Tool.shell(script.replacing("$1", with: folder), timeout: 300)
    return made.ending == .status(0) ? folder + "/bin/python3" : nil
  }

  @Test(.enabled(if: TestData.isAvailable, "\(TestData.comment)"))
  func answersAsXsDocumentSays() throws {
    guard let python = try Self.python() else {
      try Test.cancel("needs python3, its venv, and openapi-core from PyPI")
    }
    let document = try #require(TestData.directory) + "/" + Self.document
    let result = try Tool.run(
      "tw-local",
      ["--demo", "--rate", "20/s", "--", python, Package.root + "/Tests/Contract/validate.py", document], timeout: 120)
    #expect(result.ending == .status(0) && result.output == "", "\(result.output)")
    // Each endpoint that answers with JSON and that X still has.
    #expect(result.errors.hasPrefix("40 endpoints, 0 faults"), "\(result.errors)")
  }
}
