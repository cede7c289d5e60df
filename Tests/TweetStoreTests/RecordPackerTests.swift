import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// Records are packed, and come back byte by byte.
final class RecordPackerTests {
  private let scratch: TemporaryDirectory
  private let database: Database

  init() throws {
    scratch = try TemporaryDirectory()
    database = try Database(scratch.path + "/a.db", TweetStore.kind, .readWrite)
  }

  /// What is stored for a record.
  private func pack(_ record: String, with packer: RecordPacker) throws -> (json: SQLValue, text: [UInt8]) {
    let document = try JSONDocument(record)
    var column = ByteBuffer()
    let statement = try database.prepare("SELECT ?1")
    document.read { root in
      if let text = root["text"] { column.append(unescaping: text.rawString) }
      column.withBytes { packer.bind(root.raw, text: root["text"], column: $0, to: statement, 1) }
    }
    _ = try statement.step()
    let row = statement.row
    let json = row.kind(0) == .text ? SQLValue.text(row.text(0) ?? "") : .bytes(Array(row.bytes(0)))
    return (json, column.array)
  }

  private func unpack(_ json: SQLValue, _ text: [UInt8]) throws -> String? {
    let statement = try database.prepare("SELECT record(?1, ?2)")
    statement.bind(1, json)
    text.withBytes { statement.bind(2, copying: $0) }
    _ = try statement.step()
    return statement.row.text(0)
  }

  private static func record(_ text: String) -> String {
    #"{"tw":"tweet","id":"1","service":"x","created_at":"2021-01-01T00:00:00.000Z","text":"\#(text)","lang":"en"}"#
  }

  /// The text of a tweet is not packed too, in whatever form its record has it.
  @Test(arguments: [
    "plain", "", "日本 ☀️ 🎉", #"\"quoted\" and \\ and \n\r\t\b\f"#, #"https:\/\/t.co\/a"#, #"caf\u00e9 \ud83c\udf89"#,
    #"\u65e5\u672c \/ \n"#, #"\u0001\u001f"#, "a/b", "\u{7F}\u{80}", String(repeating: "long ", count: 9000),
  ])
  func aTextIsCutOut(text: String) throws {
    let packer = try RecordPacker()
    let record = Self.record(text)
    let (json, column) = try pack(record, with: packer)
    guard case .bytes(let packed) = json else { return #expect(Bool(false), "not packed") }
    #expect(packed[0] & 0x20 == (text.isEmpty ? 0 : 0x20))
    // The key, the id and the service are in the dictionary.
    #expect(packed.count < 50)
    #expect(try unpack(json, column) == record)
  }

  /// Where the text cannot be put back as it was, it stays in.
  @Test(arguments: [
    #"upper \u00C9"#, #"one \/ and one /"#, #"one \u00e9 and one é"#, #"a needless \u0041"#, #"a quote \u0022"#,
  ])
  func aTextInAnotherFormStaysIn(text: String) throws {
    let packer = try RecordPacker()
    let (json, column) = try pack(Self.record(text), with: packer)
    guard case .bytes(let packed) = json else { return #expect(Bool(false), "not packed") }
    #expect(packed[0] & 0x20 == 0)
    #expect(try unpack(json, column) == Self.record(text))
  }

  @Test func whatDoesNotBecomeShorterIsStoredAsItIs() throws {
    let (json, column) = try pack(#"{"q":1}"#, with: try RecordPacker())
    #expect(json == .text(#"{"q":1}"#))
    #expect(try unpack(json, column) == #"{"q":1}"#)
  }

  /// Bytes that somebody else put into the column. Nothing is read or written that is not ours.
  @Test func otherBytes() throws {
    let (json, text) = try pack(Self.record(#"a/b \u00e9"#), with: try RecordPacker())
    guard case .bytes(let packed) = json else { return #expect(Bool(false), "not packed") }
    for count in 0..<packed.count { _ = try unpack(.bytes(Array(packed.prefix(count))), text) }
    #expect(try unpack(.bytes([]), text) == nil && unpack(.bytes([1]), text) == nil)
    // Without its text, with an offset after the end, with an offset without end, with no such dictionary.
    for other in [
      [0x21, 0xFF, 0xFF, 0x7F] + packed.dropFirst(2), [0x21] + [UInt8](repeating: 0xFF, count: 20),
      [packed[0] & 0xE0] + packed.dropFirst(), [packed[0] & 0xE0 | 2] + packed.dropFirst(),
    ] {
      #expect(try unpack(.bytes(Array(other)), text) == nil)
    }
    // A frame that claims 2^62 bytes (RFC 8878 §3.1.1.1.4).
    let claim: [UInt8] = [0x01, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0]
    #expect(try unpack(.bytes(claim), text) == nil)
    for bit in 0..<packed.count * 8 {
      var other = packed
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = try unpack(.bytes(other), text)
    }
  }
}
