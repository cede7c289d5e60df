import TweetCore

extension LocaleData {
  /// Appends a whole number, its digits grouped: `12.345`.
  func append(count: Int, to buffer: inout ByteBuffer) {
    append(grouped: count, ungroupedDigits: ungroupedDigits, to: &buffer)
  }

  /// Appends a number in two or three digits and a word: `1,2 Tausend`, `12 Mio.`. Below 1000, and where the language
  /// has no such word, it is the whole number.
  ///
  /// Numbers are rounded as ICU rounds them: to a whole number, or to one digit after the decimal sign if that is less
  /// than ten; halves to the even digit.
  func append(compact count: Int, to buffer: inout ByteBuffer) {
    guard count >= 1000 else { return append(count: count, to: &buffer) }
    var exponent = 3
    var power = 1000
    while count / power >= 10 {
      power *= 10
      exponent += 1
    }
    append(count, exponent, to: &buffer)
  }

  /// - Parameter exponent: that of the largest power of ten in `count`.
  private func append(_ count: Int, _ exponent: Int, to buffer: inout ByteBuffer) {
    let last = compact.count + 2
    let forms = compact[min(exponent, last) - 3]
    let zeros = forms[.other].count { $0 == UInt8(ascii: "0") }
    // Ungrouped up to four digits, as ICU has it in compact numbers.
    guard zeros < forms[.other].count else { return append(grouped: count, ungroupedDigits: 4, to: &buffer) }
    let shift = min(exponent, last) - zeros + 1
    let unit = Self.power(shift)
    var whole = count / unit
    var tenths = 0
    if whole < 10 {
      let rounded = Self.rounded(count, by: unit / 10)
      (whole, tenths) = (rounded / 10, rounded % 10)
    } else {
      whole = Self.rounded(count, by: unit)
    }
    // 999 999 is a million.
    let isNext = exponent < last && whole >= Self.power(zeros)
    if isNext { return append(Self.power(exponent + 1), exponent + 1, to: &buffer) }
    let category = PluralTable.category(language, i: whole, t: tenths, v: tenths > 0 ? 1 : 0, e: shift)
    var followsNumber = false
    for byte in forms[category] {
      if byte != UInt8(ascii: "0") {
        buffer.append(byte)
      } else if !followsNumber {
        followsNumber = true
        append(grouped: whole, ungroupedDigits: max(ungroupedDigits, 4), to: &buffer)
        if tenths > 0 {
          buffer.append(decimal)
          buffer.append(digits[tenths])
        }
      }
    }
  }

  /// Appends `30 %`.
  func append(percent: Int, to buffer: inout ByteBuffer) {
    appendTemplate(self.percent, to: &buffer) { append(count: percent, to: &$1) }
  }

  /// Appends the form of a text that goes with a number, with the number in it.
  func append(_ forms: PluralForms, _ count: Int, to buffer: inout ByteBuffer) {
    let form = forms[PluralTable.category(language, i: Int(clamping: count.magnitude), t: 0, v: 0, e: 0)]
    appendTemplate(form, to: &buffer) { append(count: count, to: &$1) }
  }

  /// Appends a number's digits, with zeros before them to at least `width` digits.
  func append(digits number: Int, width: Int = 1, to buffer: inout ByteBuffer) {
    append(grouped: number, ungroupedDigits: .max, width: width, to: &buffer)
  }

  private func append(grouped number: Int, ungroupedDigits: Int, width: Int = 1, to buffer: inout ByteBuffer) {
    if number < 0 { buffer.append(UInt8(ascii: "-")) }
    var places: [Int] = []
    var rest = number.magnitude
    repeat {
      places.append(Int(rest % 10))
      rest /= 10
    } while rest > 0 || places.count < width
    let isGrouped = places.count > ungroupedDigits
    for (place, digit) in places.enumerated().reversed() {
      buffer.append(digits[digit])
      if isGrouped, place == 3 || place > 3 && (place - 3).isMultiple(of: laterGroups) { buffer.append(group) }
    }
  }

  private static func rounded(_ number: Int, by unit: Int) -> Int {
    let (whole, rest) = number.quotientAndRemainder(dividingBy: unit)
    // Twice the rest could overflow.
    let isUp = rest > unit - rest || rest == unit - rest && !whole.isMultiple(of: 2)
    return isUp ? whole + 1 : whole
  }

  private static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * 10 } }
}

/// Appends a template, with what `append` writes in place of each field in braces.
func appendTemplate(
  _ template: [UInt8], to buffer: inout ByteBuffer,
  _ append: (_ field: ArraySlice<UInt8>, _ buffer: inout ByteBuffer) -> Void
) {
  var rest = template[...]
  while let opening = rest.firstIndex(of: UInt8(ascii: "{")), let closing = rest.firstIndex(of: UInt8(ascii: "}")) {
    for byte in rest[..<opening] { buffer.append(byte) }
    append(rest[(opening + 1)..<closing], &buffer)
    rest = rest[(closing + 1)...]
  }
  for byte in rest { buffer.append(byte) }
}
