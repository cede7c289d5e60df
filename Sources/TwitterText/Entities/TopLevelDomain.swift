import Libc
import TweetCore

/// Reads the last part of a domain.
enum TopLevelDomain {
  /// Where the top-level domain that starts at `start` ends; `nil` when none does. Letters of other scripts may follow
  /// it directly (`example.comです`), ASCII letters, digits and `@`, `+`, `-` may not.
  static func end(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var end = start
    while end < text.count, ScalarSets.isLetter(text[end]) { end += 1 }
    if end > start, isOver(text, at: end), isKnown(UnsafeBufferPointer(rebasing: text[start..<end])) { return end }
    if end < text.count, text[end] >= 0x80 { return otherEnd(in: text, from: start) }
    return punycodeEnd(in: text, from: start)
  }

  private static func isOver(_ text: UnsafeBufferPointer<UInt8>, at end: Int) -> Bool {
    guard end < text.count else { return true }
    switch text[end] {
    case UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "-"): return false
    case let byte: return !ScalarSets.isAlphanumeric(UInt32(byte))
    }
  }

  private static func isKnown(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
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

  private static func compare(_ name: UnsafeBufferPointer<UInt8>, with other: UnsafePointer<UInt8>) -> Int {
    for place in 0..<name.count {
      let difference = Int(name[place] | 0x20) - Int(other[place])
      if difference != 0 { return difference }
    }
    return 0
  }

  /// Names in other scripts are few and rare in texts: one after the other will do.
  private static func otherEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    let first = Unicode.Scalar(decodeScalar(text, at: start).value)?.properties.lowercaseMapping
    guard let lead = first?.utf8.first else { return nil }
    let table = TopLevelDomainTable.others
    let names = UnsafeBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount)
    var place = 0
    while place < names.count {
      if names[place] == lead, let end = endOf(names, from: place, in: text, from: start),
        isOver(text, at: end)
      {
        return end
      }
      guard let space = memchr(table.utf8Start + place, Int32(UInt8(ascii: " ")), names.count - place) else { break }
      place = UnsafeRawPointer(space) - UnsafeRawPointer(table.utf8Start) + 1
    }
    return nil
  }

  /// The end in the text of the name that starts at `first`, written in small letters; the text's may be capitals.
  private static func endOf(
    _ names: UnsafeBufferPointer<UInt8>, from first: Int, in text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int? {
    var place = first
    var end = start
    while place < names.count, names[place] != UInt8(ascii: " ") {
      guard end < text.count else { return nil }
      let wanted = decodeScalar(names, at: place)
      let given = decodeScalar(text, at: end)
      guard wanted.value == given.value || wanted.value == small(given.value) else { return nil }
      place += wanted.length
      end += given.length
    }
    return end
  }

  private static func small(_ scalar: UInt32) -> UInt32? {
    Unicode.Scalar(scalar)?.properties.lowercaseMapping.unicodeScalars.first?.value
  }

  /// `xn--` and what follows: any will do.
  private static func punycodeEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard text.matches("xn--", at: start) else { return nil }
    var end = start + 4
    while end < text.count, ScalarSets.isAlphanumeric(UInt32(text[end])) || text[end] == UInt8(ascii: "-") { end += 1 }
    return end > start + 4 ? end : nil
  }
}
