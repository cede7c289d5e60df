// Written by Tests/TweetDisplayTests/generate-locale-table.py from CLDR 42, as ICU 72 has it.
// Copyright © 1991-2022 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt

/// CLDR's plural rules.
enum PluralTable {
  /// The plural category of a number.
  /// - Parameters: as UTS 35 names them: `i` is the whole part, `t` the digits after the decimal sign without zeros at
  ///   their end, `v` how many digits are there, `e` the power of ten of a compact number.
  static func category(_ language: TableLanguage, i: Int, t: Int, v: Int, e: Int) -> PluralCategory {
    switch language {
    case .en:
      if i == 1 && v == 0 { return .one }
    case .de:
      if i == 1 && v == 0 { return .one }
    case .fr:
      if (i == 0 || i == 1) { return .one }
      if (e == 0 && i != 0 && i % 1000000 == 0 && v == 0) || !((0...5).contains(e)) { return .many }
    case .es:
      if t == 0 && i == 1 { return .one }
      if (e == 0 && i != 0 && i % 1000000 == 0 && v == 0) || !((0...5).contains(e)) { return .many }
    case .ar:
      if t == 0 && i == 0 { return .zero }
      if t == 0 && i == 1 { return .one }
      if t == 0 && i == 2 { return .two }
      if t == 0 && (3...10).contains(i % 100) { return .few }
      if t == 0 && (11...99).contains(i % 100) { return .many }
    case .ja: break
    }
    return .other
  }
}

/// The languages of the tables.
enum TableLanguage: String, CaseIterable {
  case en, de, fr, es, ja, ar
}
