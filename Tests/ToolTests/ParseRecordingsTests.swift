import Foundation
import TestSupport
import Testing

/// Every recording that holds posts gives all its posts: what tw-parse finds is counted against an independent reading
/// of the same files by Foundation.
@Suite(.enabled(if: TestData.isAvailable, "needs the recordings that TW_TEST_DATA names"))
struct ParseRecordingsTests {
  @Test(arguments: ["v1", "v2", "archive"])
  func everyPostIsFound(_ folder: String) throws {
    let root = URL(fileURLWithPath: try #require(TestData.directory)).appendingPathComponent(folder)
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.isRegularFileKey])
    var posts = 0
    while let file = files?.nextObject() as? URL {
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true, file.pathExtension != "yaml"
      else { continue }
      let bytes = [UInt8](try Data(contentsOf: file))
      let documents = file.lastPathComponent.hasSuffix(".exchanges.ndjson") ? bodies(of: bytes) : [bytes]
      var expected = 0
      var input: [UInt8] = []
      for document in documents {
        guard let count = Self.count(in: document) else { continue }
        expected += count
        input += document + [0x0A]
      }
      if input.isEmpty { continue }
      let result = try Tool.run("tw-parse", ["--owner", "1:me"], stdin: ToolInput(input))
      let found = result.lines.filter { $0.hasPrefix(#"{"tw":"tweet","#) }
      #expect(found.count == expected, "\(file.path)")
      let again = try Tool.run("tw-parse", stdin: ToolInput(result.stdout))
      let isSame = again.stdout == result.stdout
      #expect(isSame, "\(file.path)")
      posts += expected
    }
    #expect(posts > ["v1": 900, "v2": 500, "archive": 300][folder] ?? 0)
  }

  /// The answers within recorded exchanges, one a line, each a text.
  private func bodies(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A).compactMap { line in
      let exchange = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      return (exchange?["body"] as? String).map { Array($0.utf8) }
    }
  }

  /// How many posts are in one document, or in one a line; `nil` for what Foundation cannot read at all.
  private static func count(in bytes: [UInt8]) -> Int? {
    var text = bytes[...]
    if text.starts(with: "window.".utf8), let equals = text.firstIndex(of: UInt8(ascii: "=")) {
      text = text[(equals + 1)...]
    }
    if let document = try? JSONSerialization.jsonObject(with: Data(text)) { return posts(in: document) }
    let lines = text.split(separator: 0x0A).compactMap { try? JSONSerialization.jsonObject(with: Data($0)) }
    return lines.isEmpty ? nil : lines.reduce(0) { $0 + posts(in: $1) }
  }

  private static func posts(in value: Any) -> Int {
    if let list = value as? [Any] { return list.reduce(0) { $0 + posts(in: $1) } }
    guard let object = value as? [String: Any] else { return 0 }
    if object.count == 1, object["tweet"] is [String: Any] { return 1 }
    if let page = object["statuses"] ?? object["results"], page is [Any] { return posts(in: page) }
    if let data = object["data"] {
      let elements = data as? [Any] ?? [data]
      return elements.count { ($0 as? [String: Any])?["text"] != nil }
    }
    if object["event"] != nil, let target = object["target_object"] { return posts(in: target) }
    if object["for_user"] != nil, let message = object["message"] { return posts(in: message) }
    if object["objectType"] as? String == "activity" { return 1 }
    // A direct message has a sender and a recipient.
    guard object["sender"] == nil, object["id"] ?? object["id_str"] != nil else { return 0 }
    return object["text"] ?? object["full_text"] ?? object["extended_tweet"] == nil ? 0 : 1
  }
}
