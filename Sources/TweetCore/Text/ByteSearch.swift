extension String {
  /// The index of the first ASCII character of this value. Where a program looks at many texts, most of which have
  /// none, this is much faster than to go through their bytes one by one.
  package func firstIndex(ofASCII byte: UInt8) -> String.Index? {
    withBytes { $0.firstIndex(of: byte, from: 0) }.map { utf8.index(utf8.startIndex, offsetBy: $0) }
  }
}
