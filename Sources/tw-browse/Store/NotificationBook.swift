import TweetCore
import TweetStore

/// Which notifications a list has.
struct NotificationChoice: Sendable {
  /// The service, or the one whose servers all are meant, such as `mastodon`; `nil` for all.
  let service: String?
  /// What the person does not want to see.
  let hidden: HiddenTweets

  /// Whether a record is one of them.
  func includes(_ record: JSONValue) -> Bool {
    var muted = 0
    if hidden.hides(record, &muted) { return false }
    guard let service else { return true }
    let own = record["service"]?.string ?? ""
    return own == service || own.hasPrefix(service + ":")
  }
}

/// The notifications that lists show, the newest two thousand: the store reads them in the order of time and knows none
/// by a key.
struct NotificationBook {
  private static let most = 2_000
  /// A key has the milliseconds of the notification's time above these bits, and tells those of one millisecond apart
  /// by them.
  private static let lowBits = 20

  private var records: [Int: [UInt8]] = [:]

  /// Whether a key is one of a notification. Tweets have larger ones, and the order of both is that of time.
  static func isKey(_ key: Int) -> Bool { key < -(1 << 61) }

  /// The same notification has the same key the next time, too: places are kept by them.
  private static func key(_ record: JSONValue) -> Int? {
    guard let time = record["at"].flatMap({ Timestamp(ascii: $0.rawString) }) else { return nil }
    var name: [UInt8] = []
    for part in [record["service"], record["account"], record["id"]] { if let part { name += part.rawString + [0] } }
    let moment = Int(min(max(time.milliseconds, 0), 1 << 41)) << lowBits
    return -(1 << 62) + moment + Int(fingerprint(name) & (1 << lowBits - 1))
  }

  /// After this many that are known, the next ones count as known too: few come late.
  private static let manyKnown = 100

  /// Reads those of a list.
  /// - Parameter isNew: whether only those are wanted that no list has had.
  /// - Returns: their keys, the newest first.
  mutating func read(
    _ choice: NotificationChoice, isNew: Bool = false, from store: borrowing TweetStore
  ) throws(ToolError) -> [Int] {
    var known = 0
    var found: [(key: Int, record: [UInt8])] = []
    // Damaged ones are left out here and named by 'tw-cache check'.
    _ = try store.forEachNotification(NotificationQuery()) { (record) throws(ToolError) in
      guard let document = try? JSONDocument(record) else { return true }
      guard let key = document.read({ choice.includes($0) ? Self.key($0) : nil }) else { return true }
      if isNew, records[key] != nil {
        known += 1
        return known < Self.manyKnown
      }
      found.append((key, record))
      return found.count < Self.most
    }
    for (key, record) in found { records[key] = record }
    return Array(Set(found.map(\.key))).sorted(by: >)
  }

  /// The record of a key; no bytes for one that is not there.
  func record(_ key: Int) -> ReadRecord { ReadRecord(key: key, bytes: records[key] ?? [], isUnread: false) }
}
