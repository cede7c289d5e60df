import Testing
import TweetCore

@testable import TweetDisplay

/// What ``ReaderLocale`` writes. Time zones are tested with the tool itself, in a process of its own.
struct ReaderLocaleTests {
  /// At noon UTC it is the same day in nearly all time zones.
  private static let now = "2021-11-03T12:00:00.000Z"

  private func text(_ locale: String?, _ body: (ReaderLocale, inout ByteBuffer) throws -> Void) rethrows -> String {
    var buffer = ByteBuffer()
    try body(ReaderLocale(locale.flatMap { LocaleName($0) }), &buffer)
    return buffer.string
  }

  private func relative(_ locale: String?, _ time: String) throws -> String {
    let (time, now) = (try #require(Timestamp(parsing: time)), try #require(Timestamp(parsing: Self.now)))
    return text(locale) { $0.append(time, as: .relative, now: now, to: &$1) }
  }

  @Test(arguments: [
    ("2021-11-03T12:00:00.000Z", "now"), ("2021-11-03T11:59:55.001Z", "now"), ("2021-11-03T11:59:55.000Z", "5s"),
    ("2021-11-03T11:59:00.001Z", "59s"), ("2021-11-03T11:59:00.000Z", "1m"), ("2021-11-03T11:00:00.001Z", "59m"),
    ("2021-11-03T11:00:00.000Z", "1h"), ("2021-11-02T12:00:00.001Z", "23h"), ("2021-11-02T12:00:00.000Z", "1d"),
    ("2021-10-27T12:00:00.001Z", "6d"), ("2021-11-03T12:05:00.000Z", "now"), ("2021-10-15T12:00:00.000Z", "Oct 15"),
    ("2019-06-05T12:00:00.000Z", "Jun 5, 2019"), ("2022-02-15T12:00:00.000Z", "Feb 15, 2022"),
    ("1969-07-20T12:00:00.000Z", "Jul 20, 1969"),
  ])
  func relativeWithoutALanguage(_ time: String, _ expected: String) throws {
    #expect(try relative(nil, time) == expected)
  }

  /// Each language's forms for one, few and many; yesterday and the day before; a date of this year and of another.
  @Test(arguments: [
    (
      "en",
      "now|5 seconds ago|1 minute ago|5 minutes ago|1 hour ago|23 hours ago|yesterday|2 days ago|3 days ago|6 days ago"
        + "|Oct 15|Jun 5, 2019"
    ),
    (
      "de",
      "jetzt|vor 5 Sekunden|vor 1 Minute|vor 5 Minuten|vor 1 Stunde|vor 23 Stunden|gestern|vorgestern|vor 3 Tagen"
        + "|vor 6 Tagen|15. Okt.|5. Juni 2019"
    ),
    (
      "fr",
      "maintenant|il y a 5 secondes|il y a 1 minute|il y a 5 minutes|il y a 1 heure|il y a 23 heures|hier|avant-hier"
        + "|il y a 3 jours|il y a 6 jours|15 oct.|5 juin 2019"
    ),
    (
      "es",
      "ahora|hace 5 segundos|hace 1 minuto|hace 5 minutos|hace 1 hora|hace 23 horas|ayer|anteayer|hace 3 días"
        + "|hace 6 días|15 oct|5 jun 2019"
    ),
    (
      "ja",
      "今|5 秒前|1 分前|5 分前|1 時間前|23 時間前|昨日|一昨日|3 日前|6 日前|10月15日|2019年6月5日"
    ),
    (
      "ar",
      "الآن|قبل ٥ ثوانِ|قبل دقيقة واحدة|قبل ٥ دقائق|قبل ساعة واحدة|قبل ٢٣ ساعة|أمس|أول أمس|قبل ٣ أيام|قبل ٦ أيام"
        + "|١٥ أكتوبر|٥ يونيو ٢٠١٩"
    ),
  ])
  func relativeInSixLanguages(_ locale: String, _ expected: String) throws {
    let times = [
      "2021-11-03T11:59:57Z", "2021-11-03T11:59:55Z", "2021-11-03T11:58:30Z", "2021-11-03T11:55:00Z",
      "2021-11-03T11:00:00Z", "2021-11-02T12:30:00Z", "2021-11-02T12:00:00Z", "2021-11-01T12:00:00Z",
      "2021-10-31T12:00:00Z", "2021-10-28T12:00:00Z", "2021-10-15T12:00:00Z", "2019-06-05T12:00:00Z",
    ]
    #expect(try times.map { try relative(locale, $0) }.joined(separator: "|") == expected)
  }

  /// Russian counts 1, 21 and 101 alike, and 11 not with them.
  @Test(arguments: [
    ("ru", "1 ответ|2 ответа|5 ответов|11 ответов|12 ответов|21 ответ|22 ответа|100 ответов|101 ответ|111 ответов"),
    (
      "he",
      "תגובה אחת|שתי תגובות|5 תגובות|11 תגובות|12 תגובות|21 תגובות|22 תגובות|100 תגובות|101 תגובות|111 תגובות"
    ),
  ])
  func pluralForms(_ locale: String, _ expected: String) {
    let counts = [1, 2, 5, 11, 12, 21, 22, 100, 101, 111]
    #expect(
      counts.map { count in text(locale) { $0.append(.replies, count: count, to: &$1) } }.joined(separator: "|")
        == expected)
  }

