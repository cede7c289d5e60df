/// What a terminal answers to ``TerminalQuestion``, put together from the bytes that come.
package struct TerminalAnswers {
  /// What is asked, in this order: whether kitty's protocol is known (a picture of one pixel that is not kept), the
  /// name (XTVERSION), the size of a cell (XTWINOPS 16), and what all terminals answer (DA1), so that nobody waits for
  /// answers that do not come. Sources: xterm's ctlseqs, kitty's graphics protocol.
  package static let questions: StaticString =
    "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[>0q\u{1B}[16t\u{1B}[c"
  /// More is not kept; all answers together have some hundred bytes, and a line of a terminal has 4096.
  private static let most = 8 << 10

  private var bytes: [UInt8] = []
  private var isKitty = false
  private var name: [UInt8] = []
  /// The parameters of the answer to DA1: the kind of terminal, then what it can.
  private var attributes: [Int]?
  /// The pixels of a cell, if the terminal says it.
  package private(set) var cell: CellSize?
  private var typed: [UInt8] = []

  /// What a person has typed meanwhile, as the terminal sends it; an answer that is not whole is not a key.
  package var keys: [UInt8] { bytes == [0x1B] ? typed + bytes : typed }

  package init() {}

  /// Takes what a person has typed so far, for whoever reads keys while answers come.
  package mutating func takeKeys() -> [UInt8] {
    defer { typed = [] }
    return typed
  }

  /// Whether the last answer is there.
  package var isComplete: Bool { attributes != nil }

  /// The best protocol that the terminal has; `nil` if it has none of its own.
  package var pictures: PictureProtocol? {
    if isKitty { return .kitty }
    if ["iTerm2", "WezTerm", "mintty"].contains(where: { name.starts(with: $0.utf8) }) { return .iterm2 }
    return attributes?.dropFirst().contains(4) == true ? .sixel : nil
  }

  /// Adds bytes from the terminal.
  package mutating func append(_ more: some Sequence<UInt8>) {
    bytes += more
    while let start = bytes.firstIndex(of: 0x1B) {
      keep(bytes[..<start])
      guard let end = Self.end(of: bytes[start...]) else {
        bytes.removeSubrange(..<start)
        if bytes.count > Self.most { bytes.removeAll() }
        return
      }
      read(bytes[start..<end])
      bytes.removeSubrange(..<end)
    }
    keep(bytes[...])
    bytes.removeAll()
  }

  private mutating func keep(_ keys: ArraySlice<UInt8>) { typed += keys.prefix(Self.most - typed.count) }

  /// Where the sequence ends that begins `bytes` (ECMA-48 §5.4, §5.6); `nil` if its end is not there yet.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count > 1 else { return nil }
    let body = bytes.startIndex + 2
    switch bytes[bytes.startIndex + 1] {
    case UInt8(ascii: "["):
      return bytes[body...].firstIndex { (0x40...0x7E).contains($0) }.map { $0 + 1 }
    case UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "]"):
      guard let end = bytes[body...].firstIndex(where: { $0 == 0x1B || $0 == 0x07 }) else { return nil }
      if bytes[end] == 0x07 { return end + 1 }
      guard end + 1 < bytes.endIndex else { return nil }
      // Another sequence begins: this one is damaged.
      return bytes[end + 1] == UInt8(ascii: "\\") ? end + 2 : end
    default: return body - 1
    }
  }

  private mutating func read(_ sequence: ArraySlice<UInt8>) {
    let body = sequence.dropFirst(2)
    switch sequence.dropFirst().first {
    case UInt8(ascii: "[") where body.first == UInt8(ascii: "?") && body.last == UInt8(ascii: "c"):
      attributes = Self.numbers(body.dropFirst().dropLast())
    case UInt8(ascii: "[") where body.last == UInt8(ascii: "t"):
      let numbers = Self.numbers(body.dropLast())
      if numbers.count == 3, numbers[0] == 6 { cell = CellSize(numbers[2], numbers[1]) }
    case UInt8(ascii: "P") where body.starts(with: ">|".utf8): name = Array(body.dropFirst(2))
    case UInt8(ascii: "_") where body.starts(with: "Gi=31;OK".utf8): isKitty = true
    // Answers to what was not asked.
    case UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "]"): break
    default: keep(sequence)
    }
  }

  private static func numbers(_ text: ArraySlice<UInt8>) -> [Int] {
    text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 0
    }
  }
}

/// How a terminal shows pictures.
package enum PictureProtocol: Sendable {
  case kitty, iterm2, sixel
  /// Block elements in two colours each, as any terminal with many colours shows them.
  case symbols
}
