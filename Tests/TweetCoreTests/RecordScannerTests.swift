import Foundation
import Testing

@testable import TweetCore

/// Finding documents in streams of every layout, whole and damaged, whatever the sizes of the pieces they come in.
struct RecordScannerTests {
  /// One thing the scanner gave: a record's bytes, or a bad piece's reason and bytes.
  enum Found: Equatable {
    case record(String, line: Int)
    case bad(String?, String, line: Int)
  }

  /// Feeds `input` through a pipe, `chunk` bytes at a time, and gives all that was found.
  func scan(_ input: [UInt8], chunk: Int, maxRecord: Int = 16 << 20) throws -> [Found] {
    let pipe = Pipe()
    var found: [Found] = []
    var scanner = RecordScanner(
      descriptor: pipe.fileHandleForReading.fileDescriptor, name: "test", maxRecord: maxRecord)
    var rest = input[...]
    while true {
      switch scanner.next() {
      case .record(let record):
        found.append(.record(String(decoding: record.bytes, as: UTF8.self), line: record.line))
      case .bad(let bad):
        found.append(.bad(bad.reason, String(decoding: bad.bytes, as: UTF8.self), line: bad.line))
      case .needsInput:
        if rest.isEmpty {
          try pipe.fileHandleForWriting.close()
        } else {
          try pipe.fileHandleForWriting.write(contentsOf: Data(rest.prefix(chunk)))
          rest = rest.dropFirst(chunk)
        }
        try scanner.fill()
      case .end: return found
      }
    }
  }

  /// Every chunk size gives the same.
  private func expect(_ input: String, _ expected: [Found]) throws {
    for chunk in [1, 2, 3, 7, 64, 60_000] {
      #expect(try scan(Array(input.utf8), chunk: chunk) == expected, "chunks of \(chunk)")
    }
  }

  @Test func readsLines() throws {
    try expect("", [])
    try expect("\n\n  \n", [])
    try expect("{\"a\":1}\n\n{\"b\":2}", [.record("{\"a\":1}", line: 1), .record("{\"b\":2}", line: 3)])
    try expect("{\"a\":1}\r\n\r\n{\"b\":2}\r\n", [.record("{\"a\":1}", line: 1), .record("{\"b\":2}", line: 3)])
    try expect("\u{FEFF}{\"a\":1}\n", [.record("{\"a\":1}", line: 1)])
    try expect(
      "{\"a\":1}{\"b\":2} {\"c\":3}\n",
      [
        .record("{\"a\":1}", line: 1), .record("{\"b\":2}", line: 1),
        .record("{\"c\":3}", line: 1),
      ])
  }

  @Test func flattensPrettyPrintedDocuments() throws {
    try expect(
      "{\n  \"a\": [\n    1.50,\n    \"x y\"\n  ]\n}\n{\"b\": 2}\n",
      [.record("{\"a\":[1.50,\"x y\"]}", line: 1), .record("{\"b\": 2}", line: 7)])
  }

