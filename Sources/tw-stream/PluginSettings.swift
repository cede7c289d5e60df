import Services
import TweetCore
import TweetServices

extension FeedWriter {
  /// Sets the service of a plugin's source to the plugin's name; the plugin's own `context` may say more.
  mutating func setService(of source: Source) {
    if case .plugin(let name, _) = source { setService(name, of: source.feed) }
  }

  /// Writes the `context` of a source.
  ///
  /// - Parameter access: of its service, if that is not the run's own.
  mutating func writeContext(of source: Source, _ access: ServiceAccess?) throws(ToolError) {
    try with(access) { (writer) throws(ToolError) in try writer.writeContext(of: source.own.feed) }
  }

  mutating func writeQuery(_ feed: String, _ access: ServiceAccess?) throws(ToolError) {
    try with(access) { (writer) throws(ToolError) in try writer.writeQuery(feed) }
  }

  /// Writes as of another service.
  ///
  /// - Parameter access: of that service; `nil` for the run's own.
  mutating func with(
    _ access: ServiceAccess?, _ body: (inout FeedWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard let access else { return try body(&self) }
    let usual = turn(to: access)
    defer { _ = turn(to: usual) }
    try body(&self)
  }
}

extension PollOptions {
  /// The options as variables of a plugin's environment (tw-source(7)); those not given are removed from it, also from
  /// the environment of a plugin that starts another tw-stream.
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
