import Services
import TweetCore

/// The integer key of a stored tweet: its time in the high bits; in the low bits a number that differs between tweets
/// of one millisecond. So the table and all its indexes are in the order of time, and lists need no sorting.
enum TweetKey {
  /// Bits below the milliseconds: as many as in X's ids, so tweets of one millisecond keep the order of their ids.
  private static let lowBits = 22
  private static let lowMask = 1 << lowBits - 1
  /// 2006-01-01T00:00:00Z, before the first tweet. Keys reach to 2075; older posts of other services have negative
  /// keys.
  private static let epoch = 1_136_073_600_000

  /// The smallest key of a time: each tweet that was posted at `time` or later has this key or a larger one.
  static func smallest(at time: Timestamp) -> Int {
    let milliseconds = min(max(Int(time.milliseconds) - epoch, -(1 << 41)), 1 << 41 - 1)
    return milliseconds << lowBits
  }

  /// SQL for the seconds from 1970 to the time of a key.
  static func seconds(_ key: String) -> String { "((\(key) >> \(lowBits)) + \(epoch)) / 1000" }

  /// The first key to try for a tweet. If another tweet has it, try ``next(after:tries:)``.
  /// - Parameters:
  ///   - created: when it was posted, if that is known.
  ///   - seen: the time to use if it is not.
  static func preferred(
    service: ByteView, id: ByteView, created: Timestamp?, seen: Timestamp
  ) -> Int {
    let number = Int(ascii: id)
    // The same id always gives the same key.
    let low = (number ?? Int(truncatingIfNeeded: fingerprint(id))) & lowMask
    if let number, number > 0, let time = Services.named(String(decoding: service, as: UTF8.self))?.time(ofPost: number)
    {
      // Services give the time in whole seconds; the id has the millisecond. Ids from before November 2010 have no
      // time: they do not agree with the given one. Without a given time, only a number larger than all of those is
      // used.
      let fits = created.map { 0..<1000 ~= time.milliseconds - $0.milliseconds } ?? (number > 1 << 40)
      if fits { return smallest(at: time) | low }
    }
    return smallest(at: created ?? seen) | low
  }

  /// The next key to try if another tweet has `key`. It is random: if a stranger chose the ids, the next numbers may
  /// all be in use. The first tries stay in the millisecond; every 16th goes on to the next one.
  /// - Parameter tries: how many keys were tried.
  static func next(after key: Int, tries: Int) -> Int {
    let moment = tries % 16 == 0 ? key &+ 1 << lowBits : key
    return moment & ~lowMask | Int.random(in: 0...lowMask)
  }

  static func isSameMoment(_ one: Int, _ other: Int) -> Bool { one >> lowBits == other >> lowBits }
}