  /// What a document must be changed in to be printed: its source stays as it is.
  @Test func mendsHalfSurrogatePairs() throws {
    try expect(
      #"{"a": "\ud83d\ude00 \ud83d \uDE00","b":["\ud83d\ud83d\ude00"]}"# + "\n{\n\"c\" : \"\\udc00\"}\n",
      [
        .record(#"{"a": "\ud83d\ude00 \ufffd \ufffd","b":["\ufffd\ud83d\ude00"]}"#, line: 1),
        .record(#"{"c":"\ufffd"}"#, line: 2),
      ])
  }

  @Test func takesTheElementsOfArrays() throws {
    try expect(
      "[{\"a\":1},\n{\"b\":2}\n, {\"c\":\n3}]\n[]\n{\"d\":4}\n",
      [
        .record("{\"a\":1}", line: 1), .record("{\"b\":2}", line: 2), .record("{\"c\":3}", line: 3),
        .record("{\"d\":4}", line: 6),
      ])
  }

  @Test func losesNothingAroundBadLines() throws {
    try expect(
      "{\"a\":1}\nnonsense\n{\"b\":2}\n",
      [
        .record("{\"a\":1}", line: 1), .bad("a bad word (expected true, false or null)", "nonsense\n", line: 2),
        .record("{\"b\":2}", line: 3),
      ])
    // Cut off in the middle of a value: the line after it is whole and stays so.
    try expect(
      "{\"a\":\n{\"b\":2}\n{\"c\":3}\n",
      [.bad("not JSON", "{\"a\":\n", line: 1), .record("{\"b\":2}", line: 2), .record("{\"c\":3}", line: 3)])
    // Control characters are no white space.
    try expect(
      "{\"a\":1}\n\0\n{\"b\":2}\n\u{1}\u{B}\n{\"c\":3}\n",
      [
        .record("{\"a\":1}", line: 1), .bad("not JSON", "\0\n", line: 2), .record("{\"b\":2}", line: 3),
        .bad("not JSON", "\u{1}\u{B}\n", line: 4), .record("{\"c\":3}", line: 5),
      ])
    try expect(
      "{\"a\":1\0}\n{\"a\":true\0\0,\"b\":2}\n{\"a\":[1,2\0]}\n",
      [
        .bad("a bad number", "{\"a\":1\0}\n", line: 1),
        .bad("a bad word (expected true, false or null)", "{\"a\":true\0\0,\"b\":2}\n", line: 2),
        .bad("a bad number", "{\"a\":[1,2\0]}\n", line: 3),
      ])
    // Cut off in the middle of a string: the odd quote spoils the whole chunk's index.
    try expect(
      "{\"z\":0}\n{\"a\":\"x\n{\"b\":2}\n{\"c\":\"3\"}\n",
      [
        .record("{\"z\":0}", line: 1), .bad("a string has no end", "{\"a\":\"x\n", line: 2),
        .record("{\"b\":2}", line: 3), .record("{\"c\":\"3\"}", line: 4),
      ])
    try expect(
      "{\"a\":\"\\x\"}\n{\"b\":2}\n",
      [.bad("a bad escape in a string", "{\"a\":\"\\x\"}\n", line: 1), .record("{\"b\":2}", line: 2)])
    try expect(
      "{\"b\":2}\n{\"a\":1", [.record("{\"b\":2}", line: 1), .bad("cut off before its end", "{\"a\":1", line: 2)])
  }

  /// A whole document wins over an odd quote after it, however the bytes come: what is in doubt begins after it.
  @Test func keepsTheDocumentBeforeAnOddQuote() throws {
    let odd = "a string has no end"
    for space in ["", "  ", "\t"] {
      try expect(
        "{\"a\":1}\n\(space)\"odd\n{\"b\":2}\n",
        [.record("{\"a\":1}", line: 1), .bad(odd, "\(space)\"odd\n", line: 2), .record("{\"b\":2}", line: 3)])
    }
    try expect(
      "{\n  \"a\": 1\n}\n\n \n\"odd\n{\"b\":2}",
      [.record("{\"a\":1}", line: 1), .bad(odd, "\"odd\n", line: 6), .record("{\"b\":2}", line: 7)])
    try expect(
      "{\"a\":1} \"odd\n{\"b\":2}\n",
      [.record("{\"a\":1}", line: 1), .bad(odd, " \"odd\n", line: 1), .record("{\"b\":2}", line: 2)])
    try expect(
      "{\"a\":1}{\"b\":\"x\n{\"c\":\"3\"}\n",
      [.record("{\"a\":1}", line: 1), .bad(odd, "{\"b\":\"x\n", line: 1), .record("{\"c\":\"3\"}", line: 2)])
    // A document over several lines is one reject.
    try expect(
      "{\"z\":0}\n{\n  \"a\": \"x,\n  \"b\": 2\n}\n{\"c\":3}\n",
      [
        .record("{\"z\":0}", line: 1), .bad(odd, "{\n  \"a\": \"x,\n  \"b\": 2\n}", line: 2),
        .record("{\"c\":3}", line: 6),
      ])
  }

  /// A half record and a whole one on a line: the whole one is kept, whatever the half one does to the index.
  @Test func findsTheWholeDocumentBehindAHalfOne() throws {
    try expect(
      "{\"a\":1,\"b\":[1,{\"a\":2,\"c\":{\"a\":3}}\n{\"d\":4}\n",
      [
        .bad("not JSON", "{\"a\":1,\"b\":[1,", line: 1), .record("{\"a\":2,\"c\":{\"a\":3}}", line: 1),
        .record("{\"d\":4}", line: 2),
      ])
    try expect(
      "{\"a\":1,\"b\":\"half{\"a\":2}\n{\"d\":\"4\"}\n",
      [
        .bad("a string has no end", "{\"a\":1,\"b\":\"half", line: 1), .record("{\"a\":2}", line: 1),
        .record("{\"d\":\"4\"}", line: 2),
      ])
    // A crash may leave NULs, or less than the first name.
    for half in ["\0\0\0", "{", "{\"", "{\"ab"] {
      let found = try scan(Array("\(half){\"abc\":1}\n{\"d\":4}\n".utf8), chunk: 60_000)
      guard case .bad(_, half, line: 1) = found.first else {
        Issue.record("\(found)")
        continue
      }
      #expect(found.dropFirst() == [.record("{\"abc\":1}", line: 1), .record("{\"d\":4}", line: 2)])
    }
  }

  /// What an index of it would take in memory is bounded, and real documents are far from the bound.
  @Test func refusesLongRecordsOfNothingButSigns() throws {
    let ones = "{\"a\":[" + String(repeating: "1,", count: 3_000_000) + "1]}"
    let texts = "{\"a\":[" + String(repeating: "\"[],:1,\\\\\",", count: 500_000) + "1]}"
    let found = try scan(Array("{\"b\":1}\n\(ones)\n\(texts)\n{\"c\":2}\n".utf8), chunk: 60_000)
    #expect(
      found == [
        .record("{\"b\":1}", line: 1), .bad("too many values for its length", ones + "\n", line: 2),
        .record(texts, line: 3), .record("{\"c\":2}", line: 4),
      ])
  }

  @Test func namesWrongUTF8() throws {
    let input: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}\n{\"b\":2}\n".utf8)
    let found = try scan(input, chunk: 5)
    #expect(found.count == 2)
    #expect(found.last == .record("{\"b\":2}", line: 2))
  }

