import TweetCLI

/// Makes keys of the bytes that a terminal sends: UTF-8, control characters, the sequences of ECMA-48 and of xterm
/// (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>) for keys, mouse (SGR, mode 1006) and pasted text (mode
/// 2004).
///
/// A sequence that no key has is left out whole, so that none of it becomes letters.
struct KeyDecoder {
  /// More bytes of a sequence are none of a key.
  private static let longestSequence = 64
  /// More bytes of a pasted text are left out.
  private static let longestPaste = 1 << 20
  private static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)

  private var pending: [UInt8] = []
  private var paste: [UInt8]?

  /// Whether an Esc is held, which may be a key or the beginning of a sequence: ``flush()`` decides after a short wait.
  var holdsEscape: Bool { pending.first == 0x1B && paste == nil }

  /// Adds bytes, and returns the keys that are complete.
  mutating func add(_ bytes: [UInt8]) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    var start = 0
    while start < pending.count, let (key, length) = next(from: start) {
      if let key { keys.append(key) }
      start += length
    }
    pending.removeFirst(start)
    return keys
  }

  /// No more bytes have come: what is held is an Esc, and what was typed after it.
  mutating func flush() -> [Key] {
    guard holdsEscape else { return [] }
    let rest = Array(pending.dropFirst())
    pending = []
    return [.escape] + add(rest)
  }

  /// The key at `start` and its bytes; no key for a sequence that is none; `nil` if more bytes are needed.
  private mutating func next(from start: Int) -> (Key?, Int)? {
    if paste != nil { return takePaste(from: start) }
    let byte = pending[start]
    switch byte {
    case 0x1B: return sequence(from: start)
    case 0x0D, 0x0A: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7F, 0x08: return (.backspace, 1)
    case 0x01...0x1A: return (.control(Character(Unicode.Scalar(byte + 0x60))), 1)
    case 0x00...0x1F: return (nil, 1)
    default: return character(from: start)
    }
  }

  private func character(from start: Int) -> (Key?, Int)? {
    let lead = pending[start]
    let length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0
    if length == 0 { return (nil, 1) }
    guard start + length <= pending.count else { return nil }
    guard let text = String(validating: pending[start..<start + length], as: UTF8.self), let letter = text.first else {
      return (nil, 1)
    }
    return (.character(letter), length)
  }

  // MARK: Sequences

  private mutating func sequence(from start: Int) -> (Key?, Int)? {
    guard start + 1 < pending.count else { return nil }
    switch pending[start + 1] {
    case UInt8(ascii: "["): return controlSequence(from: start)
    case UInt8(ascii: "O"):
      guard start + 2 < pending.count else { return nil }
      return (Self.key(final: pending[start + 2]), 3)
    case 0x1B: return (.escape, 1)
    // Alt with a key is Esc and that key.
    default: return (.escape, 1)
    }
  }

  /// CSI: parameters of 0x30 to 0x3F, intermediates of 0x20 to 0x2F, a final byte of 0x40 to 0x7E (ECMA-48 §5.4).
  private mutating func controlSequence(from start: Int) -> (Key?, Int)? {
    var end = start + 2
    while end < pending.count, (0x20...0x3F).contains(pending[end]) { end += 1 }
    if end - start > Self.longestSequence { return (nil, end - start) }
    guard end < pending.count else { return nil }
    let text = String(decoding: pending[start + 2..<end], as: UTF8.self)
    let (final, length) = (pending[end], end + 1 - start)
    guard (0x40...0x7E).contains(final) else { return (nil, end - start) }
    if text.hasPrefix("<") { return (Self.mouse(text.dropFirst(), isPress: final == UInt8(ascii: "M")), length) }
    guard final == UInt8(ascii: "~") else { return (Self.key(final: final), length) }
    let number = text.prefix { $0 != ";" }
    if number == "200" { paste = [] }
    return (Self.numbered[String(number)], length)
  }

  /// The keys of sequences that end with a tilde, by their first number.
  private static let numbered: [String: Key] = [
    "1": .home, "7": .home, "3": .delete, "4": .end, "8": .end, "5": .pageUp, "6": .pageDown,
  ]
  /// Those of others, by their final byte.
  private static let lettered: [Character: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "F": .end, "H": .home, "M": .enter,
  ]

  private static func key(final: UInt8) -> Key? { lettered[Character(Unicode.Scalar(final))] }

  /// `button;column;row`, both counted from 1. Buttons 64 and 65 are the wheel; 32 is added while the mouse moves.
  private static func mouse(_ text: Substring, isPress: Bool) -> Key? {
    let parts = text.split(separator: ";").compactMap { Int($0) }
    guard parts.count == 3, isPress else { return nil }
    switch parts[0] {
    case 0: return .click(row: parts[2] - 1, column: parts[1] - 1)
    case 64: return .wheelUp
    case 65: return .wheelDown
    default: return nil
    }
  }

  private mutating func takePaste(from start: Int) -> (Key?, Int)? {
    let rest = pending[start...]
    guard let end = rest.firstRange(of: Self.pasteEnd) else {
      // What may be the beginning of the end stays.
      let safe = max(0, rest.count - Self.pasteEnd.count + 1)
      append(rest.prefix(safe))
      return safe == 0 ? nil : (nil, safe)
    }
    append(rest[..<end.lowerBound])
    let text = String(decoding: paste ?? [], as: UTF8.self)
    paste = nil
    return (.paste(text), end.upperBound - start)
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    let room = Self.longestPaste - (paste?.count ?? 0)
    paste?.append(contentsOf: bytes.prefix(room))
  }
}