  @Test(arguments: [
    ("en", "999|1K|1.2K|12K|123K|1M|1.2M|12M|1.2B|9223372T"),
    ("de", "999|1 Tausend|1,2 Tausend|12 Tausend|123 Tausend|1 Mio.|1,2 Mio.|12 Mio.|1,2 Mrd.|9.223.372 Bio."),
    ("de-CH", "999|1 Tausend|1.2 Tausend|12 Tausend|123 Tausend|1 Mio.|1.2 Mio.|12 Mio.|1.2 Mrd.|9’223’372 Bio."),
    ("fr", "999|1 k|1,2 k|12 k|123 k|1 M|1,2 M|12 M|1,2 Md|9 223 372 Bn"),
    ("es", "999|1 mil|1,2 mil|12 mil|123 mil|1 M|1,2 M|12 M|1235 M|9.223.372 B"),
    ("ja", "999|1000|1234|1.2万|12万|100万|123万|1235万|12億|922京"),
    ("ar", "٩٩٩|١ ألف|١٫٢ ألف|١٢ ألف|١٢٣ ألف|١ مليون|١٫٢ مليون|١٢ مليون|١٫٢ مليار|٩٬٢٢٣٬٣٧٢ ترليون"),
  ])
  func compactCounts(_ locale: String, _ expected: String) {
    let counts = [999, 1000, 1234, 12_345, 123_456, 999_999, 1_234_567, 12_345_678, 1_234_567_890, .max]
    let texts = counts.map { count in text(locale) { $0.append(compact: count, to: &$1) } }
    let spaces = texts.joined(separator: "|").map { $0 == "\u{A0}" || $0 == "\u{202F}" ? " " : $0 }
    #expect(String(spaces) == expected.replacing("9223372T", with: "9,223,372T"))
  }

  /// Halves go to the even digit; what is rounded up to the next magnitude is in its words.
  @Test(arguments: [
    (1050, "1K"), (1150, "1.2K"), (1250, "1.2K"), (1251, "1.3K"), (9949, "9.9K"), (9950, "10K"), (10_500, "10K"),
    (11_500, "12K"), (999_499, "999K"), (999_500, "1M"), (999_500_000, "1B"), (0, "0"), (-5, "-5"), (-5000, "-5,000"),
  ])
  func rounding(_ count: Int, _ expected: String) {
    #expect(text("en") { $0.append(compact: count, to: &$1) } == expected)
  }