  @Test func skipsWhatIsTooLarge() throws {
    let long = "{\"a\":\"" + String(repeating: "x", count: 5_000_000) + "\"}"
    let input = "{\"z\":0}\n" + long + "\n{\"b\":2}\n"
    let found = try scan(Array(input.utf8), chunk: 60_000, maxRecord: 1 << 20)
    #expect(found.first == .record("{\"z\":0}", line: 1))
    #expect(found.last == .record("{\"b\":2}", line: 3))
    // Given out in pieces, the first with the reason; together they are the line.
    var pieces = ""
    for case .bad(_, let bytes, _) in found { pieces += bytes }
    #expect(pieces == long + "\n")
    #expect(found.filter { if case .bad(let reason, _, _) = $0 { reason != nil } else { false } }.count == 1)
  }

  /// The largest size is a record's; white space around it does not count, however it comes.
  @Test(arguments: ["N\n", "N\r\n", "N", "  N\n", "\n\t N", "[N,N]", "[\n  N\n, \n  N\n]\n", "{\"b\":1}\n  N\n"])
  func takesRecordsUpToTheLargestSize(_ layout: String) throws {
    let largest = 120
    let record = "{\"a\":\"" + String(repeating: "x", count: largest - 8) + "\"}"
    let count = layout.count { $0 == "N" }
    for chunk in [1, 2, 7, 64, 121, 60_000] {
      let whole = try scan(
        Array(layout.replacingOccurrences(of: "N", with: record).utf8), chunk: chunk, maxRecord: largest)
      let records = whole.count { if case .record(record, _) = $0 { true } else { false } }
      let others = whole.count { if case .bad = $0 { true } else { false } }
      #expect(records == count && others == 0, "chunks of \(chunk): \(whole)")
      let longer = layout.replacingOccurrences(of: "N", with: record.dropLast() + " }")
      let found = try scan(Array(longer.utf8), chunk: chunk, maxRecord: largest)
      let reasons = found.compactMap { if case .bad(let reason?, _, _) = $0 { reason } else { nil } }
      #expect(Set(reasons).contains("longer than 120 bytes (--max-record)"), "chunks of \(chunk): \(found)")
      #expect(!found.contains { if case .record(let text, _) = $0 { text.contains("x") } else { false } })
    }
  }

