import Libc
import TweetCore

/// Converts offsets in the text that a service sent to offsets in the text of the record.
///
/// Services count Unicode scalars of the text with the HTML entities `&amp;`, `&lt;` and `&gt;` in it; records count
/// those of the decoded text. The text of a retweet also has `RT @name: ` before it.
struct OffsetShift {
  /// How many scalars were put before the text.
  var prefix = 0
  /// The HTML entities of the sent text in order: where each starts, and by how many scalars it and those before it
  /// shrank.
  private var cuts: [(start: Int, total: Int)] = []
  /// No text is longer; larger offsets do not move.
  private static let longest = 1 << 32

  /// Records an HTML entity that starts after those recorded before.
  fileprivate mutating func insertCut(at start: Int, by scalars: Int) {
    cuts.append((start: start, total: (cuts.last?.total ?? 0) + scalars))
  }

  /// Whether no offset moves.
  var isNone: Bool { prefix == 0 && cuts.isEmpty }

  /// The offset in the record's text for an offset in the sent text.
  func callAsFunction(_ offset: Int) -> Int {
    guard 0..<Self.longest ~= offset else { return offset }
    // The last cut that starts before the offset.
    var (low, high) = (0, cuts.count)
    while low < high {
      let middle = (low + high) / 2
      if cuts[middle].start < offset { low = middle + 1 } else { high = middle }
    }
    return offset + prefix - (low > 0 ? cuts[low - 1].total : 0)
  }
}

extension ByteBuffer {
  /// Appends a tweet's text as the inside of a JSON string, with its HTML entities decoded. X escapes `&`, `<` and `>`,
  /// and nothing else.
  /// - Parameter raw: the inside of a JSON string.
  /// - Returns: how offsets move.
  mutating func append(tweetText raw: ByteView) -> OffsetShift {
    if !raw.mayHoldHTML {
      append(knownInside: raw)
      return OffsetShift()
    }
    var plain = ByteBuffer(capacity: raw.count)
    plain.append(unescaping: raw)
    var decoded = ByteBuffer(capacity: raw.count)
    var shift = OffsetShift()
    plain.withBytes { text in
      var at = 0
      var scalars = 0
      while at < text.count {
        let rest = text.extracting(at...)
        if let entity = HTMLEntity(rest) {
          decoded.append(entity.character)
          shift.insertCut(at: scalars, by: entity.length - 1)
          scalars += entity.length
          at += entity.length
        } else {
          // Up to the next ampersand. One that starts no entity is copied as it is.
          let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "&")) ?? rest.count
          let run = rest.extracting(..<end)
          decoded.append(run)
          scalars += run.plainScalarCount
          at += run.count
        }
      }
    }
    decoded.withBytes { appendJSONEscaped($0) }
    return shift
  }
}

/// One of the three HTML entities that X writes in text.
private struct HTMLEntity {
  let character: UInt8
  let length: Int

  /// The entity that `bytes` start with; `nil` when there is none.
  init?(_ bytes: ByteView) {
    guard bytes.first == UInt8(ascii: "&") else { return nil }
    if bytes.starts(with: "&amp;".utf8) {
      (character, length) = (UInt8(ascii: "&"), 5)
    } else if bytes.starts(with: "&lt;".utf8) {
      (character, length) = (UInt8(ascii: "<"), 4)
    } else if bytes.starts(with: "&gt;".utf8) {
      (character, length) = (UInt8(ascii: ">"), 4)
    } else {
      return nil
    }
  }
}

extension ByteView {
  /// Whether JSON-escaped bytes contain an ampersand, as it is or as `\u0026`.
  @inline(__always)
  fileprivate var mayHoldHTML: Bool {
    guard let start = baseAddress, count > 0 else { return false }
    if memchr(start, Int32(UInt8(ascii: "&")), count) != nil { return true }
    var at = start
    let end = start + count
    while at < end {
      if at.pointee != UInt8(ascii: "\\") {
        guard let found = memchr(at, Int32(UInt8(ascii: "\\")), end - at) else { return false }
        at = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
      }
      if end - at >= 6, at[1] == UInt8(ascii: "u") {
        let digits = UnsafeRawPointer(at + 2).loadUnaligned(as: UInt32.self)
        if digits == UInt32(bigEndian: 0x3030_3236) { return true }
        at += 6
      } else {
        at += 2
      }
    }
    return false
  }

  /// How many Unicode scalars the inside of a JSON string has when it is decoded.
  var scalarCount: Int {
    if !contains(UInt8(ascii: "\\")) { return plainScalarCount }
    var plain = ByteBuffer(capacity: count)
    plain.append(unescaping: self)
    return plain.withBytes { $0.plainScalarCount }
  }

  /// How many Unicode scalars it has, escapes not decoded. A continuation byte does not start a scalar.
  fileprivate var plainScalarCount: Int { reduce(0) { $1 & 0xC0 != 0x80 ? $0 + 1 : $0 } }
}
