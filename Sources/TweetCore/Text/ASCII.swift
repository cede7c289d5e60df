extension UInt8 {
  /// Whether it is one of `0` to `9`.
  @inlinable @inline(__always)
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}
