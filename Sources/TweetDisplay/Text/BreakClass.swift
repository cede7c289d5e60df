/// Whether a line may break beside a cluster: a small part of UAX 14.
enum BreakClass: Equatable {
  case letter, wide, opening, closing, glue, space

  /// The class of a cluster by its first scalar and its width.
  @inline(__always)
  init(of scalar: UInt32, width: Int = 1) {
    if scalar < 0x80 {
      self = Self.ofASCII(scalar)
    } else {
      self = Self.lookUp(scalar, width)
    }
  }

  /// Whether a line may end between two neighbours.
  @inline(__always)
  static func allowsBreak(between left: BreakClass, and right: BreakClass) -> Bool {
    if left == .space { return true }
    if right == .closing || left == .opening || left == .glue || right == .glue { return false }
    return left == .wide || right == .wide || left == .closing && right == .opening
  }

  private static func ofASCII(_ scalar: UInt32) -> BreakClass {
    switch UInt8(scalar) {
    case UInt8(ascii: " "): .space
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): .opening
    case UInt8(ascii: "!"), UInt8(ascii: "%"), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: "."),
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "]"), UInt8(ascii: "}"):
      .closing
    default: .letter
    }
  }

  private static func lookUp(_ scalar: UInt32, _ width: Int) -> BreakClass {
    switch scalar {
    case 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F, 0x3000: .space
    case 0xA0, 0x2007, 0x202F: .glue
    // “ ‘ and the brackets of CJK, full and half width.
    case 0x2018, 0x201C, 0x3008, 0x300A, 0x300C, 0x300E, 0x3010, 0x3014, 0x3016, 0x3018, 0x301A, 0x301D, 0xFF08,
      0xFF3B, 0xFF5B, 0xFF5F, 0xFF62:
      .opening
    // ’ ” ‥ … ‼ and ⁇, the ideographic stops, brackets and marks, small kana, long-vowel and iteration signs, the same
    // in full and half width.
    case 0x2019, 0x201D, 0x2025, 0x2026, 0x203C, 0x2047...0x2049, 0x3001, 0x3002, 0x3005, 0x3009, 0x300B, 0x300D,
      0x300F, 0x3011, 0x3015, 0x3017, 0x3019, 0x301B...0x301C, 0x301E...0x301F, 0x303B, 0x3041, 0x3043, 0x3045,
      0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x308E, 0x3095...0x3096, 0x309B...0x309E, 0x30A0, 0x30A1,
      0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5, 0x30E7, 0x30EE, 0x30F5...0x30F6, 0x30FB...0x30FE,
      0x31F0...0x31FF, 0xFF01, 0xFF05, 0xFF09, 0xFF0C, 0xFF0E, 0xFF1A...0xFF1B, 0xFF1F, 0xFF3D, 0xFF5D,
      0xFF60...0xFF61, 0xFF63...0xFF65, 0xFF67...0xFF70, 0xFF9E...0xFF9F:
      .closing
    // Korean has spaces between words.
    case 0x1100...0x11FF, 0xA960...0xA97F, 0xAC00...0xD7FF: .letter
    default: width == 2 ? .wide : .letter
    }
  }
}
