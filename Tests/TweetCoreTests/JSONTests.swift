import CSimdjsonDOM
import Foundation
import TestNumbers
import Testing

@testable import TweetCore

/// The JSON view against cases of our own and against simdjson's document model.
struct JSONTests {
  /// Escapes that stand for themselves become characters at each place of a text; those that JSON needs stay.
  @Test func plainTextKeepsTheEscapesThatItNeeds() throws {
    let pieces = [
      ("a", "a"), ("\\u00e9", "é"), ("\\u20AC", "€"), ("\\ud83d\\ude00", "😀"), ("\\/", "/"), ("\\n", "\\n"),
      ("\\\"", "\\\""), ("\\\\", "\\\\"), ("\\u0022", "\\u0022"), ("\\u005C", "\\u005C"), ("\\u0007", "\\u0007"),
      ("\\u0041", "A"), ("\\u007f", "\u{7f}"), ("\\u07FF", "\u{7ff}"), ("\\ud83d", "\u{fffd}"),
      ("long text é ", "long text é "),
      ("\\\\u00e9", "\\\\u00e9"),
    ]
    for first in pieces {
      for second in pieces {
        for length in 0..<20 {
          let filling = String(repeating: "x", count: length)
          let text = filling + first.0 + second.0 + filling + first.0
          var buffer = ByteBuffer(capacity: 1)
          Array(text.utf8).withBytes { buffer.append(plain: $0) }
          let wanted = filling + first.1 + second.1 + filling + first.1
          #expect(buffer.string == wanted, "\(text)")
        }
      }
    }
  }

  @Test(arguments: [
    "{}", "[]", " [ ] ", "\"\"", "0", "-0", "1.5e-7", "1E5", "true", "false", "null", "[[[[]]]]", "{\"\":{}}",
    #"{"a":1,"a":2}"#, #"["\u0041\ud83d\ude00\n\"\\\/\b\f\r\t"]"#, "[1,2,3]", "\t[1]\r\n", "[\"é😀\u{7f}\"]",
    "123456789012345678901234567890", "[-1,0.10,1e400]", "[\"\u{2028}\"]",
  ])
  func accepts(_ text: String) throws {
    #expect(throws: Never.self) { _ = try JSONDocument(text) }
  }