  @Test(arguments: [
    (nil, "0 9999 12345 1234567 -1234567"), ("en", "0 9,999 12,345 1,234,567 -1,234,567"),
    ("de", "0 9.999 12.345 1.234.567 -1.234.567"), ("es", "0 9999 12.345 1.234.567 -1.234.567"),
    ("de_AT", "0 9\u{A0}999 12\u{A0}345 1\u{A0}234\u{A0}567 -1\u{A0}234\u{A0}567"),
    ("en_IN", "0 9,999 12,345 12,34,567 -12,34,567"), ("ar", "٠ ٩٬٩٩٩ ١٢٬٣٤٥ ١٬٢٣٤٬٥٦٧ -١٬٢٣٤٬٥٦٧"),
  ])
  func wholeCounts(_ locale: String?, _ expected: String) {
    let counts = [0, 9999, 12_345, 1_234_567, -1_234_567]
    #expect(
      counts.map { count in text(locale) { $0.append(count: count, to: &$1) } }.joined(separator: " ") == expected)
  }

  /// A region that the table does not have is as its language; names are read as the system and the web write them.
  @Test(arguments: [
    ("de", "3. Jan. 2019"), ("de_AT.UTF-8", "3. Jän. 2019"), ("de-AT", "3. Jän. 2019"), ("DE_at@euro", "3. Jän. 2019"),
    ("de_PL", "3. Jan. 2019"), ("de_Latn_AT", "3. Jän. 2019"), ("en_GB", "3 Jan 2019"), ("en_PL", "Jan 3, 2019"),
    ("es_MX", "3 ene 2019"), ("ar_MA", "3 يناير 2019"), ("ar_EG", "٣ يناير ٢٠١٩"), ("ar_SA", "٣ يناير ٢٠١٩"),
  ])
  func regions(_ locale: String, _ expected: String) throws {
    #expect(try relative(locale, "2019-01-03T12:00:00Z") == expected)
  }

  /// No name of a language: `C`, and what people or attackers put into variables.
  @Test(arguments: [
    "", "C", "POSIX", "C.UTF-8", "d", "../../etc", "/etc/passwd", "de/../../x", "de_", "_DE", "de__DE", "de_D",
    "de_DEUTSCH!",
    "\u{0}de", "de\n", "dé", "%s%n", "de_DE_{0}", String(repeating: "a", count: 10_000),
    "de" + String(repeating: "_aaaa", count: 2000), ".UTF-8", "@euro", "deutsch",
  ])
  func namesThatAreNone(_ name: String) {
    #expect(LocaleName(name) == nil)
  }

  /// An encoding or a modifier that nobody knows does not hide the language.
  @Test(arguments: ["de_DE.garbage", "de_DE@garbage", "de_DE.UTF-8@\u{1B}[2J", "de-DE-1996", "de_DE."])
  func namesWithMore(_ name: String) {
    #expect(LocaleName(name)?.icu == "de_DE")
  }

  @Test func scriptsOfModifiers() {
    #expect(LocaleName("sr_RS@latin")?.icu == "sr_Latn_RS")
    #expect(LocaleName("zh-hant-tw")?.icu == "zh_Hant_TW")
    #expect(LocaleName("es_419")?.icu == "es_419")
  }

  /// The C library's calendar does not reach so far. Nothing may crash.
  @Test(
    arguments: [nil, "en", "de", "fr", "es", "ja", "ar", "zh", "ru", "he", "hi"],
    [Int64.min / 1000, -62_167_219_200_000, Int64.max / 1000])
  func farAway(_ locale: String?, _ milliseconds: Int64) {
    let time = Timestamp(milliseconds: milliseconds)
    let now = Timestamp(milliseconds: 0)
    for form in TimeForm.allCases {
      #expect(!text(locale) { $0.append(time, as: form, now: now, to: &$1) }.isEmpty)
      #expect(!text(locale) { $0.append(now, as: form, now: time, to: &$1) }.isEmpty)
    }
    #expect(!text(locale) { $0.appendFull(time, to: &$1) }.isEmpty)
    #expect(!text(locale) { $0.appendClock(time, to: &$1) }.isEmpty)
  }

  @Test func isoHasAFixedWidthInEveryLanguage() throws {
    let time = try #require(Timestamp(parsing: "2021-03-04T05:06:07.000Z"))
    for locale in [nil, "de", "ja", "ar"] {
      let iso = text(locale) { $0.append(time, as: .iso, now: time, to: &$1) }
      #expect(iso.utf8.count == 16)
      #expect(iso.hasPrefix("2021-03-0"))
    }
  }

  @Test(arguments: [
    (nil, "photo|Ann retweeted|0 votes|1 vote|2 votes|12345 votes"),
    ("de", "Foto|Ann hat retweetet|0 Stimmen|1 Stimme|2 Stimmen|12.345 Stimmen"),
    ("fr", "photo|Ann a retweeté|0 vote|1 vote|2 votes|12\u{202F}345 votes"),
    ("es", "foto|Ann ha retuiteado|0 votos|1 voto|2 votos|12.345 votos"),
    ("ja", "写真|Annさんがリツイート|0票|1票|2票|12,345票"),
    ("ar", "صورة|أعاد Ann التغريد|لا أصوات|صوت واحد|صوتان|١٢٬٣٤٥ صوتًا"),
    ("zh_CN", "照片|Ann 转推了|0 票|1 票|2 票|12,345 票"),
    ("ru", "фото|Ann ретвитнул(а)|0 голосов|1 голос|2 голоса|12\u{A0}345 голосов"),
    ("pt_BR", "foto|Ann retuitou|0 voto|1 voto|2 votos|12.345 votos"),
    ("he", "תמונה|ציוץ מחדש מאת Ann|0 קולות|קול אחד|שני קולות|12,345 קולות"),
    ("iw_IL", "תמונה|ציוץ מחדש מאת Ann|0 קולות|קול אחד|שני קולות|12,345 קולות"),
    ("hi", "फ़ोटो|Ann ने रीट्वीट किया|0 वोट|1 वोट|2 वोट|12,345 वोट"),
    ("tr", "fotoğraf|Ann retweetledi|0 oy|1 oy|2 oy|12.345 oy"),
    // Words in simplified characters are not those of Taipei.
    ("zh_TW", "相片|Ann 轉推了|0 票|1 票|2 票|12,345 票"), ("zh_Hant", "相片|Ann 轉推了|0 票|1 票|2 票|12,345 票"),
    // The words of languages without a table are English.
    ("xx", "photo|Ann retweeted|0 votes|1 vote|2 votes|12,345 votes"),
  ])
  func words(_ locale: String?, _ expected: String) {
    let words = text(locale) { locale, buffer in
      locale.append(.photo, to: &buffer)
      buffer.append("|")
      locale.append(before: .retweeted, to: &buffer)
      buffer.append("Ann")
      locale.append(after: .retweeted, to: &buffer)
      for count in [0, 1, 2, 12_345] {
        buffer.append("|")
        locale.append(.votes, count: count, to: &buffer)
      }
    }
    #expect(words == expected)
  }

  /// No phrase is empty, no field is left in it, and all languages insert the same.
  @Test(arguments: Phrase.allCases)
  func phrasesAreWhole(_ phrase: Phrase) {
    let hasField = "\(WordsTable.text(phrase, .en))".contains("{0}")
    for language in TableLanguage.allCases {
      let text = "\(WordsTable.text(phrase, language))"
      #expect(!text.isEmpty)
      #expect(text.split(separator: "|").contains { $0.contains("{0}") } == hasField, "\(phrase) in \(language)")
      #expect(text.replacing("{0}", with: "").allSatisfy { $0 != "{" && $0 != "}" })
    }
  }

  /// Each row of the table is there in each language, with as many names as there are months and days.
  @Test(arguments: TableLanguage.allCases)
  func theTableIsWhole(_ language: TableLanguage) throws {
    let data = try #require(LocaleName(language.rawValue).flatMap { LocaleData($0) })
    #expect(data.months.count == 12 && data.wideMonths.count == 12 && data.wideWeekdays.count == 7)
    #expect(data.digits.allSatisfy { !$0.isEmpty })
    let texts = [
      data.decimal, data.group, data.percent, data.time, data.day, data.date, data.dayTime, data.dateTime, data.full,
      data.now, data.yesterday,
    ]
    #expect(texts.allSatisfy { !$0.isEmpty })
    let forms = [data.secondsAgo, data.minutesAgo, data.hoursAgo, data.daysAgo, data.minutes, data.seconds]
    #expect((forms + data.compact).allSatisfy { !$0[.other].isEmpty })
  }
}
