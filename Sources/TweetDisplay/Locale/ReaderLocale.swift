import Libc
package import TweetCore

/// How a person reads times, counts and the kit's own words: the language, and the time zone of `$TZ` or the system.
///
/// Without a language (the locales `C` and `POSIX`) all is English in few columns: `5m`, `10.0K`. English and thirteen
/// more languages are in tables; the others are asked of the system's ICU, and are English words where there is none.
package struct ReaderLocale {
  private enum Language {
    case plain
    case table(LocaleData)
    case system(SystemLocale)
  }

  private let times: Language
  private let numbers: Language
  let words: TableLanguage
  /// Whether the words are Chinese in traditional characters, in which no table has times and numbers.
  let isTraditional: Bool
  /// Whether the times are English because neither the tables nor an ICU has the language that was asked for.
  package let isSubstitute: Bool

  /// - Parameters: which language times, numbers and words are in; `nil` for none.
  package init(times: LocaleName?, numbers: LocaleName?, words: LocaleName?) {
    // localtime_r(3) need not read the time zone.
    tzset()
    let found = Self.language(times)
    (self.times, isSubstitute) = (found ?? Self.english, found == nil)
    self.numbers = (numbers == times ? found : Self.language(numbers)) ?? Self.english
    isTraditional = words?.isTraditionalChinese == true
    self.words = isTraditional ? .zh : words.flatMap { TableLanguage($0) } ?? .en
  }

  /// All in one language.
  package init(_ name: LocaleName?) { self.init(times: name, numbers: name, words: name) }

  /// What the environment asks for.
  package static var environment: ReaderLocale {
    ReaderLocale(times: .environment(.times), numbers: .environment(.numbers), words: .environment(.words))
  }

  /// Whether the system has an ICU, for the languages without a table.
  package static var hasSystemLocales: Bool { ICUFunctions() != nil }

  /// With ICU even for languages of the tables: for a test that compares them.
  init(system locale: SystemLocale) {
    tzset()
    (times, numbers, words, isSubstitute) = (.system(locale), .system(locale), .en, false)
    isTraditional = false
  }

  /// - Returns: `nil` for a language that neither the tables nor an ICU has.
  private static func language(_ name: LocaleName?) -> Language? {
    guard let name else { return .plain }
    if let data = LocaleData(name) { return .table(data) }
    return SystemLocale(name).map { .system($0) }
  }

  private static var english: Language {
    LocaleName("en").flatMap { LocaleData($0) }.map { .table($0) } ?? .plain
  }
}

// MARK: Times

extension ReaderLocale {
  /// Appends a time.
  /// - Parameter now: the time that it is seen from.
  package func append(_ time: Timestamp, as form: TimeForm, now: Timestamp, to buffer: inout ByteBuffer) {
    switch form {
    case .iso:
      guard let local = LocalTime(time) else { break }
      return local.appendISO(to: &buffer)
    case .clock:
      guard let local = LocalTime(time), let today = LocalTime(now) else { break }
      if local.dayNumber == today.dayNumber { return appendClock(local, to: &buffer) }
      return appendMoment(local, hasYear: local.year != today.year, to: &buffer)
    case .relative:
      switch times {
      case .plain: return PlainForms.appendRelative(time, now: now, to: &buffer)
      case .table(let data): if let age = TimeAge(time, now: now) { return data.append(age, to: &buffer) }
      case .system(let system):
        if let text = TimeAge(time, now: now).flatMap({ system.text($0) }) { return buffer.append(text) }
      }
    }
    // The C library's calendar ends somewhere beyond the year 2 000 000 000.
    buffer.append(time)
  }

  /// Appends a time for a document, which says the same whenever it is read: `22. Sept. 2021, 16:37`; without a
  /// language `2021-09-22 16:37`.
  package func appendLasting(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    if case .plain = times { return local.appendISO(to: &buffer) }
    appendMoment(local, hasYear: true, to: &buffer)
  }

  /// Appends the time of day: `21:30`.
  package func appendClock(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    appendClock(local, to: &buffer)
  }

