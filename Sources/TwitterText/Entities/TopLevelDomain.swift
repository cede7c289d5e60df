import Libc
import TweetCore

/// Finds top-level domains, the last labels of domains.
package enum TopLevelDomain {
  /// Whether a name, the last label of a host, is a top-level domain of twitter-text's tables, in any case.
  package static func isKnown(_ name: String) -> Bool {
    name.withBytes { !$0.isEmpty && end(in: $0, from: 0) == $0.count }
  }

  /// The end of the top-level domain that starts at `start`; `nil` if none does. Letters of other scripts may follow it
  /// directly (`example.comです`); ASCII letters, digits, `@`, `+` and `-` may not.
  static func end(in text: ByteView, from start: Int) -> Int? {
    var end = start
    while end < text.count, ScalarSets.isLetter(text[end]) { end += 1 }
    if end > start, mayEnd(text, at: end), isKnown(text.extracting(start..<end)) { return end }
    if end < text.count, text[end] >= 0x80 { return otherEnd(in: text, from: start) }
    return punycodeEnd(in: text, from: start)
  }

  private static func mayEnd(_ text: ByteView, at end: Int) -> Bool {
    guard end < text.count else { return true }
    switch text[end] {
    case UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "-"): return false
    case let byte: return !ScalarSets.isAlphanumeric(UInt32(byte))
    }
  }

  private static func isKnown(_ name: ByteView) -> Bool {
    guard name.count <= TopLevelDomainTable.longest else { return false }
    let names = TopLevelDomainTable.names(ofLength: name.count)
    var low = 0
    var high = names.utf8CodeUnitCount / name.count
    while low < high {
      let middle = (low + high) / 2
      let order = compare(name, with: names.utf8Start + middle * name.count)
      if order == 0 { return true }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return false
  }

  private static func compare(_ name: ByteView, with other: UnsafePointer<UInt8>) -> Int {
    for index in 0..<name.count {
      let difference = Int(name[index] | 0x20) - Int(other[index])
      if difference != 0 { return difference }
    }
    return 0
  }

  /// The end of a name in another script. These are few, and rare in texts: they are tried one after the other.
  private static func otherEnd(in text: ByteView, from start: Int) -> Int? {
    let first = Unicode.Scalar(decodeScalar(text, at: start).value)?.properties.lowercaseMapping
    guard let lead = first?.utf8.first else { return nil }
    let table = TopLevelDomainTable.others
    let names = table.bytes
    var offset = 0
    while offset < names.count {
      if names[offset] == lead, let end = matchEnd(names, from: offset, in: text, from: start),
        mayEnd(text, at: end)
      {
        return end
      }
      guard let space = memchr(table.utf8Start + offset, Int32(UInt8(ascii: " ")), names.count - offset) else { break }
      offset = UnsafeRawPointer(space) - UnsafeRawPointer(table.utf8Start) + 1
    }
    return nil
  }

  /// The end in the text of the name that starts at `first`; `nil` if the text has another. Names are lower case, the
  /// text may have upper case.
  private static func matchEnd(
    _ names: ByteView, from first: Int, in text: ByteView, from start: Int
  ) -> Int? {
    var offset = first
    var end = start
    while offset < names.count, names[offset] != UInt8(ascii: " ") {
      guard end < text.count else { return nil }
      let wanted = decodeScalar(names, at: offset)
      let given = decodeScalar(text, at: end)
      guard wanted.value == given.value || wanted.value == lowercase(given.value) else { return nil }
      offset += wanted.length
      end += given.length
    }
    return end
  }

  private static func lowercase(_ scalar: UInt32) -> UInt32? {
    Unicode.Scalar(scalar)?.properties.lowercaseMapping.unicodeScalars.first?.value
  }

  /// The end of an encoded name. All of them are taken as known.
  private static func punycodeEnd(in text: ByteView, from start: Int) -> Int? {
    guard text.matches("xn--", at: start) else { return nil }
    var end = start + 4
    while end < text.count, ScalarSets.isAlphanumeric(UInt32(text[end])) || text[end] == UInt8(ascii: "-") { end += 1 }
    return end > start + 4 ? end : nil
  }
}
