import TestSupport
import Testing

/// Whether the servers of these tests answer as Bluesky's do: somebody else's client reads their answers by its models.
@Suite(.onOwnThread) struct FakeJudgeTests {
  private func judge(_ arguments: String...) throws -> ToolResult {
    let python = try PythonPackage.needed("atproto")
    return try Tool.run(python, ["\(Package.root)/Tests/ToolTests/atproto-judge.py"] + arguments)
  }

  @Test func theServerOfAnAccount() throws {
    let server = try FakePDS()
    let verdict = try judge("answers", server.base, FakePDS.password)
    #expect(verdict.status == 0 && verdict.lines.count == 14, "\(verdict)")
  }

  @Test func theLiveStream() throws {
    let server = try FakeBluesky()
    server.add(["one", "two"])
    server.add(["two"], operation: "update")
    server.add([""], operation: "delete")
    let verdict = try judge("stream", server.base)
    #expect(
      verdict.status == 0 && verdict.lines == ["1000 create", "1001 create", "1002 update", "1003 delete"], "\(verdict)"
    )
  }
}