  /// Appends the date with the day of the week, and the time of day: `Wednesday, November 3, 2021 at 21:30`.
  package func appendFull(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    switch times {
    case .plain: PlainForms.appendFull(local, to: &buffer)
    case .table(let data): data.appendFull(local, to: &buffer)
    case .system(let system): append(system.date(local, "yMMMMEEEEdHmm"), else: local, to: &buffer)
    }
  }

  /// Appends the day of a time, with the day of the week: `Wednesday, November 3, 2021`.
  package func appendDay(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    switch times {
    case .plain: PlainForms.appendDay(local, to: &buffer)
    case .table(let data): data.appendFullDay(local, to: &buffer)
    case .system(let system): append(system.date(local, "yMMMMEEEEd"), else: local, to: &buffer)
    }
  }

  /// A number that all times of a day have in common, by the clocks of `$TZ`.
  package static func dayNumber(of time: Timestamp) -> Int? { LocalTime(time)?.dayNumber }

  /// Appends the month of a time: `November 2021`; without a language `2021-11`.
  package func appendMonth(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    switch times {
    case .table(let data): return data.appendMonth(local, to: &buffer)
    case .system(let system): if let text = system.date(local, "yMMMM") { return buffer.append(text) }
    case .plain: break
    }
    local.appendMonth(to: &buffer)
  }

  /// Appends the short name of the month of a time: `Nov`.
  package func appendMonthName(_ time: Timestamp, to buffer: inout ByteBuffer) {
    guard let local = LocalTime(time) else { return buffer.append(time) }
    switch times {
    case .table(let data): return buffer.append(data.months[local.month - 1])
    case .system(let system): if let text = system.date(local, "LLL") { return buffer.append(text) }
    case .plain: break
    }
    PlainForms.appendMonthName(local, to: &buffer)
  }

  /// Appends a duration: `42 s`, `1 min 20 s`.
  package func append(duration seconds: Int, to buffer: inout ByteBuffer) {
    switch times {
    case .table(let data): return data.append(duration: seconds, to: &buffer)
    case .system(let system):
      let parts = [(seconds / 60, "minute"), (seconds % 60, "second")].drop { $0.0 == 0 && $0.1 == "minute" }
      let texts = parts.compactMap { system.number($0.0, "unit/\($0.1) unit-width-short") }
      if texts.count == parts.count { return buffer.append(texts.joined(separator: " ")) }
    case .plain: break
    }
    PlainForms.append(duration: seconds, to: &buffer)
  }

  private func appendClock(_ local: LocalTime, to buffer: inout ByteBuffer) {
    switch times {
    case .plain: local.appendClock(to: &buffer)
    case .table(let data): data.appendClock(local, to: &buffer)
    case .system(let system): append(system.date(local, "Hmm"), else: local, to: &buffer)
    }
  }

  private func appendMoment(_ local: LocalTime, hasYear: Bool, to buffer: inout ByteBuffer) {
    switch times {
    case .plain: PlainForms.appendMoment(local, hasYear: hasYear, to: &buffer)
    case .table(let data): data.appendMoment(local, hasYear: hasYear, to: &buffer)
    case .system(let system): append(system.date(local, hasYear ? "yMMMdHmm" : "MMMdHmm"), else: local, to: &buffer)
    }
  }

  private func append(_ text: String?, else local: LocalTime, to buffer: inout ByteBuffer) {
    if let text { buffer.append(text) } else { local.appendISO(to: &buffer) }
  }
}

// MARK: Numbers

extension ReaderLocale {
  /// Appends a count in few letters: `1,2 Tausend`.
  package func append(compact count: Int, to buffer: inout ByteBuffer) {
    switch numbers {
    case .plain: PlainForms.append(compact: count, to: &buffer)
    case .table(let data): data.append(compact: count, to: &buffer)
    case .system(let system): append(system.compact(count), else: count, to: &buffer)
    }
  }

  /// Appends a count with all its digits: `12.345`.
  package func append(count: Int, to buffer: inout ByteBuffer) {
    switch numbers {
    case .plain: buffer.append(decimal: count)
    case .table(let data): data.append(count: count, to: &buffer)
    case .system(let system): append(system.number(count), else: count, to: &buffer)
    }
  }

