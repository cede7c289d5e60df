// Written by Tests/TweetDisplayTests/generate-locale-table.py from CLDR 42, as ICU 72 has it.
// Copyright © 1991-2022 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt
// swift-format-ignore-file: GroupNumericLiterals

/// CLDR's plural rules.
enum PluralTable {
  /// The plural category of a number.
  /// - Parameters: as UTS 35 names them: `i` is the whole part, `t` the digits behind the decimal sign without zeros at
  ///   their end, `v` how many digits are there, `e` the power of ten of a compact number.
  static func category(_ language: TableLanguage, i: Int, t: Int, v: Int, e: Int) -> PluralCategory {
    switch language {
    case .en:
      if i == 1 && v == 0 { return .one }
    case .de:
      if i == 1 && v == 0 { return .one }
    case .fr:
      if i == 0 || i == 1 { return .one }
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
    case .ru:
      if v == 0 && i % 10 == 1 && i % 100 != 11 { return .one }
      if v == 0 && (2...4).contains(i % 10) && !((12...14).contains(i % 100)) { return .few }
      if (v == 0 && i % 10 == 0) || (v == 0 && (5...9).contains(i % 10)) || (v == 0 && (11...14).contains(i % 100)) {
        return .many
      }
    case .pt:
      if (0...1).contains(i) { return .one }
      if (e == 0 && i != 0 && i % 1000000 == 0 && v == 0) || !((0...5).contains(e)) { return .many }
    case .it:
      if i == 1 && v == 0 { return .one }
      if (e == 0 && i != 0 && i % 1000000 == 0 && v == 0) || !((0...5).contains(e)) { return .many }
    case .he:
      if (i == 1 && v == 0) || (i == 0 && v != 0) { return .one }
      if i == 2 && v == 0 { return .two }
    case .hi:
      if i == 0 || t == 0 && i == 1 { return .one }
    case .tr:
      if t == 0 && i == 1 { return .one }
    case .ja, .zh, .ko: break
    }
    return .other
  }
}

/// The languages of the tables.
enum TableLanguage: String, CaseIterable {
  case en, de, fr, es, ja, ar, zh, ru, pt, it, ko, he, hi, tr
}