  /// A bound on texts counts what they decode to, not their escapes.
  @Test(arguments: [
    ("abc", 3), (#"\n\\\""#, 3), (#"\u0041"#, 1), (#"\u00e9"#, 2), (#"\u20ac"#, 3), (#"\ud83d\ude00"#, 4), ("é😀 ", 7),
    (String(repeating: #"a\u0001\t"#, count: 100), 300),
  ])
  func textsAreAsLongAsTheyDecode(_ inside: String, _ count: Int) throws {
    for text in ["\"\(inside)\"", "[1, \"\(inside)\"   , 2]", "{\"a\":{\"b\":\"\(inside)\"},\"c\":\"\"}"] {
      try JSONDocument(text).read { value in
        #expect(!value.hasString(longerThan: count) && value.hasString(longerThan: count - 1), "\(text)")
      }
    }
  }

  @Test(arguments: [
    ("", JSONFault.empty), ("  \n", .empty), ("[", .cutOff), ("{\"a\"", .cutOff), ("{\"a\":", .cutOff),
    ("[1,", .cutOff),
    ("[1,]", .badGrammar), ("{\"a\":1,}", .badGrammar), ("{,}", .badGrammar), ("[1 2]", .badGrammar),
    ("{\"a\" 1}", .badGrammar), ("{1:2}", .badGrammar), ("[1]]", .badGrammar), ("{}{}", .badGrammar),
    ("]", .badGrammar),
    ("01", .badNumber), ("-", .badNumber), ("1.", .badNumber), (".5", .badGrammar), ("+1", .badGrammar),
    ("1e", .badNumber), ("1e+", .badNumber), ("0x10", .badNumber), ("1a", .badNumber), ("NaN", .badGrammar),
    ("tru", .badLiteral), ("truex", .badLiteral), ("nul", .badLiteral), ("falsy", .badLiteral),
    ("\"a", .unclosedString),
    ("\"a\u{1}b\"", .controlCharacter), ("[\"a\nb\"]", .controlCharacter), (#"["\x"]"#, .badEscape),
    (#"["\u12"]"#, .badEscape), (#"["\u12G4"]"#, .badEscape), ("{\"a\":1 \"b\":2}", .badGrammar),
    ("[\"a\"1]", .badGrammar),
    ("{\"a\":}", .badGrammar), ("[}", .badGrammar), ("{]", .badGrammar), ("\u{FEFF}{}", .badGrammar),
  ])
  func refuses(_ text: String, _ fault: JSONFault) {
    #expect(throws: fault) { _ = try JSONDocument(text) }
  }

  @Test func refusesWrongUTF8AndDeepNesting() {
    for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      #expect(throws: JSONFault.badUTF8) { _ = try JSONDocument(bytes) }
    }
    let deepest = String(repeating: "[", count: 1024) + String(repeating: "]", count: 1024)
    #expect(throws: Never.self) { _ = try JSONDocument(deepest) }
    #expect(throws: JSONFault.tooDeep) { _ = try JSONDocument("[" + deepest + "]") }
    #expect(throws: JSONFault.tooDeep) { _ = try JSONDocument(String(repeating: "[{\"a\":", count: 100_000)) }
  }

  @Test func givesValuesAndTheirExactBytes() throws {
    let text =
      #"{ "id" : 1456012973835788293, "n":0.1000,"s":"a\u00e9\ud83d\ude00\n","t":true,"l":[1,"2",[3]],"x":null}"#
    let root = try JSONDocument(text)
    #expect(root.count == 6)
    #expect(root["id"]?.integer == 1_456_012_973_835_788_293)
    #expect(root["n"]?.rawText == "0.1000")
    #expect(root["n"]?.integer == nil)
    #expect(root["s"]?.string == "aé😀\n")
    #expect(root["t"]?.bool == true)
    #expect(root["x"]?.isNull == true)
    #expect(root["l"]?.elements.map(\.rawText) == ["1", "\"2\"", "[3]"])
    #expect(root["l"]?.elements.compactMap(\.looseInteger) == [1, 2])
    #expect(root.member(named: "l")?.count == 3)
    #expect(root["missing"] == nil)
    #expect(root["id"]?["id"] == nil)
  }

  /// A part keeps the memory of its document. This much goes back to the system when it is freed.
  @Test func partsKeepTheirDocument() throws {
    let text = #"{"a":{"b":["x",1]},"long":"\#(String(repeating: "y", count: 8 << 20))"}"#
    let (array, first) = (try JSONDocument(text)["a"]?["b"], try JSONDocument(text)["a"]?["b"]?.elements.first)
    #expect(array?.elements.map(\.rawText) == [#""x""#, "1"] && first?.string == "x")
    #expect(try JSONDocument(text)["a"]?.members.first?.key.string == "b")
    #expect(try JSONDocument(text).member(named: "a")?.rawText == #"{"b":["x",1]}"#)
  }

  /// A lone surrogate is no character: it becomes U+FFFD, escaped as it came, so that others can read what we print.
  @Test func mendsLoneSurrogates() throws {
    let document = try JSONDocument(#"["\ud83d","\ude00x","\ud83d\u0041","\\ud83d","\ud83d\ude00"]"#)
    #expect(document.rawText == #"["\ufffd","\ufffdx","\ufffd\u0041","\\ud83d","\ud83d\ude00"]"#)
  }

  @Test(arguments: [
    ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("0", 0), ("-7", -7),
    ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil),
  ])
  func readsWholeNumbers(_ text: String, _ number: Int?) throws {
    #expect(try JSONDocument(text).integer == number)
  }

  @Test func writesStringsAndNumbers() {
    var buffer = ByteBuffer(capacity: 1)
    buffer.appendJSONString("a\"b\\c\u{1}\n\u{1F600}")
    buffer.append(decimal: -120)
    buffer.append(decimal: .min)
    buffer.append(decimal: 7, width: 4)
    #expect(buffer.string == "\"a\\\"b\\\\c\\u0001\\n😀\"-120-92233720368547758080007")
  }

  /// Every control character is written as an escape that every reader of JSON knows.
  @Test func writesControlCharactersAsEscapes() throws {
    let short: [UInt8: String] = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"]
    for byte in UInt8(0)..<0x20 {
      let digits = String(byte, radix: 16)
      let expected = short[byte] ?? "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      var buffer = ByteBuffer()
      buffer.appendJSONString(String(Unicode.Scalar(byte)))
      #expect(buffer.string == "\"\(expected)\"")
      #expect(try JSONDocument(buffer.string).string == String(Unicode.Scalar(byte)))
    }
  }

  /// Every digit counts in each of the four positions, small and capital.
  @Test func readsEveryHexadecimalEscape() throws {
    for value in 0..<0x1_0000 where !(0xD800..<0xE000).contains(value) && value % 31 == value >> 8 % 31 || value < 0x100
    {
      let scalar = try #require(Unicode.Scalar(UInt32(value)))
      for isCapital in [false, true] {
        let digits = String(value, radix: 16, uppercase: isCapital)
        let text = "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
        #expect(try JSONDocument(text).string == String(Character(scalar)), "\(text)")
      }
    }
  }

  /// Editing leaves all other bytes alone.
  @Test func editsRecords() throws {
    let document = try JSONDocument(#"{"a":{},"b":{"x": 0.10},"c":[1],"d":1}"#)
    var buffer = ByteBuffer()
    try document.read { root in
      var edits = RecordEdits()
      edits.set("n", in: try #require(root["a"]), to: "1")
      edits.set("m", in: try #require(root["a"]), to: "2")
      edits.set("x", in: try #require(root["b"]), to: "true")
      edits.set("y", in: try #require(root["b"]), to: "[]")
      edits.remove(from: root) { $0.equals("c") }
      edits.apply(to: root, into: &buffer)
    }
    #expect(buffer.string == #"{"a":{"n":1,"m":2},"b":{"x": true,"y":[]},"d":1}"#)
  }

  /// Members removed side by side, at either end and more than once leave the commas right.
  @Test(arguments: [
    (#"{"r":1,"a":1}"#, #"{"a":1,"n":0}"#), (#"{"a":1, "r":1}"#, #"{"a":1,"n":0}"#),
    (#"{"r":1,"r":[2],"a":1,"r":3,"r":{},"b":2,"r":4,"r":5}"#, #"{"a":1,"b":2,"n":0}"#),
    (#"{"r":1,"a":{"r":1},"r":2,"b":2}"#, #"{"a":{"r":1},"b":2,"n":0}"#),
  ])
  func removesMembers(from: String, leaves: String) throws {
    let document = try JSONDocument(from)
    var buffer = ByteBuffer()
    document.read { root in
      var edits = RecordEdits()
      edits.set("n", in: root, to: "0")
      edits.remove(from: root) { $0.equals("r") }
      edits.apply(to: root, into: &buffer)
    }
    #expect(buffer.string == leaves)
  }

  @Test(arguments: [#"{"r":1}"#, #"{ "r":1 , "r":2 }"#]) func removesAllMembers(from: String) throws {
    let document = try JSONDocument(from)
    var buffer = ByteBuffer()
    document.read { root in
      var edits = RecordEdits()
      edits.remove(from: root) { $0.equals("r") }
      edits.apply(to: root, into: &buffer)
    }
    #expect(buffer.string.filter { $0 != " " } == "{}")
  }

  /// Ten thousand documents, most of them damaged, are accepted and read as simdjson's own document model does. It
  /// refuses what we take on purpose: lone surrogates, and numbers beyond 64 bits or a double's range.
  @Test func agreesWithTheOracle() throws {
    let seeds = [
      #"{"id":1456012973835788293,"text":"a &amp; b \ud83d\ude00 \u00e9","user":{"id":12,"name":"é","verified":true},"#
        + #""entities":{"urls":[{"url":"https:\/\/t.co\/x","indices":[0,23]}],"hashtags":[]},"geo":null,"x":-1.5e3}"#,
      #"[1,2.5,-0,1e5,{"a":[{}]},"",[[]],null,true,false," "]"#,
      #"{"data":[{"id":"1","text":"x"}],"meta":{"result_count":1}}"#,
    ]
    let noise: [UInt8] = Array(#"{}[]:,"\ 0129eE+-.tfnu/ab"#.utf8) + [0x0A, 0x00, 0x7F, 0xC3, 0xA9, 0xFF]
    var random = Chance()
    var accepted = 0
    for round in 0..<10_000 {
      var bytes = Array(seeds[round % seeds.count].utf8)
      for _ in 0..<Int(random.next() % 4) {
        let at = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 3 {
        case 0: bytes[at] = noise[Int(random.next() % UInt64(noise.count))]
        case 1: bytes.insert(noise[Int(random.next() % UInt64(noise.count))], at: at)
        default: bytes.remove(at: at)
        }
      }
      let theirs = oracle(bytes)
      let ours = try? JSONDocument(bytes).outline
      let text = String(decoding: bytes, as: UTF8.self)
      if let theirs {
        accepted += 1
        #expect(ours == theirs, "\(text)")
      } else if let ours {
        #expect(ours.contains("d") || text.contains("\\u"), "we take what simdjson refuses: \(text)")
      }
    }
    #expect(accepted > 2000)
  }

  private func oracle(_ bytes: [UInt8]) -> String? {
    var length = 0
    let text = bytes.withUnsafeBytes { tw_dom_outline($0.baseAddress, $0.count, &length) }
    guard let text else { return nil }
    defer { free(text) }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
  }

  /// What stands after a line must not matter, where it lies among others as where it is alone.
  @Test(arguments: [
    #"{"id":"1","n":[1,-2.5e3,true,null,{}]}"#, #"{"text":"\u00e9 \\ \" \ud83d\ude00"}"#, #"{"text":"\ud83d"}"#, "12",
    "\"a\"",
    "", " ", "{", #"{"a":1"#, #"{"a":"#, #"{"a"}"#, #"{"a":1}}"#, #"{"a":1} {"b":2}"#, #"{"a":"b"#, #"{"a":"\x"}"#,
    #"{"a":tru"#, "tru", "1.", "-", "{\"a\":\"\t\"}", "[1,]", "[1 2]",
  ])
  func readsALineWhereItLies(text: String) throws {
    let reader = JSONReader()
    let alone = Result { () throws(JSONFault) in try JSONDocument(text).rawText }
    for end in ["\r\n", "\n"] {
      let rest = end + String(repeating: #"{"id":"2","e":1}"# + end, count: 8)
      let bytes = Array((text + rest).utf8)
      bytes.withBytes { bytes in
        let line = ByteView(rebasing: bytes[..<text.utf8.count])
        for readable in [0, 63, rest.utf8.count] {
          let read = Result { () throws(JSONFault) in try reader.read(line, readable: readable).rawText }
          #expect(read == alone)
        }
      }
      #expect(bytes == Array((text + rest).utf8))
    }
  }
}

extension JSONDocument {
  /// The same outline as the oracle's.
  var outline: String {
    var out = ""
    read { $0.outline(&out) }
    return out
  }
}

extension JSONValue {
  func outline(_ out: inout String) {
    switch kind {
    case .object:
      out += "{"
      for (key, value) in members {
        key.outline(&out)
        value.outline(&out)
      }
      out += "}"
    case .array:
      out += "["
      for element in elements { element.outline(&out) }
      out += "]"
    case .string:
      let text = string ?? ""
      out += "s\(text.utf8.count):\(text)"
    case .number: out += integer.map { "i\($0);" } ?? "d"
    case .bool: out += bool == true ? "t" : "f"
    case .null: out += "n"
    }
  }
}
