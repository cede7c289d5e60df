import TweetCore

/// The notifications that were shown last: one that comes again is not shown again.
struct ShownNotifications {
  private var keys = RecentKeys(capacity: 20_000)
  private var key: [UInt8] = []

  /// What is wrong with a notification; `nil` for nothing.
  func fault(in notification: JSONValue) -> String? {
    notification["id"]?.isString == true && notification["kind"]?.isString == true
      ? nil : "a notification without id and kind"
  }

  /// Remembers a notification. Returns whether it was not shown before.
  mutating func insert(_ notification: JSONValue) -> Bool {
    key.removeAll(keepingCapacity: true)
    for value in [notification["service"], notification["account"], notification["id"]] {
      key.append(0)
      if let value { key += value.rawString }
    }
    return key.withBytes { keys.insert($0) }
  }
}
