import TestNumbers
import Testing

@testable import TweetCore

/// The same input in pieces of every size.
extension RecordScannerTests {
  /// Good and broken lines in any order give the same in pieces of every size.
  @Test func piecesOfAnySizeGiveTheSame() throws {
    var generator = Chance()
    let parts = [
      "{\"a\":1}\n", "{\"a\":\"x\n", "{\"a\":\"x}\n", "\"odd\n", "  \"odd\n", "{\"a\":1,\"b\":{\"c\":[2]}}\n",
      "nonsense\n", "\n", "  \n",
      "{\n  \"a\": \"y\"\n}\n", "{\n  \"a\": \"y\n}\n", "{\"a\":1} \"odd\n", "{\"a\":1}{\"b\":\"x\n",
      "{\"a\":1}{\"b\":2}\n", "  {\"a\":1}\n",
    ]
    var different: [String] = []
    for _ in 0..<2_000 {
      let input = (0..<Int.random(in: 2...9, using: &generator)).map { _ in
        parts.randomElement(using: &generator) ?? ""
      }.joined()
      let whole = try scan(Array(input.utf8), chunk: 60_000)
      for chunk in [1, 2, 5] {
        let found = try scan(Array(input.utf8), chunk: chunk)
        let isSame = found == whole
        if !isSame { different.append("chunks of \(chunk): \(input.debugDescription) \(found) and not \(whole)") }
      }
    }
    #expect(different.isEmpty, "\(different.count): \(different.prefix(3).joined(separator: "\n"))")
  }
}