  /// A wrong byte in a file whose every line is indented costs one element, not the file.
  @Test(arguments: ["[\n  {\n    \"a\": N\n  },\n", "[ {\n  \"a\" : N\n}, "])
  func losesOneElementOfAnIndentedArray(_ style: String) throws {
    let opening = style.prefix { $0 != "{" }
    let element = style.dropFirst(opening.count)
    var input: [UInt8] = Array(opening.utf8)
    for number in 1...9 {
      let value =
        number == 4 ? [0x22, 0xFF, 0x22] : number == 6 ? Array("\"\u{1}\"".utf8) : Array("{\"b\":[\(number)]}".utf8)
      let parts = element.split(separator: "N")
      input += Array(parts[0].utf8) + value + Array(parts[1].utf8)
    }
    input += Array("{}\n]\n".utf8)
    for chunk in [1, 7, 60_000] {
      var records: [String] = []
      var bad = 0
      for found in try scan(input, chunk: chunk) {
        if case .record(let text, _) = found { records.append(text) } else { bad += 1 }
      }
      #expect(records == [1, 2, 3, 5, 7, 8, 9].map { "{\"a\":{\"b\":[\($0)]}}" } + ["{}"], "chunks of \(chunk)")
      #expect(bad == 2)
    }
  }

  /// What is no piece of a document ends with its line, however the next one is indented.
  @Test func anIndentedLineIsItsOwn() throws {
    let lines = ["http://a.example/\n", "  http://b.example/\n", "\thttp://c.example/\n", "http://d.example/\n"]
    for chunk in [1, 7, 60_000] {
      let found = try scan(Array(lines.joined().utf8), chunk: chunk)
      #expect(found.count == 4 && found.allSatisfy { if case .bad = $0 { true } else { false } }, "\(found)")
    }
  }

  /// An array of any length on one line, its elements long and nested, brackets in their texts.
  @Test func takesALongLineAsItComes() throws {
    var expected: [Found] = []
    var text = "["
    for number in 0..<4000 {
      let inner = String(repeating: "x},{\\\"", count: number % 200)
      let element = "{\"id\":\(number),\"t\":\"\(inner)\",\"l\":[{\"a\":[1,{}]},{\"b\":2}]}"
      expected.append(.record(element, line: 1))
      text += (number == 0 ? "" : ",") + element
    }
    text += "]"
    #expect(text.utf8.count > 2 << 20)
    for chunk in [60_000, 1000] {
      let found = try scan(Array(text.utf8), chunk: chunk, maxRecord: 64 << 10)
      let isSame = found == expected
      #expect(isSame, "chunks of \(chunk): \(found.count) of \(expected.count)")
    }
  }

  /// A pretty-printed document is taken when its last line has come, however short that is.
  @Test func takesAShortDocumentAtItsEnd() throws {
    let pipe = Pipe()
    var scanner = RecordScanner(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "test")
    try pipe.fileHandleForWriting.write(
      contentsOf: Data("{\n  \"a\": \"\(String(repeating: "x", count: 500))\"\n".utf8))
    try scanner.fill()
    guard case .needsInput = scanner.next() else { throw Failure() }
    try pipe.fileHandleForWriting.write(contentsOf: Data("}\n".utf8))
    try scanner.fill()
    guard case .record(let record) = scanner.next() else { throw Failure() }
    #expect(record.root.count == 1)
  }

  /// A document that comes slowly, each piece looking like its end, is not gone over from its start for each.
  @Test func boundsTheTriesOfASlowDocument() throws {
    let pipe = Pipe()
    var scanner = RecordScanner(descriptor: pipe.fileHandleForReading.fileDescriptor, name: "test")
    let piece = Data("{\"t\":\"\(String(repeating: "x", count: 500))\"},\n{}\n,".utf8)
    try pipe.fileHandleForWriting.write(contentsOf: Data("{\"a\":[\n".utf8))
    var most = 0
    for _ in 0..<4000 {
      try pipe.fileHandleForWriting.write(contentsOf: piece)
      try scanner.fill()
      guard case .needsInput = scanner.next() else { throw Failure() }
      most = max(most, scanner.triedTotal)
    }
    #expect(most < 16 * 4000 * piece.count)
    try pipe.fileHandleForWriting.write(contentsOf: Data("{}]}\n".utf8))
    try pipe.fileHandleForWriting.close()
    while !scanner.hasEnded { try scanner.fill() }
    guard case .record(let record) = scanner.next() else { throw Failure() }
    #expect(record.root["a"]?.count == 8001)
  }
  private struct Failure: Error {}

  @Test func endsInsideAnArray() throws {
    let found = try scan(Array("[{\"a\":1},\n".utf8), chunk: 100)
    #expect(found == [.record("{\"a\":1}", line: 1), .bad("the input ends inside an array", "", line: 2)])
  }
}
