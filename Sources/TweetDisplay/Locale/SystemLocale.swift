import TweetCore

/// A language as the system's ICU knows it: for the languages that ``LocaleTable`` does not have.
///
/// Each formatter is made when it is first used, in about a millisecond. What ICU cannot say is `nil`.
final class SystemLocale {
  /// The units of a relative time, as ICU numbers them (ureldatefmt.h, URelativeDateTimeUnit).
  private enum Unit: Int32 {
    case day = 4
    case hour, minute, second
  }

  private let icu: ICUFunctions
  private let name: String
  private var relative: OpaquePointer?
  private var result: OpaquePointer?
  /// By their skeletons.
  private var numbers: [String: OpaquePointer] = [:]
  private var dates: [String: OpaquePointer] = [:]

  /// - Returns: `nil` without an ICU, and for a language that it does not know.
  convenience init?(_ name: LocaleName, _ icu: ICUFunctions? = ICUFunctions()) {
    guard let icu else { return nil }
    let isKnown = (0..<icu.countAvailable()).contains { index in
      icu.available(index).map { String(cString: $0).prefix { $0 != "_" } == name.language } ?? false
    }
    guard isKnown else { return nil }
    self.init(named: name.icu, icu)
  }

  /// - Parameter name: ICU's name of a locale that it has.
  init(named name: String, _ icu: ICUFunctions) {
    self.icu = icu
    self.name = name
  }

  deinit {
    if let relative { icu.closeRelative(relative) }
    if let result { icu.closeResult(result) }
    for number in numbers.values { icu.closeNumber(number) }
    for date in dates.values { icu.closeDate(date) }
  }

  /// How long ago a time was: `5 minut temu`, `wczoraj`; from a week on its date.
  func text(_ age: TimeAge) -> String? {
    switch age {
    case .now: ago(0, .second)
    case .seconds(let count): ago(count, .second)
    case .minutes(let count): ago(count, .minute)
    case .hours(let count): ago(count, .hour)
    case .days(let count): ago(count, .day)
    case .date(let local, let needsYear): date(local, needsYear ? "yMMMd" : "MMMd")
    }
  }

  private func ago(_ count: Int, _ unit: Unit) -> String? {
    if relative == nil {
      // In whole words (UDAT_STYLE_LONG), as inside a sentence (UDISPCTX_CAPITALIZATION_NONE).
      relative = opened { icu.openRelative(name, nil, 0, 256, $0) }
    }
    guard let relative else { return nil }
    return text { icu.formatRelative(relative, -Double(count), unit.rawValue, $0, $1, $2) }
  }

  /// A time in the best form for a skeleton of fields (UTS 35, Date Format Patterns), on the locale's own calendar.
  func date(_ time: LocalTime, _ skeleton: String) -> String? {
    guard let formatter = dateFormatter(skeleton) else { return nil }
    return text { icu.formatDate(formatter, time.asUTC, $0, $1, nil, $2) }
  }

  private func dateFormatter(_ skeleton: String) -> OpaquePointer? {
    if let formatter = dates[skeleton] { return formatter }
    guard let patterns = opened({ icu.openPatterns(name, $0) }) else { return nil }
    defer { icu.closePatterns(patterns) }
    let letters = Array(skeleton.utf16)
    guard let pattern = text({ icu.bestPattern(patterns, letters, Int32(letters.count), $0, $1, $2) }) else {
      return nil
    }
    let (fields, zone) = (Array(pattern.utf16), Array("Etc/GMT".utf16))
    // With a pattern (UDAT_PATTERN), in UTC: the C library knows the time zone.
    dates[skeleton] = opened {
      icu.openDate(-2, -2, name, zone, Int32(zone.count), fields, Int32(fields.count), $0)
    }
    return dates[skeleton]
  }

  /// A number in the form that a skeleton asks for (ICU User Guide, Number Skeletons).
  func number(_ number: Int, _ skeleton: String = "") -> String? {
    if numbers[skeleton] == nil {
      let letters = Array(skeleton.utf16)
      numbers[skeleton] = opened { icu.openNumber(letters, Int32(letters.count), name, $0) }
    }
    if result == nil { result = opened { icu.openResult($0) } }
    guard let formatter = numbers[skeleton], let result else { return nil }
    var failure: Int32 = 0
    icu.formatInteger(formatter, Int64(number), result, &failure)
    return failure > 0 ? nil : text { icu.resultText(result, $0, $1, $2) }
  }

  /// A number in two or three digits and a word. As in the table, the long word stands where there is no short one.
  func compact(_ count: Int) -> String? {
    guard count >= 1000 else { return number(count) }
    if let short = word(count, "compact-short") { return short }
    guard let long = word(count, "compact-long") else { return number(count, "compact-short") }
    // What is rounded up to a power of ten gets the word of that.
    var power = 1000
    while power < count, power <= .max / 10 { power *= 10 }
    if power > count, power - count <= power / 2000, let short = word(power, "compact-short") { return short }
    // No line ends inside a number.
    return long.replacing(" ", with: "\u{A0}")
  }

  /// A number in the form that a skeleton asks for, if that has a word.
  private func word(_ count: Int, _ skeleton: String) -> String? {
    number(count, skeleton).flatMap { $0.unicodeScalars.contains(where: \.properties.isAlphabetic) ? $0 : nil }
  }

  private func opened(_ open: (ICUFunctions.Failure) -> OpaquePointer?) -> OpaquePointer? {
    var failure: Int32 = 0
    let handle = open(&failure)
    return failure > 0 ? nil : handle
  }

  /// What a function writes, without marks of direction, which rows add where they are wanted.
  private func text(_ write: (ICUFunctions.Text, Int32, ICUFunctions.Failure) -> Int32) -> String? {
    var failure: Int32 = 0
    var letters = [UInt16](repeating: 0, count: 256)
    let length = write(&letters, Int32(letters.count), &failure)
    guard failure <= 0, letters.indices.contains(Int(length)) else { return nil }
    return String(
      decoding: letters[..<Int(length)].filter { ![0x200E, 0x200F, 0x061C].contains($0) }, as: UTF16.self)
  }
}
