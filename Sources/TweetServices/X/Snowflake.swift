import TweetCore

/// Ids that tell when they were given out: milliseconds since X's epoch above 22 bits that tell machines and posts of
/// one millisecond apart. X has given them out since its epoch, tw-local always.
enum Snowflake {
  /// 2010-11-04T01:42:54.657Z.
  private static let epoch: Int64 = 1_288_834_974_657
  private static let shift = 22

  /// The smallest id that a post of that time can have; `nil` for times when ids were plain numbers.
  static func first(at time: Timestamp) -> Int? {
    let age = time.milliseconds - epoch
    // What lies beyond 63 bits is centuries away.
    guard age >= 0, age < 1 << 41 else { return nil }
    return Int(age) << shift
  }
}
