/// A time in one of the two forms that X writes, converted to the form of records without computing a moment. Nearly
/// every time is one of these. ``Timestamp`` parses all others, and refuses what is not a time.
@usableFromInline
package struct UsualTime {
  /// `2021-11-`, `03T21:30` and `:00.000Z`, eight bytes each, the first byte the lowest.
  @usableFromInline let day: UInt64
  @usableFromInline let minute: UInt64
  @usableFromInline let second: UInt64

  /// The result is `nil` for any other form, and for the 29th of February, which only some years have.
  /// - Parameter bytes: `2021-11-03T21:30:00.000Z` or `Wed Nov 03 21:30:00 +0000 2021`.
  package init?(_ bytes: ByteView) {
    guard let start = bytes.baseAddress else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self))
    }
    if bytes.count == 24 {
      (day, minute, second) = (word(0), word(8), word(16))
    } else if bytes.count == 30 {
      let (clock, end, year) = (word(8), word(16), word(22))
      // `Wed Nov `, `03 21:30`, `:00 +000`, `000 2021`: the bytes that do not go into the result are checked here.
      guard start[0] >= UInt8(ascii: "A"), start[3] == UInt8(ascii: " "), start[10] == UInt8(ascii: " "),
        end >> 24 == 0x30_3030_2B20, year & 0xFFFF_FFFF == 0x2030_3030,
        let month = Self.month(UInt32(truncatingIfNeeded: word(0) >> 32))
      else { return nil }
      day = year >> 32 | month << 40 | 0x2D00_002D_0000_0000
      minute = clock & 0xFFFF_FFFF_FF00_FFFF | 0x54_0000
      second = end & 0xFF_FFFF | 0x5A30_3030_2E00_0000
    } else {
      return nil
    }
    guard isUsual else { return nil }
  }

  /// Whether the month, the day, the hour, the minute and the second are each within their range.
  private var isUsual: Bool {
    guard Self.fits(day, digits: 0x00FF_FF00_FFFF_FFFF, 0x2D00_002D_0000_0000), day & 0xFF == 0x32,
      Self.fits(minute, digits: 0xFFFF_00FF_FF00_FFFF, 0x0000_3A00_0054_0000),
      Self.fits(second, digits: 0x00FF_FFFF_00FF_FF00, 0x5A00_0000_2E00_003A)
    else { return false }
    let (month, date) = (Self.number(day >> 40), Self.number(minute))
    let length: UInt64 = month == 2 ? 28 : Self.longMonths >> month & 1 == 1 ? 31 : 30
    return 1...12 ~= month && 1...length ~= date && Self.number(minute >> 24) < 24
      && Self.number(minute >> 48) < 60 && Self.number(second >> 8) < 60
  }

  /// A bit for each month of 31 days.
  private static let longMonths: UInt64 = 0b1_0101_1010_1010

  /// Whether the bytes that `digits` selects are digits, and all other bytes are those of `others`.
  @inline(__always)
  private static func fits(_ word: UInt64, digits: UInt64, _ others: UInt64) -> Bool {
    let zeros = digits & 0x3030_3030_3030_3030
    let high: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    // A digit plus six is still below 0x40; any larger byte is not.
    return word & ~digits == others && word & digits & high == zeros
      && ((word & digits) &+ (digits & 0x0606_0606_0606_0606)) & high == zeros
  }

  /// The number with these two digits.
  @inline(__always)
  private static func number(_ digits: UInt64) -> UInt64 { (digits & 15) * 10 + digits >> 8 & 15 }

  /// The two digits of a month.
  /// - Parameter name: the three letters of its English name and a space.
  @inline(__always)
  private static func month(_ name: UInt32) -> UInt64? {
    switch name {
    case 0x206E_614A: 0x3130
    case 0x2062_6546: 0x3230
    case 0x2072_614D: 0x3330
    case 0x2072_7041: 0x3430
    case 0x2079_614D: 0x3530
    case 0x206E_754A: 0x3630
    case 0x206C_754A: 0x3730
    case 0x2067_7541: 0x3830
    case 0x2070_6553: 0x3930
    case 0x2074_634F: 0x3031
    case 0x2076_6F4E: 0x3131
    case 0x2063_6544: 0x3231
    default: nil
    }
  }

  /// Appends the 24 bytes of RFC 3339 in UTC with milliseconds.
  @inlinable @inline(__always)
  package func append(to out: inout ByteBuffer) {
    out.append(word: day)
    out.append(word: minute)
    out.append(word: second)
  }
}
