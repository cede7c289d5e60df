import Foundation
import TestSupport

/// A case of the Autobahn test suite for clients of WebSockets (github.com/crossbario/autobahn-testsuite, which is a
/// program for Python 2): what the server sends, and what the client must do. Where the suite sends any text, a message
/// here has it inside an event with an id, so that it can be found in what the tool prints.
struct AutobahnCase: Sendable, CustomStringConvertible {
  let name: String
  /// Sent one after the other.
  private(set) var frames: [[UInt8]] = []
  /// Bytes that are sent at a time.
  var piece: Int?
  /// The ids of the messages that must come out.
  private(set) var ids: [String] = []
  private(set) var pongs: [[UInt8]] = []
  /// The code of the client's close frame; `nil` for one without.
  private(set) var code: Int? = 1000
  /// Whether the server has said that it closes.
  private(set) var hasClosed = false

  var description: String { name }

  init(_ name: String, piece: Int? = nil) { (self.name, self.piece) = (name, piece) }

  /// A message with some bytes in it.
  static func text(_ id: String, _ bytes: [UInt8] = [], size: Int = 0) -> [UInt8] {
    let head = Array(#"{"event":"update","payload":{"id":"\#(id)","content":""#.utf8) + bytes
    let tail = Array(#""}}"#.utf8)
    return head + [UInt8](repeating: UInt8(ascii: "*"), count: max(0, size - head.count - tail.count)) + tail
  }

  func sending(_ frame: [UInt8]) -> AutobahnCase {
    var other = self
    other.frames.append(frame)
    return other
  }

  private func expecting(_ id: String) -> AutobahnCase {
    var other = self
    other.ids.append(id)
    return other
  }

  private var nextID: String { "c" + name.filter { $0.isLetter || $0.isNumber } + "n\(ids.count)" }

  /// A message that must come out.
  /// - Parameter fragment: bytes of a frame of it; `nil` for one frame.
  func message(
    _ bytes: [UInt8] = [], size: Int = 0, opcode: UInt8 = 1, fragment: Int? = nil, isDelivered: Bool = true,
    between: [UInt8]? = nil
  ) -> AutobahnCase {
    var other = self
    let text = Self.text(nextID, bytes, size: size)
    let length = fragment ?? max(1, text.count)
    for start in stride(from: 0, to: text.count, by: length) {
      let end = min(start + length, text.count)
      if start > 0, let between { other.frames.append(between) }
      other.frames.append(
        Connection.frame(start == 0 ? opcode : 0, Array(text[start..<end]), isFinal: end == text.count))
    }
    return isDelivered ? other.expecting(nextID) : other
  }

  func ping(_ payload: [UInt8] = [], isAnswered: Bool = true) -> AutobahnCase {
    var other = sending(Connection.frame(9, payload))
    if isAnswered { other.pongs.append(payload) }
    return other
  }

  /// The pong that a ping between fragments must bring.
  func pong(_ payload: [UInt8]) -> AutobahnCase {
    var other = self
    other.pongs.append(payload)
    return other
  }

  /// The client must end the connection with a code.
  func fails(_ code: Int = 1002) -> AutobahnCase {
    var other = self
    other.code = code
    return other
  }

  /// The server closes; the client must answer with the same code, or none.
  func closes(_ frame: [UInt8] = Connection.closing(1000), code: Int? = 1000) -> AutobahnCase {
    var other = sending(frame)
    (other.code, other.hasClosed) = (code, true)
    return other
  }

  /// With the close frame of the server where none has been sent and the client is not to fail.
  var whole: AutobahnCase { hasClosed || code != 1000 ? self : closes() }
}

/// The cases 1 to 7, 9 and 10; 12 and 13 are about compression, which no client of ours offers. Messages of 9 have 1
/// MiB at most.
extension AutobahnCase {
  static let all = (sizes + pings + reserved + fragments + utf8 + ends + large).map(\.whole)

  private static let sizes =
    [UInt8(1), 2].flatMap { opcode in
      [0, 125, 126, 127, 128, 65_535, 65_536].enumerated().map { index, size in
        let name = "1.\(opcode).\(index + 1)"
        // There is no event in no bytes.
        return size == 0
          ? AutobahnCase(name).sending(Connection.frame(opcode, [])).message()
          : AutobahnCase(name).message(size: size, opcode: opcode)
      } + [AutobahnCase("1.\(opcode).8", piece: 997).message(size: 65_536, opcode: opcode)]
    }

  private static let pings = [
    AutobahnCase("2.1").ping(), AutobahnCase("2.2").ping(Array("Hello, world!".utf8)),
    AutobahnCase("2.3").ping([0, 255, 254, 253, 252, 251, 0, 255]),
    AutobahnCase("2.4").ping([UInt8](repeating: 254, count: 125)),
    AutobahnCase("2.5").sending(Connection.frame(9, [UInt8](repeating: 254, count: 126))).fails(),
    AutobahnCase("2.6", piece: 1).ping([UInt8](repeating: 254, count: 125)),
    AutobahnCase("2.7").sending(Connection.frame(10, [])),
    AutobahnCase("2.8").sending(Connection.frame(10, Array("unsolicited pong payload".utf8))),
    AutobahnCase("2.9").sending(Connection.frame(10, Array("unsolicited".utf8))).ping(Array("ping payload".utf8)),
    (0..<10).reduce(AutobahnCase("2.10")) { $0.ping(Array("payload-\($1)".utf8)) },
    (0..<10).reduce(AutobahnCase("2.11", piece: 1)) { $0.ping(Array("payload-\($1)".utf8)) },
  ]

  private static let reserved =
    [
      AutobahnCase("3.1").sending(Connection.frame(1, text("x"), reserved: 1)).fails(),
      AutobahnCase("3.2").message().sending(Connection.frame(1, text("x"), reserved: 2)).ping(isAnswered: false)
        .fails(),
      AutobahnCase("3.3", piece: 60).message().sending(Connection.frame(1, text("x"), reserved: 3))
        .ping(isAnswered: false).fails(),
      AutobahnCase("3.4", piece: 1).message().sending(Connection.frame(1, text("x"), reserved: 4)).ping(
        isAnswered: false
      )
      .fails(),
      AutobahnCase("3.5").sending(Connection.frame(2, [0, 255, 254], reserved: 5)).fails(),
      AutobahnCase("3.6").sending(Connection.frame(9, Array("Hello".utf8), reserved: 6)).fails(),
      AutobahnCase("3.7").sending(Connection.frame(8, [], reserved: 7)).fails(),
    ]
    + [(1, [UInt8(3), 4, 5, 6, 7]), (2, [11, 12, 13, 14, 15])].flatMap { part, opcodes in
      opcodes.enumerated().map { index, opcode in
        let first = AutobahnCase("4.\(part).\(index + 1)", piece: index == 4 ? 1 : nil)
        let payload = index % 2 == 1 ? Array("reserved".utf8) : []
        return (index < 2 ? first : first.message()).sending(Connection.frame(opcode, payload))
          .ping(isAnswered: false).fails()
      }
    }

  private static let pingPayload = Array("ping payload".utf8)
  private static let fragments: [AutobahnCase] = {
    let ping = Connection.frame(9, pingPayload)
    let begin = Connection.frame(1, text("x"), isFinal: false)
    let orphan = { (isFinal: Bool) in Connection.frame(0, Array("non-continuation payload".utf8), isFinal: isFinal) }
    let hello = Connection.frame(1, text("x"))
    let pieces: [Int?] = [nil, 60, 1]
    var cases = [
      AutobahnCase("5.1").sending(Connection.frame(9, Array("fragment1".utf8), isFinal: false)).fails(),
      AutobahnCase("5.2").sending(Connection.frame(10, Array("fragment1".utf8), isFinal: false)).fails(),
    ]
    for (index, piece) in pieces.enumerated() {
      cases += [
        AutobahnCase("5.\(3 + index)", piece: piece).message(size: 90, fragment: 45),
        AutobahnCase("5.\(6 + index)", piece: piece).message(size: 90, fragment: 45, between: ping).pong(pingPayload),
        AutobahnCase("5.\(9 + index)", piece: piece).sending(orphan(true)).sending(hello).fails(),
        AutobahnCase("5.\(12 + index)", piece: piece).sending(orphan(false)).sending(hello).fails(),
      ]
    }
    cases += [
      AutobahnCase("5.15").message(size: 90, fragment: 45).sending(orphan(false)).sending(hello).fails(),
      AutobahnCase("5.16").sending(orphan(false)).sending(begin).sending(orphan(true)).fails(),
      AutobahnCase("5.17").sending(orphan(true)).sending(begin).sending(orphan(true)).fails(),
      AutobahnCase("5.18").sending(begin).sending(hello).fails(),
      (0..<4).reduce(AutobahnCase("5.19").message(size: 200, fragment: 40, between: ping)) { other, _ in
        other.pong(pingPayload)
      },
      (0..<4).reduce(AutobahnCase("5.20", piece: 47).message(size: 200, fragment: 40, between: ping)) { other, _ in
        other.pong(pingPayload)
      },
    ]
    return cases
  }()

  private static func bytes(_ hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
  }

  /// Markus Kuhn's test of decoders, as the suite has it: each sequence, and whether it is UTF-8 (RFC 3629).
  private static let sequences: [(String, Bool)] = {
    var found: [(String, Bool)] = ["24", "c2a2", "e282ac", "f0a4ada2"].map { ("68656c6c6f\($0)776f726c64", true) }
    let word = "cebae1bdb9cf83cebccebd"
    let ends: Set = [4, 10, 14, 18, 22]
    found += stride(from: 2, through: word.count, by: 2).map { (String(word.prefix($0)), ends.contains($0)) }
    found +=
      ["00", "c280", "e0a080", "f0908080"].map { ($0, true) } + ["f888808080", "fc8480808080"].map { ($0, false) }
    found += ["7f", "dfbf", "efbfbf", "f48fbfbf"].map { ($0, true) }
    found += ["f7bfbfbf", "fbbfbfbfbf", "fdbfbfbfbfbf"].map { ($0, false) }
    found += ["ed9fbf", "ee8080", "efbfbd", "f48fbfbf"].map { ($0, true) } + [("f4908080", false)]
    found += ["80", "bf", "80bf", "80bf80", "80bf80bf", "80bf80bf80", "80bf80bf80bf"].map { ($0, false) }
    let hex = { (byte: Int) in String(byte, radix: 16) }
    found.append(((0x80..<0xbf).map(hex).joined(), false))
    for range in [0xc0..<0xdf, 0xe0..<0xef, 0xf0..<0xf7, 0xf8..<0xfb, 0xfc..<0xfd] {
      found.append((range.map { hex($0) + "20" }.joined(), false))
    }
    let cut = [
      "c0", "e080", "f08080", "f8808080", "fc80808080", "df", "efbf", "f7bfbf", "fbbfbfbf", "fdbfbfbfbf",
    ]
    found += (cut + [cut.joined(), "fe", "ff", "fefeffff"]).map { ($0, false) }
    found += [
      "c0af", "e080af", "f08080af", "f8808080af", "fc80808080af", "c1bf", "e09fbf", "f08fbfbf", "f887bfbfbf",
      "fc83bfbfbfbf", "c080", "e08080", "f0808080", "f880808080", "fc8080808080",
    ].map { ($0, false) }
    let surrogates = ["eda080", "edadbf", "edae80", "edafbf", "edb080", "edbe80", "edbfbf"]
    found += surrogates.map { ($0, false) }
    for high in surrogates.prefix(4) { for low in ["edb080", "edbfbf"] { found.append((high + low, false)) } }
    found += ["efbfbe", "efbfbf"].map { ($0, true) }
    for first in 0xf0...0xf4 {
      for second in [0x8f, 0x9f, 0xaf, 0xbf] where first != 0xf4 || second == 0x8f {
        if first == 0xf0, second == 0x8f { continue }
        for last in ["be", "bf"] { found.append((hex(first) + hex(second) + "bf" + last, true)) }
      }
    }
    return found + ["efbfb9", "efbfba", "efbfbb", "efbfbc", "efbfbd", "efbfbe", "efbfbf"].map { ($0, true) }
  }()

  private static let utf8: [AutobahnCase] = {
    let hello = Array("Hello-µ@ßöäüàá-UTF-8!!".utf8)
    let wrong = [
      ("3", "cebae1bdb9cf83cebccebdeda080656469746564"), ("4", "cebae1bdb9cf83cebccebdf4908080656469746564"),
    ]
    var cases = [
      // Empty, whole and in fragments of which one is empty.
      AutobahnCase("6.1.1").sending(Connection.frame(1, [])).message(),
      AutobahnCase("6.1.2").sending(Connection.frame(1, [], isFinal: false)).sending(
        Connection.frame(0, [], isFinal: false)
      )
      .sending(Connection.frame(0, [])),
      AutobahnCase("6.1.3").sending(Connection.frame(1, [], isFinal: false)).sending(
        Connection.frame(0, text("c613n0"), isFinal: false)
      )
      .sending(Connection.frame(0, [])).expecting("c613n0"),
      AutobahnCase("6.2.1").message(hello), AutobahnCase("6.2.2").message(hello, fragment: 58),
      AutobahnCase("6.2.3").message(hello, fragment: 1), AutobahnCase("6.2.4", piece: 1).message(hello, fragment: 1),
    ]
    for (part, hex) in wrong {
      let message = AutobahnCase.text("x", bytes(hex))
      var inFragments = AutobahnCase("6.\(part).2")
      for (index, byte) in message.enumerated() {
        inFragments = inFragments.sending(
          Connection.frame(index == 0 ? 1 : 0, [byte], isFinal: index == message.count - 1))
      }
      cases += [
        AutobahnCase("6.\(part).1").sending(Connection.frame(1, message)).fails(1007), inFragments.fails(1007),
        AutobahnCase("6.\(part).3", piece: 1).sending(Connection.frame(1, message)).fails(1007),
      ]
    }
    for (index, (hex, isValid)) in sequences.enumerated() {
      let sequence = bytes(hex)
      // JSON has control characters as escapes alone.
      let isText = isValid && sequence.allSatisfy { $0 >= 0x20 }
      let first = AutobahnCase("6.\(5 + index).1")
      cases.append(
        isValid
          ? first.message(sequence, isDelivered: isText)
          : first.sending(Connection.frame(1, text("x", sequence))).fails(1007))
    }
    return cases
  }()

  private static let ends: [AutobahnCase] = {
    let ping = Connection.frame(9, [])
    let codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    let wrong = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65_535]
    return [
      AutobahnCase("7.1.1").message().closes(),
      AutobahnCase("7.1.2").closes(Connection.closing(1000) + Connection.frame(8, [])),
      AutobahnCase("7.1.3").closes(Connection.closing(1000) + ping),
      AutobahnCase("7.1.4").closes(Connection.closing(1000) + Connection.frame(1, text("x"))),
      AutobahnCase("7.1.5").sending(Connection.frame(1, text("x"), isFinal: false))
        .closes(Connection.closing(1000) + Connection.frame(0, text("x"))),
      AutobahnCase("7.1.6").message(size: 256 << 10).message().closes(Connection.closing(1000) + ping),
      AutobahnCase("7.3.1").closes(Connection.frame(8, []), code: nil),
      AutobahnCase("7.3.2").closes(Connection.frame(8, [97]), code: 1002), AutobahnCase("7.3.3").closes(),
      AutobahnCase("7.3.4").closes(Connection.closing(1000, "Hello World!")),
      AutobahnCase("7.3.5").closes(Connection.closing(1000, String(repeating: "*", count: 123))),
      AutobahnCase("7.3.6").closes(Connection.closing(1000, String(repeating: "*", count: 124)), code: 1002),
      AutobahnCase("7.5.1").closes(
        Connection.frame(8, [3, 232] + bytes("cebae1bdb9cf83cebccebdeda080656469746564")), code: 1007),
    ]
      + codes.enumerated().map { AutobahnCase("7.7.\($0 + 1)").closes(Connection.closing($1), code: $1) }
      + wrong.enumerated().map { AutobahnCase("7.9.\($0 + 1)").closes(Connection.closing($1), code: 1002) }
  }()

  private static let large: [AutobahnCase] = {
    let whole = 1 << 20
    var cases: [AutobahnCase] = []
    for (kind, opcode) in [(1, UInt8(1)), (2, 2)] {
      cases += [65_536, 262_144, whole].enumerated().map { index, size in
        AutobahnCase("9.\(kind).\(index + 1)").message(size: size, opcode: opcode)
      }
      cases += [64, 256, 1024, 4096, 16_384, 65_536, 262_144, whole].enumerated().map { index, size in
        AutobahnCase("9.\(kind + 2).\(index + 1)").message(size: whole, opcode: opcode, fragment: size)
      }
      cases += [64, 128, 256, 512, 1024, 2048].enumerated().map { index, size in
        AutobahnCase("9.\(kind + 4).\(index + 1)", piece: size).message(size: whole / 8, opcode: opcode)
      }
      cases += [0, 16, 64, 256, 1024, 4096].enumerated().map { index, size in
        (0..<100).reduce(AutobahnCase("9.\(kind + 6).\(index + 1)")) { other, _ in
          other.message(size: size, opcode: opcode)
        }
      }
    }
    return cases + [AutobahnCase("10.1.1").message(size: 65_536, fragment: 1300)]
  }()
}
