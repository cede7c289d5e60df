import SQLite

/// Letters whose marks do not matter to a search: Greek ones with tonos, dialytika, breathings and iota below, and the
/// Russian ё, which most people write as е. й, ї and ў are letters of their own, and stay.
enum BareLetters {
  /// The small letter without marks; `nil` for other scalars. Case does not matter either, so capitals become small.
  static func letter(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x386, 0x3AC: alpha
    case 0x388, 0x3AD: epsilon
    case 0x389, 0x3AE: eta
    case 0x38A, 0x390, 0x3AA, 0x3AF, 0x3CA: iota
    case 0x38C, 0x3CC: omicron
    case 0x38E, 0x3AB, 0x3B0, 0x3CB, 0x3CD: upsilon
    case 0x38F, 0x3CE: omega
    case 0x401, 0x451: 0x435
    case 0x1F00...0x1FFF: extended(scalar)
    default: nil
    }
  }

  private static let (alpha, epsilon, eta, iota) = (UInt32(0x3B1), UInt32(0x3B5), UInt32(0x3B7), UInt32(0x3B9))
  private static let (omicron, rho, upsilon, omega) = (UInt32(0x3BF), UInt32(0x3C1), UInt32(0x3C5), UInt32(0x3C9))

  /// Of the block Greek Extended (Unicode's UnicodeData.txt): rows of sixteen have one letter each, in the order of the
  /// alphabet. Among them are signs that are no letters, and code points that are not assigned.
  private static func extended(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case 0x1F00...0x1F0F, 0x1F70...0x1F71, 0x1F80...0x1F8F, 0x1FB0...0x1FBC: alpha
    case 0x1F10...0x1F1F, 0x1F72...0x1F73, 0x1FC8...0x1FC9: epsilon
    case 0x1F20...0x1F2F, 0x1F74...0x1F75, 0x1F90...0x1F9F, 0x1FC2...0x1FC7, 0x1FCA...0x1FCC: eta
    case 0x1F30...0x1F3F, 0x1F76...0x1F77, 0x1FD0...0x1FDB: iota
    case 0x1F40...0x1F4F, 0x1F78...0x1F79, 0x1FF8...0x1FF9: omicron
    case 0x1FE4...0x1FE5, 0x1FEC: rho
    case 0x1F50...0x1F5F, 0x1F7A...0x1F7B, 0x1FE0...0x1FEB: upsilon
    case 0x1F60...0x1F6F, 0x1F7C...0x1F7D, 0x1FA0...0x1FAF, 0x1FF2...0x1FF7, 0x1FFA...0x1FFC: omega
    default: nil
    }
  }
}
