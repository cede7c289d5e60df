import Foundation
import TestSupport
import Testing

/// Clients of Mastodon and of Bluesky that others have written, and their descriptions of both APIs
/// (`Tests/Contract/networks.py`).
@Suite(.onOwnThread(minutes: 10)) struct LocalNetworkJudgeTests {
  @Test func othersClientsSignInPostReadAndStream() throws {
    let python = try PythonPackage.needed("mastodon", "atproto", "lexrpc", "openapi_core", "websockets")
    let description = TestData.directory.map { [$0 + "/mastodon/openapi/dist/schema.json"] } ?? []
    let result = try Tool.run(
      "tw-local",
      ["--demo", "--rate", "10/s", "--", python, Package.root + "/Tests/Contract/networks.py"] + description,
      timeout: 180)
    #expect(result.ending == .status(0) && result.output == "", "\(result.output)")
    #expect(result.errors.contains("\(description.isEmpty ? 0 : 16) and 28 answers, 0 faults"), "\(result.errors)")
  }
}
