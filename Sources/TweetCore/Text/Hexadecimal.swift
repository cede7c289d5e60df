extension String {
  /// Bytes as hexadecimal digits in lower case, two for each.
  package init(hexadecimal bytes: some Sequence<UInt8>) {
    var digits = ByteBuffer(capacity: 64)
    for byte in bytes { digits.append(lowerHex: byte) }
    self = digits.string
  }
}
