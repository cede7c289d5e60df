import Foundation
import TestSupport
import Testing

/// tw-local's answers, validated against X's OpenAPI document by openapi-core (`Tests/Contract/validate.py`).
@Suite(.onOwnThread(minutes: 10)) struct LocalContractTests {
  /// X's document as of July 2026.
  private static let document = "x-openapi/openapi-2.166-2026-07-01.json"

  @Test(.enabled(if: TestData.isAvailable, "\(TestData.comment)"))
  func answersAsXsDocumentSays() throws {
    let python = try PythonPackage.needed("openapi_core")
    let document = try #require(TestData.directory) + "/" + Self.document
    let result = try Tool.run(
      "tw-local",
      ["--demo", "--rate", "20/s", "--", python, Package.root + "/Tests/Contract/validate.py", document], timeout: 120)
    #expect(result.ending == .status(0) && result.output == "", "\(result.output)")
    // Each endpoint that answers with JSON and that X still has.
    #expect(result.errors.hasPrefix("31 endpoints, 0 faults"), "\(result.errors)")
  }
}
