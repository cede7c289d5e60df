import Foundation
import TestSupport
import Testing

/// Records what did not hold as a fault of the test.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { Issue.record("\(message())") }
}

/// Each fuzz target holds for the inputs of its corpus, whole and cut off. What libFuzzer finds beyond that is for
/// `make fuzz`.
@Suite(.serialized, .onOwnThread) struct CorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "corpus")

  @Test(arguments: FuzzTarget.all.map(\.name))
  func holds(for name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.corpus.appending(path: name), includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      let input = try Array(Data(contentsOf: file))
      target.check(input)
      for part in 0..<8 { target.check(Array(input.prefix(input.count * part / 8))) }
    }
  }
}
