import Libc
import TweetCore

/// How offsets into the text that a service sent move in the text of the record.
///
/// Services count Unicode scalars of the text with `&amp;`, `&lt;` and `&gt;` still in it; records count those of the
/// text itself. A retweet's text has `RT @name: ` before it as well.
struct OffsetShift {
  /// Added to every offset: the scalars put before the text.
  var prefix = 0
  /// Where HTML entities start in the sent text, in order, and by how many scalars all of them up to there shrank it.
  private var cuts: [(at: Int, total: Int)] = []
  /// Longer texts than this do not exist; offsets beyond it are left as they are.
  private static let longest = 1 << 32

  /// Notes an entity behind those noted before, by how many scalars it shrank.
  fileprivate mutating func cut(at place: Int, by scalars: Int) {
    cuts.append((at: place, total: (cuts.last?.total ?? 0) + scalars))
  }

  /// Whether every offset stays as it is.
  var isNone: Bool { prefix == 0 && cuts.isEmpty }

  /// The offset in the record's text of an offset in the sent text.
  func callAsFunction(_ offset: Int) -> Int {
    guard 0..<Self.longest ~= offset else { return offset }
    // The last cut that starts before the offset.
    var (low, high) = (0, cuts.count)
    while low < high {
      let middle = (low + high) / 2
      if cuts[middle].at < offset { low = middle + 1 } else { high = middle }
    }
    return offset + prefix - (low > 0 ? cuts[low - 1].total : 0)
  }
}

extension ByteBuffer {
  /// Appends the inside of a JSON string with the HTML entities of tweet text decoded (X escapes `&`, `<` and `>`, and
  /// nothing else), and gives how offsets move.
  /// - Parameter raw: the string's bytes between its quotes, JSON escapes as they stand.
  mutating func append(tweetText raw: UnsafeBufferPointer<UInt8>) -> OffsetShift {
    if !raw.mayHoldHTML {
      append(raw)
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
        let rest = UnsafeBufferPointer(rebasing: text[at...])
        if let entity = HTMLEntity(rest) {
          decoded.append(entity.character)
          shift.cut(at: scalars, by: entity.length - 1)
          scalars += entity.length
          at += entity.length
        } else {
          // Up to the next ampersand. One that starts no entity is copied as it is.
          let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "&")) ?? rest.count
          let run = UnsafeBufferPointer(rebasing: rest[..<end])
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
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
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

extension UnsafeBufferPointer<UInt8> {
  /// Whether an ampersand, plain or as `\u0026`, is in these JSON-escaped bytes.
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

  /// How many Unicode scalars the inside of a JSON string stands for.
  var scalarCount: Int {
    if !contains(UInt8(ascii: "\\")) { return plainScalarCount }
    var plain = ByteBuffer(capacity: count)
    plain.append(unescaping: self)
    return plain.withBytes { $0.plainScalarCount }
  }

  /// The same without escapes: continuation bytes start no scalar.
  fileprivate var plainScalarCount: Int { reduce(0) { $1 & 0xC0 != 0x80 ? $0 + 1 : $0 } }
}
