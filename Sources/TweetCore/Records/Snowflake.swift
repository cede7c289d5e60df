/// Ids that contain their time: milliseconds since X's epoch, above 22 bits that differ between machines and between
/// posts of one millisecond. X has assigned them since November 2010, tw-local always.
package enum Snowflake {
  /// 2010-11-04T01:42:54.657Z.
  private static let epoch: Int64 = 1_288_834_974_657
  private static let shift = 22
  /// The last millisecond that fits 63 bits, in 2080.
  private static let latest: Int64 = 1 << 41 - 1

  /// Whether ids contain that time: before the epoch they were plain numbers.
  package static func tells(of time: Timestamp) -> Bool { (0...latest).contains(time.milliseconds - epoch) }

  /// The smallest id that a post of that time can have; for a time that no id contains, that of the nearest time.
  package static func first(at time: Timestamp) -> Int {
    Int(min(latest, max(0, time.milliseconds - epoch))) << shift
  }

  /// The time at which the id was assigned.
  package static func time(of id: Int) -> Timestamp { Timestamp(milliseconds: Int64(id >> shift) + epoch) }
}
