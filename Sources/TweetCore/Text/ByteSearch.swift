import Libc

extension String {
  /// The index of the first ASCII character of this value. Where a program looks at many texts, most of which have none, this is much
  /// faster than to go through their bytes one by one.
  package func firstIndex(ofASCII byte: UInt8) -> String.Index? {
    var text = self
    let offset = text.withUTF8 { bytes in
      bytes.baseAddress.flatMap { start in
        memchr(start, Int32(byte), bytes.count).map { UnsafeRawPointer($0) - UnsafeRawPointer(start) }
      }
    }
    return offset.map { utf8.index(utf8.startIndex, offsetBy: $0) }
  }
}
