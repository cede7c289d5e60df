package import TweetCore

/// Decodes the strings of records into memory that it keeps from one string to the next.
package struct StringDecoder: ~Copyable {
  private var memory = ByteBuffer()

  package init() {}

  /// The UTF-8 text of a string, from at most `limit` bytes of its JSON form; empty if `value` is not a string.
  ///
  /// The bytes are valid until the next call, and never longer than the record is.
  package mutating func decode(_ value: JSONValue?, limit: Int = 4096) -> ByteView {
    guard let value else { return ByteView.empty }
    var raw = value.rawString
    if raw.count > limit {
      var end = limit
      // No half of a character.
      while end > 0, raw[end] & 0xC0 == 0x80 { end -= 1 }
      raw = ByteView(rebasing: raw.prefix(end))
    }
    if !raw.contains(UInt8(ascii: "\\")) { return raw }
    memory.removeAll()
    memory.append(unescaping: raw)
    return memory.withBytes { $0 }
  }
}
