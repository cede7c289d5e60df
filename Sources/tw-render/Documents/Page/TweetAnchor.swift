import TweetCore

extension ByteBuffer {
  /// Appends the id of a tweet's element, in which each byte that is no letter or digit is `_5F`: so it is valid in an
  /// attribute and in an address, and different for different tweets.
  mutating func append(anchorOf id: JSONValue?, service: JSONValue?) {
    append("t")
    if service?.equals("x") != true {
      if let service { append(anchor: service) }
      append(".")
    }
    if let id { append(anchor: id) }
  }

  private mutating func append(anchor value: JSONValue) {
    for byte in value.rawString.prefix(512) {
      if byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") {
        append(byte)
      } else {
        append("_")
        append(hex: byte)
      }
    }
  }
}
