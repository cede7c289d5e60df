extension ByteBuffer {
  /// Appends base64 with padding (RFC 4648 §4).
  package mutating func append(base64 bytes: [UInt8]) {
    let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    let digit = digits.utf8Start
    reserve((bytes.count + 2) / 3 * 4)
    var offset = 0
    while offset < bytes.count {
      let left = bytes.count - offset
      let first = Int(bytes[offset])
      let second = left > 1 ? Int(bytes[offset + 1]) : 0
      let third = left > 2 ? Int(bytes[offset + 2]) : 0
      append(digit[first >> 2])
      append(digit[(first & 3) << 4 | second >> 4])
      append(left > 1 ? digit[(second & 15) << 2 | third >> 6] : UInt8(ascii: "="))
      append(left > 2 ? digit[third & 63] : UInt8(ascii: "="))
      offset += 3
    }
  }
}
