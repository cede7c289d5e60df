extension StaticString {
  /// Its UTF-8.
  @inlinable @inline(__always)
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount) }
}

extension UnsafeBufferPointer<UInt8> {
  /// No bytes.
  @inlinable @inline(__always)
  package static var empty: Self { Self(start: nil, count: 0) }
}
