/// A GIF is a row of blocks, each of which is a row of sub-blocks (GIF89a, appendix A).
enum GIFMetadata {
  /// The same picture without comments, other programs' data, and what follows the picture's end. How often it repeats,
  /// and its colour profile, stay.
  ///
  /// - Returns: `nil` for bytes that are not a whole GIF.
  static func removed(from bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8), bytes.count >= 13 else { return nil }
    var at = 13 + colours(bytes[10])
    guard at <= bytes.count else { return nil }
    var kept = Array(bytes[..<at])
    kept.reserveCapacity(bytes.count)
    while at < bytes.count {
      let end: Int?
      var isKept = true
      switch bytes[at] {
      case 0x3B: return kept + [0x3B]
      case 0x2C:
        guard at + 9 < bytes.count else { return nil }
        // One byte before the codes says how long they are.
        end = subBlocksEnd(bytes, from: at + 10 + colours(bytes[at + 9]) + 1)
      case 0x21:
        guard at + 1 < bytes.count else { return nil }
        end = subBlocksEnd(bytes, from: at + 2)
        isKept = isShown(bytes[(at + 1)...])
      default: return nil
      }
      guard let end else { return nil }
      if isKept { kept += bytes[at..<end] }
      at = end
    }
    return nil
  }

  /// Whether it has more pictures than one, as far as it can be understood.
  static func isAnimated(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 13 else { return false }
    var (at, pictures) = (13 + colours(bytes[10]), 0)
    while at + 9 < bytes.count {
      let start: Int
      switch bytes[at] {
      case 0x2C:
        pictures += 1
        start = at + 10 + colours(bytes[at + 9]) + 1
      case 0x21: start = at + 2
      default: return false
      }
      guard pictures < 2 else { return true }
      guard let end = subBlocksEnd(bytes, from: start) else { return false }
      at = end
    }
    return false
  }

  /// - Parameter block: an extension from its label on.
  private static func isShown(_ block: ArraySlice<UInt8>) -> Bool {
    switch block.first {
    // How a frame is shown, and text that is drawn.
    case 0xF9, 0x01: true
    case 0xFF:
      ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"].contains { block.dropFirst().starts(with: [11] + $0.utf8) }
    default: false
    }
  }

  /// Bytes of a colour table, by the flags that announce it.
  private static func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

  /// The position after a row of sub-blocks; `nil` if they do not end.
  private static func subBlocksEnd(_ bytes: [UInt8], from start: Int) -> Int? {
    var at = start
    while at < bytes.count {
      if bytes[at] == 0 { return at + 1 }
      at += 1 + Int(bytes[at])
    }
    return nil
  }
}
