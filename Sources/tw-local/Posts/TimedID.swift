import TweetCore

/// An id of this service as other networks write theirs: all contain the time, to the millisecond, above some bits that
/// differ between posts of one millisecond. Here these count from 0, so that few of them are used.
enum TimedID {
  private static let counter = 1 << 22 - 1

  private static func milliseconds(_ id: Int) -> Int { Int(Snowflake.time(of: id).milliseconds) }

  private static func id(_ milliseconds: Int, _ low: Int) -> Int {
    Snowflake.first(at: Timestamp(milliseconds: Int64(milliseconds))) + low
  }

  // MARK: Mastodon

  /// The milliseconds since 1970, and 16 bits (Mastodon's `Snowflake`).
  static func mastodon(_ id: Int) -> String { String(milliseconds(id) << 16 | min(id & counter, 0xFFFF)) }

  /// - Returns: `nil` for a text that is no such id.
  static func id(mastodon text: some StringProtocol) -> Int? {
    guard let number = Int(text), number >= 0, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return id(number >> 16, number & 0xFFFF)
  }

  // MARK: Bluesky

  private static let digits = Array("234567abcdefghijklmnopqrstuvwxyz".utf8)
  /// A key has microseconds above ten bits: so many keys has a millisecond.
  private static let keysOfMillisecond = 1000 << 10

  /// A key that tells the time (AT Protocol, "Timestamp Identifiers").
  static func key(_ id: Int) -> String {
    text(milliseconds(id) * keysOfMillisecond + min(id & counter, keysOfMillisecond - 1))
  }

  /// - Returns: `nil` for a text that is no such key.
  static func id(key: String) -> Int? {
    guard let number = number(key) else { return nil }
    return id(number / keysOfMillisecond, number % keysOfMillisecond)
  }

  /// A number in the digits of such keys, which are ordered as the numbers are.
  static func text(_ number: Int) -> String {
    String(decoding: (0..<13).map { digits[number >> (60 - 5 * $0) & 31] }, as: UTF8.self)
  }

  static func number(_ text: String) -> Int? {
    guard text.utf8.count == 13 else { return nil }
    var number: UInt64 = 0
    for (place, byte) in text.utf8.enumerated() {
      guard let digit = digits.firstIndex(of: byte), place > 0 || digit < 8 else { return nil }
      number = number << 5 | UInt64(digit)
    }
    return Int(exactly: number)
  }

  /// The number of an event of Jetstream. From 10^15 on, cursors are times there.
  static func sequence(_ id: Int) -> Int { (id >> 22) << 10 | min(id & counter, 1023) }

  /// The first id whose event can have a number.
  static func firstID(sequence: Int) -> Int { (sequence >> 10) << 22 | sequence & 1023 }
}
