/// Character references (`&amp;`, `&#39;`, `&#x2019;`, `&hellip;`) as the HTML standard reads them.
package enum HTMLReference {
  /// The longest name is 31 bytes (`CounterClockwiseContourIntegral`).
  private static let longestName = 31
  private static let longestOldName = 6

  /// Appends the characters of the reference that starts at `bytes[at]`, an ampersand.
  /// - Parameter isAttribute: whether the bytes are the value of an attribute, in which `?a=1&copy=2` has no reference.
  /// - Returns: its length; 0 when there is none, and then nothing is appended.
  package static func append(
    _ bytes: ByteView, at: Int, isAttribute: Bool = false,
    to out: inout ByteBuffer
  ) -> Int {
    guard at + 1 < bytes.count else { return 0 }
    if bytes[at + 1] == UInt8(ascii: "#") { return appendNumber(bytes, at: at, to: &out) }
    var end = at + 1
    while end < bytes.count, end - at <= longestName, isNameByte(bytes[end]) { end += 1 }
    let isClosed = end < bytes.count && bytes[end] == UInt8(ascii: ";")
    if isClosed, let entry = find(bytes.extracting((at + 1)..<end)) {
      append(entry, to: &out)
      return end + 1 - at
    }
    // An old name may lack its semicolon, even before other letters. The longest one counts.
    end = min(end, at + 1 + longestOldName)
    while end > at + 2 {
      let goesOn = end < bytes.count && (isNameByte(bytes[end]) || bytes[end] == UInt8(ascii: "="))
      if isAttribute, goesOn { return 0 }
      if let entry = find(bytes.extracting((at + 1)..<end)), entry.isOld {
        append(entry, to: &out)
        return end - at
      }
      end -= 1
    }
    return 0
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte.isASCIIDigit
  }

  private static func appendNumber(
    _ bytes: ByteView, at: Int, to out: inout ByteBuffer
  ) -> Int {
    var end = at + 2
    let isHex = end < bytes.count && bytes[end] | 0x20 == UInt8(ascii: "x")
    if isHex { end += 1 }
    let first = end
    var value: UInt32 = 0
    while end < bytes.count, let digit = digit(bytes[end], isHex: isHex) {
      // A number that is too large stays too large, whatever digits follow.
      value = min(value * (isHex ? 16 : 10) + digit, 0x11_0000)
      end += 1
    }
    guard end > first else { return 0 }
    if end < bytes.count, bytes[end] == UInt8(ascii: ";") { end += 1 }
    out.append(scalar: scalar(value))
    return end - at
  }

  private static func digit(_ byte: UInt8, isHex: Bool) -> UInt32? {
    if byte.isASCIIDigit { return UInt32(byte - UInt8(ascii: "0")) }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return isHex && letter < 6 ? UInt32(letter) + 10 : nil
  }

  /// The scalar of a number: for C1 controls the character of Windows-1252, U+FFFD for 0.
  private static func scalar(_ value: UInt32) -> UInt32 {
    switch value {
    case 0: 0xFFFD
    case 0x80...0x9F: windows1252(UInt8(value))
    default: value
    }
  }

  /// The scalar that a byte stands for in Windows-1252, which HTML also reads where Latin-1 is declared.
  package static func windows1252(_ byte: UInt8) -> UInt32 {
    0x80...0x9F ~= byte ? windows[Int(byte - 0x80)] : UInt32(byte)
  }

  private static let windows: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
    0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  // MARK: Names

  private struct Entry {
    let isOld: Bool
    /// The offset in the table of its scalars.
    let value: Int
  }

  private static func append(_ entry: Entry, to out: inout ByteBuffer) {
    var at = entry.value
    var value: UInt32 = 0
    while at < count,
      let digit = digit(text[at], isHex: true) ?? (text[at] == UInt8(ascii: "+") ? 16 : nil)
    {
      if digit == 16 {
        out.append(scalar: value)
        value = 0
      } else {
        value = value << 4 | digit
      }
      at += 1
    }
    out.append(scalar: value)
  }

  private static var text: UnsafePointer<UInt8> { HTMLNames.table.utf8Start }
  private static var count: Int { HTMLNames.table.utf8CodeUnitCount }

  /// The offset of each entry of the table; computed when the first name is looked up.
  private static let starts: [Int32] = {
    var starts: [Int32] = [0]
    for at in 0..<count where text[at] == UInt8(ascii: " ") {
      starts.append(Int32(truncatingIfNeeded: at + 1))
    }
    return starts
  }()

  private static func find(_ name: ByteView) -> Entry? {
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      let order = compare(name, Int(starts[middle]))
      if order.difference == 0 {
        return Entry(isOld: text[order.end] == UInt8(ascii: "!"), value: order.end + 1)
      }
      if order.difference < 0 { high = middle } else { low = middle + 1 }
    }
    return nil
  }

  /// Compares `name` with the one at offset `start` of the table. When they are the same, `end` is the offset after it.
  private static func compare(_ name: ByteView, _ start: Int) -> (
    difference: Int, end: Int
  ) {
    for at in 0..<name.count {
      let other = text[start + at]
      if !isNameByte(other) { return (1, start) }
      if other != name[at] { return (Int(name[at]) - Int(other), start) }
    }
    return (isNameByte(text[start + name.count]) ? -1 : 0, start + name.count)
  }
}

extension String {
  /// As HTML: as text, or as the value of an attribute in double quotes.
  package var htmlEscaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
