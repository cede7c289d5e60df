import TestSupport
import Testing
import TweetCore

@testable import TweetStore

struct StoreExportTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func add(_ records: [String], to path: String) throws {
    var writer = try TweetWriter(try TweetStore(path, .readWrite))
    try writer.begin()
    for record in records {
      let document = try JSONDocument(record)
      #expect(try writer.add(document.root).fault == nil)
    }
    try writer.commit()
  }

  private func tweet(_ id: Int) -> String {
    #"{"tw":"tweet","id":"\#(id)","service":"x","text":"t","author":{"id":"\#(id)"}}"#
  }

  /// A backup has all that was in the store when it began, and nothing that came later: neither half a deletion nor a
  /// tweet without its author.
  @Test func anExportShowsTheStoreAtOneMoment() throws {
    let path = scratch.path + "/tw.db"
    try add([tweet(1), tweet(2), tweet(3)], to: path)
    let store = try TweetStore(path, .readOnly)
    var lines: [String] = []
    var failure: (any Error)?
    _ = try store.export { line in
      if lines.isEmpty {
        do {
          try add([#"{"tw":"delete","service":"x","id":"2"}"#, tweet(4)], to: path)
        } catch { failure = error }
      }
      lines.append(String(decoding: line, as: UTF8.self))
      return true
    }
    #expect(failure == nil)
    for type in ["tweet", "user"] {
      let ids = lines.filter { $0.hasPrefix(#"{"tw":"\#(type)""#) }.compactMap { line in
        (1...4).first { line.contains(#""id":"\#($0)""#) }
      }
      #expect(ids == [1, 2, 3], "\(type)")
    }
    #expect(!lines.contains { $0.hasPrefix(#"{"tw":"delete""#) })
  }
}