  /// Appends a percentage: `30 %`.
  package func append(percent: Int, to buffer: inout ByteBuffer) {
    switch numbers {
    case .table(let data): return data.append(percent: percent, to: &buffer)
    case .system(let system):
      if let text = system.number(percent, "percent") { return buffer.append(text) }
    case .plain: break
    }
    buffer.append(decimal: percent)
    buffer.append("%")
  }

  private func append(_ text: String?, else number: Int, to buffer: inout ByteBuffer) {
    if let text { buffer.append(text) } else { buffer.append(decimal: number) }
  }
}

extension ReaderLocale {
  /// The language of the words, as HTML names it: `de`.
  package var wordsLanguage: String { isTraditional ? "zh-Hant" : words.rawValue }

  /// Whether the words run from right to left.
  package var isRightToLeft: Bool { words == .ar || words == .he }

  /// Appends a phrase that has nothing to insert.
  package func append(_ phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(text(phrase)) }

  /// Appends what stands before the inserted text of a phrase; ``append(after:to:)`` has the rest.
  package func append(before phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(halves(phrase).before) }

  /// Appends what stands after the inserted text of a phrase.
  package func append(after phrase: Phrase, to buffer: inout ByteBuffer) { buffer.append(halves(phrase).after) }

  /// Appends the form of a phrase that goes with a count, with the count in it.
  /// - Parameter isCompact: whether the count is in few letters.
  package func append(_ phrase: Phrase, count: Int, isCompact: Bool = false, to buffer: inout ByteBuffer) {
    let category = PluralTable.category(words, i: Int(clamping: count.magnitude), t: 0, v: 0, e: 0)
    let forms = PluralForms(bytes(of: phrase))
    appendTemplate(forms[category], to: &buffer) {
      if isCompact { append(compact: count, to: &$1) } else { append(count: count, to: &$1) }
    }
  }

  private func text(_ phrase: Phrase) -> StaticString {
    isTraditional ? WordsTable.traditionalChinese(phrase) : WordsTable.text(phrase, words)
  }

  private func bytes(of phrase: Phrase) -> ByteView {
    let text = text(phrase)
    return text.bytes
  }

  private func halves(_ phrase: Phrase) -> (before: ByteView, after: ByteView) {
    let bytes = bytes(of: phrase)
    let opening = bytes.firstIndex(of: UInt8(ascii: "{")) ?? bytes.endIndex
    let closing = bytes.firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? bytes.endIndex
    return (ByteView(rebasing: bytes[..<opening]), ByteView(rebasing: bytes[closing...]))
  }
}

/// How long ago a time was, in the unit that people would say it in.
enum TimeAge {
  case now
  case seconds(Int)
  case minutes(Int)
  case hours(Int)
  /// By the calendar: 1 is yesterday.
  case days(Int)
  /// A week or more ago, or ahead of now: the date says more. It needs its year if that is not this one.
  case date(LocalTime, needsYear: Bool)

  /// Clocks differ: a time up to five minutes ahead is now.
  /// - Returns: `nil` if the C library's calendar does not reach so far.
  init?(_ time: Timestamp, now: Timestamp) {
    let seconds = (now.milliseconds - time.milliseconds) / 1000
    switch seconds {
    case -300..<5: self = .now
    case 5..<60: self = .seconds(Int(seconds))
    case 60..<3600: self = .minutes(Int(seconds / 60))
    case 3600..<86_400: self = .hours(Int(seconds / 3600))
    default:
      guard let local = LocalTime(time), let today = LocalTime(now) else { return nil }
      let days = today.dayNumber - local.dayNumber
      if seconds < 0 || days >= 7 {
        self = .date(local, needsYear: local.year != today.year)
      } else {
        // The day on which clocks go back has 25 hours.
        self = days > 0 ? .days(days) : .hours(Int(seconds / 3600))
      }
    }
  }
}

/// How times are written.
package enum TimeForm: String, CaseIterable, Sendable {
  /// How long ago: `5 minutes ago`. It is true only for as long as somebody writes it anew.
  case relative
  /// The time of day, with the date before it on other days than today.
  case clock
  /// `2021-11-03 21:30`, in every language.
  case iso
}
