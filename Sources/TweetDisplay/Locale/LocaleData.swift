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
