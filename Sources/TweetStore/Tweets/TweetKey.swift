import TweetCore

/// The integer key of a stored tweet: its time above, something that tells tweets of one millisecond apart below. So the
/// table, every index and the full-text index are in the order of time, and lists need no sorting.
enum TweetKey {
  /// Bits below the milliseconds: as many as X's ids have, which then keep their own order within a millisecond.
  private static let lowBits = 22
  private static let lowMask = 1 << lowBits - 1
  /// 2006-01-01T00:00:00Z, before there were tweets: leaves room up to 2075, and below it for older posts of others.
  private static let epoch = 1_136_073_600_000

  /// The smallest key of a moment: all that was posted at `time` or later has this key or a larger one.
  static func smallest(at time: Timestamp) -> Int {
    let milliseconds = min(max(Int(time.milliseconds) - epoch, -(1 << 41)), 1 << 41 - 1)
    return milliseconds << lowBits
  }

  /// The key a tweet should have. It may be taken by another of the same moment; then ``next(after:)`` is tried.
  /// - Parameters:
  ///   - created: when it was posted, where that is known.
  ///   - seen: what stands in for it otherwise.
  static func preferred(
    service: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>, created: Timestamp?, seen: Timestamp
  ) -> Int {
    let number = Int(ascii: id)
    let low = (number ?? Int(truncatingIfNeeded: hash(id))) & lowMask
    if let number, number > 0, isSnowflake(service) {
      let time = Snowflake.time(of: number)
      // Services give the time in whole seconds; the id knows the millisecond. One that does not fit is no such id, as
      // those from before November 2010. Without a time only a number too large to be one of those is believed.
      let fits = created.map { 0..<1000 ~= time.milliseconds - $0.milliseconds } ?? (number > 1 << 40)
      if fits { return smallest(at: time) | low }
    }
    return smallest(at: created ?? seen) | low
  }

  /// Another key to try where `key` is taken: at random, since neighbours would be taken too where somebody chose the ids
  /// to be so. The first tries stay in the millisecond, later ones go on to those behind it, which may have more room.
  /// - Parameter tries: how many keys were taken.
  static func next(after key: Int, tries: Int) -> Int {
    let moment = tries % 16 == 0 ? key &+ 1 << lowBits : key
    return moment & ~lowMask | Int.random(in: 0...lowMask)
  }

  static func isSameMoment(_ one: Int, _ other: Int) -> Bool { one >> lowBits == other >> lowBits }

  private static func isSnowflake(_ service: UnsafeBufferPointer<UInt8>) -> Bool {
    service.elementsEqual("x".utf8) || service.elementsEqual("local".utf8)
  }

  /// FNV-1a, for ids that are no numbers: the same id always gets the same place.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
