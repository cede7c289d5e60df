import Foundation
import TestSupport
import Testing

/// Documents of a service that tests read a second time with Foundation: made ones, which every run has, and recorded
/// ones where `TW_TEST_DATA` names them.
struct ParseSample: CustomTestStringConvertible, Sendable {
  let name: String
  /// A path in the recordings; `nil` for the standard input of a golden case of that name.
  private let recording: String?
  /// What the test expects of it: how many posts it has, or whatever it counts.
  let count: Int

  var testDescription: String { recording ?? name }

  private init(name: String, recording: String?, count: Int) {
    (self.name, self.recording, self.count) = (name, recording, count)
  }

  /// The standard input of the golden case `tw-parse/NAME`.
  static func made(_ name: String, count: Int = 0) -> ParseSample {
    ParseSample(name: name, recording: nil, count: count)
  }

  /// A file of the recordings; none when there are no recordings.
  static func recorded(_ path: String, count: Int = 0) -> [ParseSample] {
    TestData.isAvailable ? [ParseSample(name: path, recording: path, count: count)] : []
  }

  var isMade: Bool { recording == nil }

  func bytes() throws -> [UInt8] {
    if let recording { return try TestData.bytes(recording) }
    let bytes = GoldenCase(tool: "tw-parse", name: name).bytes("stdin")
    try #require(!bytes.isEmpty, "no golden case tw-parse/\(name)")
    return bytes
  }

  /// The documents in it: one, or one a line. Of recorded exchanges the bodies.
  func documents() throws -> [Any] {
    let text = String(decoding: try bytes(), as: UTF8.self)
    if let document = try? JSONSerialization.jsonObject(with: Data(text.utf8)) { return [document] }
    return try JSONObject.list(text.split(separator: "\n").map(String.init))
  }
}

/// Lines of JSON as Foundation reads them.
enum JSONObject {
  static func list(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// Equal as JSON; an empty text counts as absent, as in records.
  static func areEqual(_ one: Any?, _ other: Any?) -> Bool {
    if let text = other as? String, text.isEmpty { return one == nil }
    guard let one, let other else { return one == nil && other == nil }
    return text(one) == text(other)
  }

  /// A value as JSON, the members of its objects in one order.
  static func text(_ value: Any) -> String {
    let bytes = try? JSONSerialization.data(withJSONObject: ["": value], options: .sortedKeys)
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
  }

  /// Every entity's offsets must cut out what the entity is; those of nested tweets too.
  static func checkOffsets(of tweet: [String: Any]) throws {
    let scalars = Array(try #require(tweet["text"] as? String).unicodeScalars)
    for (kind, list) in tweet["entities"] as? [String: [[String: Any]]] ?? [:] {
      for entity in list {
        guard let start = entity["start"] as? Int, let end = entity["end"] as? Int else { continue }
        try #require(0 <= start && start < end && end <= scalars.count)
        let slice = String(String.UnicodeScalarView(scalars[start..<end]))
        switch kind {
        case "hashtags", "cashtags":
          #expect(slice.dropFirst().lowercased() == (entity["tag"] as? String)?.lowercased())
        case "mentions":
          #expect(slice.hasPrefix("@"))
          // Servers of the fediverse add their name to it.
          let name = (entity["username"] as? String)?.prefix { $0 != "@" }.lowercased()
          #expect(name == nil || slice.dropFirst().lowercased().hasPrefix(name ?? ""))
        case "urls": #expect(slice == entity["url"] as? String || slice == entity["display_url"] as? String)
        case "annotations": break
        default: Issue.record("unexpected entities \(kind)")
        }
      }
    }
    for reference in tweet["referenced_tweets"] as? [[String: Any]] ?? [] where reference["text"] != nil {
      try checkOffsets(of: reference)
    }
  }
}
