import TweetCore
import TweetServices
import TweetSources

extension FeedWriter {
  /// Notes what must be known of a source before its lines are written: a plugin's service is called as the plugin,
  /// until the plugin says more.
  mutating func note(_ source: Source) {
    if case .plugin(let name, _) = source { note(service: name, of: source.feed) }
  }
}

extension RoundOptions {
  /// What a plugin is told by its environment, as tw-source(7) has it; what was not asked for is taken out.
  ///
  /// - Parameter count: how many posts are wanted at most.
  func variables(for source: Source, count: Int?) -> [String: String?] {
    [
      "TW_FEED": source.feed,
      "TW_ONCE": once ? "1" : nil,
      "TW_EVERY": every.map(seconds),
      "TW_SINCE_ID": sinceId,
      "TW_UNTIL_ID": untilId,
      "TW_SINCE": since?.rfc3339,
      "TW_UNTIL": until?.rfc3339,
      "TW_ALL": all ? "1" : nil,
      "TW_PAGES": pages.map(String.init),
      "TW_COUNT": count.map(String.init),
    ]
  }
}
