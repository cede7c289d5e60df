import Testing
import TweetCore

@testable import TweetDisplay

/// Languages of the system's ICU, and ICU as a second opinion about the table.
struct SystemLocaleTests {
  private static let icu = ICUFunctions()

  /// Without ICU there is nothing to compare with; that is said.
  private func icu() -> ICUFunctions? {
    if Self.icu == nil { print("skipped: no ICU is installed") }
    return Self.icu
  }

  private func text(_ locale: ReaderLocale, _ body: (ReaderLocale, inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer()
    body(locale, &buffer)
    return buffer.string
  }

  /// All that a reader sees, over many times and counts, in each language and region of the table.
  @Test(arguments: TableLanguage.allCases)
  func theTableAgreesWithICU(_ language: TableLanguage) throws {
    guard let icu = icu() else { return }
    guard release(icu) == LocaleTable.release else {
      print("skipped: the table is of CLDR \(LocaleTable.release), this ICU has CLDR \(release(icu))")
      return
    }
    for name in [language.rawValue] + regions(language) {
      // The table has the Gregorian calendar everywhere.
      let system = ReaderLocale(system: SystemLocale(named: name + "@calendar=gregorian", icu))
      let table = ReaderLocale(LocaleName(name))
      for count in Self.counts {
        expectSame(name, "\(count)", table, system) { $0.append(compact: count, to: &$1) }
        expectSame(name, "\(count)", table, system) { $0.append(count: count, to: &$1) }
      }
      for percent in 0...100 { expectSame(name, "\(percent)", table, system) { $0.append(percent: percent, to: &$1) } }
      for seconds in 0...300 { expectSame(name, "\(seconds)", table, system) { $0.append(duration: seconds, to: &$1) } }
      let now = Timestamp(milliseconds: 1_635_940_800_000)
      let ages = Array(0..<100) + (0..<500).map { $0 * 1801 } + (0..<400).map { $0 * 7_919_000 - 500_000_000 }
      for age in ages {
        let time = Timestamp(milliseconds: now.milliseconds - Int64(age) * 1000)
        for form in TimeForm.allCases {
          expectSame(name, time.rfc3339, table, system) { $0.append(time, as: form, now: now, to: &$1) }
        }
        expectSame(name, time.rfc3339, table, system) { $0.appendFull(time, to: &$1) }
        expectSame(name, time.rfc3339, table, system) { $0.appendClock(time, to: &$1) }
      }
    }
  }

  /// Counts of all sizes, and those where rounding changes the word.
  private static let counts: [Int] = {
    var counts: [Int] = []
    var power = 1
    while power <= Int.max / 100 {
      for part in [power / 2000, power / 2000 + 1, power / 20, power / 20 + 1, 1] {
        counts += [power - part, power + part].filter { $0 >= 0 }
      }
      // 7919 is prime, so that all digits are met.
      counts += (1...40).map { power / 7919 * $0 * 37 + power + $0 }
      power *= 10
    }
    return counts + [.max]
  }()

  private func expectSame(
    _ name: String, _ value: String, _ table: ReaderLocale, _ system: ReaderLocale,
    _ body: (ReaderLocale, inout ByteBuffer) -> Void
  ) {
    let (ours, theirs) = (text(table, body), text(system, body))
    if ours != theirs { Issue.record("\(name), \(value): '\(ours)' is '\(theirs)' in ICU") }
  }

  /// The regions of a language that have rows of their own in the table.
  private func regions(_ language: TableLanguage) -> [String] {
    "\(LocaleTable.text)".split(separator: "\n").filter { $0.hasPrefix("[\(language.rawValue)_") }
      .flatMap { $0.dropFirst().dropLast().split(separator: " ").map(String.init) }
  }

  private func release(_ icu: ICUFunctions) -> String {
    var version: [UInt8] = [0, 0, 0, 0]
    var failure: Int32 = 0
    icu.release(&version, &failure)
    return version[1] == 0 ? "\(version[0])" : "\(version[0]).\(version[1])"
  }

  /// Languages that have no table.
  @Test(arguments: [
    ("pl_PL.UTF-8", "5 minut temu", "1,2 tys."), ("ru", "5 минут назад", "1,2 тыс."), ("he", "לפני 5 דקות", "1.2K"),
    ("hi", "5 मिनट पहले", "1.2 हज़ार"), ("zh_TW", "5 分鐘前", "1234"), ("it", "5 minuti fa", "1,2 mila"),
    ("sr_RS@latin", "pre 5 minuta", "1,2 hilj."),
  ])
  func otherLanguages(_ name: String, _ ago: String, _ count: String) throws {
    guard icu() != nil else { return }
    let locale = ReaderLocale(LocaleName(name))
    let now = Timestamp(milliseconds: 1_635_940_800_000)
    let time = Timestamp(milliseconds: now.milliseconds - 300_000)
    #expect(text(locale) { $0.append(time, as: .relative, now: now, to: &$1) } == ago)
    #expect(text(locale) { $0.append(compact: 1234, to: &$1) }.replacing("\u{A0}", with: " ") == count)
  }

  /// Languages that nobody knows, and a system without ICU.
  @Test func whatIsNotThereIsEnglish() throws {
    let now = Timestamp(milliseconds: 1_635_940_800_000)
    let time = Timestamp(milliseconds: now.milliseconds - 300_000)
    let unknown = ReaderLocale(LocaleName("xx_YY.UTF-8"))
    #expect(text(unknown) { $0.append(time, as: .relative, now: now, to: &$1) } == "5 minutes ago")
    #expect(SystemLocale(try #require(LocaleName("pl")), nil) == nil)
    // No such library; one that has none of the functions; one that has no function of this version.
    #expect(ICUFunctions([("libicui18n.so.1", "_1")]) == nil)
    #expect(ICUFunctions([("libc.so.6", ""), ("libc.so.6", "_72")]) == nil)
    #expect(ICUFunctions([("libicui18n.so.72", "_1")]) == nil)
  }
}
