/// Ids that tell when they were given out: milliseconds since X's epoch above 22 bits that tell machines and posts of one
/// millisecond apart (announced with the ids in 2010). X has given them out since then, tw-local always.
package enum Snowflake {
  /// 2010-11-04T01:42:54.657Z.
  private static let epoch: Int64 = 1_288_834_974_657
  private static let shift = 22
  /// What lies beyond 63 bits is centuries away.
  private static let latest: Int64 = 1 << 41 - 1

  /// Whether ids tell of that time: before the epoch they were plain numbers.
  package static func tells(of time: Timestamp) -> Bool { (0...latest).contains(time.milliseconds - epoch) }

  /// The smallest id that a post of that time can have; of times that no id tells of, what is nearest.
  package static func first(at time: Timestamp) -> Int {
    Int(min(latest, max(0, time.milliseconds - epoch))) << shift
  }

  /// When the id was given out.
  package static func time(of id: Int) -> Timestamp { Timestamp(milliseconds: Int64(id >> shift) + epoch) }
}
