import TweetCore

/// What ``LocaleTable`` says about one locale: its letters for digits, names of months, and templates.
///
/// It is read once, when a tool starts with this locale: 0.7 of the 17 million instructions with which tw-render
/// starts.
final class LocaleData: Sendable {
  let language: TableLanguage
  /// The digits 0 to 9.
  let digits: [[UInt8]]
  let decimal, group: [UInt8]
  /// Numbers with more digits than this are grouped: the last three, and those before them by this many.
  let ungroupedDigits, laterGroups: Int
  let percent: [UInt8]
  /// Names as they stand in a date, from January and from Sunday on.
  let months, wideMonths, wideWeekdays: [[UInt8]]
  /// Templates of times and dates.
  let time, day, date, dayTime, dateTime, full, fullDay, month: [UInt8]
  let now, yesterday, beforeYesterday: [UInt8]
  let secondsAgo, minutesAgo, hoursAgo, daysAgo: PluralForms
  let minutes, seconds: PluralForms
  /// The compact forms of 10³, 10⁴ and so on, where a zero stands for each digit; numbers that are larger have the
  /// last.
  let compact: [PluralForms]

  /// - Returns: `nil` if the table does not have the language. A region that it does not have is as its language.
  init?(_ name: LocaleName) {
    guard let language = TableLanguage(name) else { return nil }
    let table = Rows(language.rawValue, name.region.map { "\(language.rawValue)_\($0)" })
    self.language = language
    // The digits of every script follow each other in Unicode.
    let zero = String(decoding: table["zero"], as: UTF8.self).unicodeScalars.first?.value ?? 0x30
    digits = (0..<10).map { digit in Unicode.Scalar(zero + digit).map { Array(String($0).utf8) } ?? [] }
    decimal = table["decimal"]
    group = table["group"]
    ungroupedDigits = Int(String(decoding: table["ungrouped-digits"], as: UTF8.self)) ?? 3
    laterGroups = Int(String(decoding: table["later-groups"], as: UTF8.self)) ?? 3
    percent = table["percent"]
    months = table.list("months")
    wideMonths = table.list("months-wide")
    wideWeekdays = table.list("weekdays-wide")
    time = table["time"]
    day = table["day"]
    date = table["date"]
    dayTime = table["day-time"]
    dateTime = table["date-time"]
    full = table["full"]
    fullDay = table["full-day"]
    month = table["month"]
    now = table["now"]
    yesterday = table["yesterday"]
    beforeYesterday = table["before-yesterday"]
    secondsAgo = PluralForms(table["seconds-ago"])
    minutesAgo = PluralForms(table["minutes-ago"])
    hoursAgo = PluralForms(table["hours-ago"])
    daysAgo = PluralForms(table["days-ago"])
    minutes = PluralForms(table["minutes"])
    seconds = PluralForms(table["seconds"])
    compact = (3...19).map { table["1e\($0)"] }.prefix { !$0.isEmpty }.map { PluralForms($0) }
  }
}

/// The rows of the table that concern one locale.
private struct Rows {
  private typealias Text = ByteView

  /// Those of the region first.
  private var rows: [(key: Text, value: Text)] = []

  init(_ language: String, _ region: String?) {
    let table = LocaleTable.text
    let bytes = table.bytes
    var ofLanguage: [(Text, Text)] = []
    var isLanguages = false
    var isRegions = false
    bytes.forEachLine { line in
      if line.first == UInt8(ascii: "[") {
        let names = line.dropFirst().dropLast().split(separator: UInt8(ascii: " "))
        isLanguages = names.contains { $0.elementsEqual(language.utf8) }
        isRegions = region.map { region in names.contains { $0.elementsEqual(region.utf8) } } ?? false
      } else if isLanguages || isRegions, let sign = line.firstIndex(of: UInt8(ascii: "=")) {
        let row = (Text(rebasing: line[..<sign]), Text(rebasing: line[(sign + 1)...]))
        if isRegions { rows.append(row) } else { ofLanguage.append(row) }
      }
    }
    rows += ofLanguage
  }

  subscript(key: String) -> [UInt8] {
    rows.first { $0.key.elementsEqual(key.utf8) }.map { Array($0.value) } ?? []
  }

  func list(_ key: String) -> [[UInt8]] {
    self[key].split(separator: UInt8(ascii: "|")).map { Array($0) }
  }
}

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

extension LocaleData {
  /// Appends how long ago a time was: `jetzt`, `vor 5 Minuten`, `gestern`; from a week on its date.
  func append(_ age: TimeAge, to buffer: inout ByteBuffer) {
    switch age {
    case .now: buffer.append(now)
    case .seconds(let count): append(secondsAgo, count, to: &buffer)
    case .minutes(let count): append(minutesAgo, count, to: &buffer)
    case .hours(let count): append(hoursAgo, count, to: &buffer)
    case .days(1): buffer.append(yesterday)
    case .days(2) where !beforeYesterday.isEmpty: buffer.append(beforeYesterday)
    case .days(let count): append(daysAgo, count, to: &buffer)
    case .date(let time, let needsYear): append(needsYear ? date : day, time, to: &buffer)
    }
  }

  /// Appends the time of a day: `21:30`.
  func appendClock(_ time: LocalTime, to buffer: inout ByteBuffer) { append(self.time, time, to: &buffer) }

  /// Appends the date and the time of day: `3. Nov., 21:30`.
  /// - Parameter hasYear: whether the year is in it.
  func appendMoment(_ time: LocalTime, hasYear: Bool, to buffer: inout ByteBuffer) {
    append(hasYear ? dateTime : dayTime, time, to: &buffer)
  }

  /// Appends date and time in full: `Mittwoch, 3. November 2021 um 21:30`.
  func appendFull(_ time: LocalTime, to buffer: inout ByteBuffer) { append(full, time, to: &buffer) }

  /// Appends a date in full: `Mittwoch, 3. November 2021`.
  func appendFullDay(_ time: LocalTime, to buffer: inout ByteBuffer) { append(fullDay, time, to: &buffer) }

  /// Appends a month: `November 2021`.
  func appendMonth(_ time: LocalTime, to buffer: inout ByteBuffer) { append(month, time, to: &buffer) }

  /// Appends a duration: `42 Sek.`, `1 Min. 20 Sek.`.
  func append(duration seconds: Int, to buffer: inout ByteBuffer) {
    if seconds >= 60 {
      append(minutes, seconds / 60, to: &buffer)
      buffer.append(" ")
    }
    append(self.seconds, seconds % 60, to: &buffer)
  }

  /// Appends a template with the fields of a time in place of their names (UTS 35, Date Field Symbol Table).
  private func append(_ template: [UInt8], _ time: LocalTime, to buffer: inout ByteBuffer) {
    appendTemplate(template, to: &buffer) { field, buffer in
      switch (field.first, field.count) {
      case (UInt8(ascii: "y"), _): append(digits: time.year, to: &buffer)
      case (UInt8(ascii: "M"), 4): buffer.append(wideMonths[time.month - 1])
      case (UInt8(ascii: "M"), 3): buffer.append(months[time.month - 1])
      case (UInt8(ascii: "M"), let width): append(digits: time.month, width: width, to: &buffer)
      case (UInt8(ascii: "d"), let width): append(digits: time.day, width: width, to: &buffer)
      case (UInt8(ascii: "E"), _): buffer.append(wideWeekdays[time.weekday])
      case (UInt8(ascii: "H"), let width): append(digits: time.hour, width: width, to: &buffer)
      default: append(digits: time.minute, width: 2, to: &buffer)
      }
    }
  }
}
