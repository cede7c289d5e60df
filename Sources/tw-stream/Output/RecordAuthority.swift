import TweetCore
import TweetServices

/// Decides which records a plugin or a capture may bring (tweet(5), "Authority"): those that concern the one service
/// that the `context` before them names. A plugin has one service for its whole run.
struct RecordAuthority {
  private struct Context: Equatable {
    var service: String
    var base: String?
    var account: String?
  }

  /// The SOURCE of a plugin; `nil` for a capture, whose contexts tw-stream has written.
  private let feed: String?
  private let isKnown: @Sendable (String) -> Bool
  /// What the lines that come next are of; `nil` before the first context of a capture.
  private var context: Context?
  /// Whether a plugin has said what its service is, or has printed something without that.
  private var isFixed = false
  /// The services of a capture so far.
  private var services: Set<String> = []

  /// The authority of a capture.
  static var ofCapture: RecordAuthority { RecordAuthority(feed: nil, isKnown: { _ in true }, context: nil) }

  private init(feed: String?, isKnown: @escaping @Sendable (String) -> Bool, context: Context?) {
    (self.feed, self.isKnown, self.context) = (feed, isKnown, context)
  }

  /// - Parameters:
  ///   - name: the plugin's, which is its service as long as it names no other.
  ///   - feed: the SOURCE.
  ///   - isKnown: whether the kit itself knows a service of that name.
  init(ofPlugin name: String, feed: String, isKnown: @escaping @Sendable (String) -> Bool) {
    self.init(feed: feed, isKnown: isKnown, context: Context(service: name))
  }

  /// Milliseconds that the clock of a plugin may be ahead.
  private static let fastest: Int64 = 300_000
  /// What a plugin prints beside raw messages.
  private static let pluginTypes: Set = [
    "context", "tweet", "user", "delete", "notification", "notice", "refresh", "checkpoint",
  ]
  /// What the kit itself writes into a tweet.
  private static let ownNames: [StaticString] = ["feeds", "retrieved_at", "viewer", "viewers", "deleted_at"]

  /// Judges a line, after those before it.
  ///
  /// - Returns: why it must not be passed on; `nil` if it may be.
  mutating func fault(in line: JSONValue, _ contents: LineContents) -> String? {
    if contents.isUnclear { return "a record whose type is not clear" }
    guard let type = contents.record else {
      isFixed = true
      return nil
    }
    if line.members.contains(where: { $0.key.rawString.contains(UInt8(ascii: "\\")) }) {
      return "a '\(type)' record with a name that is spelled with escapes"
    }
    if ["service", "feed"].contains(where: { name in line.members.count { $0.key.spells(name) } > 1 }) {
      return "a '\(type)' record of two services or feeds"
    }
    return feed.map { fault(inRecord: line, type, ofPlugin: $0) } ?? fault(inCaptured: line, type)
  }

  // MARK: Captures

  private mutating func fault(inCaptured line: JSONValue, _ type: String) -> String? {
    let service = line["service"]?.string
    switch type {
    case "context", "query":
      context = service.map { Context(service: $0) }
      if let service { services.insert(service) }
      return nil
    case "checkpoint":
      return services.isEmpty || services.contains(service ?? "") ? nil : "a checkpoint of a service without a context"
    case "tweet", "user", "delete", "notification":
      return context.flatMap { Self.fault(inPost: line, type, of: $0.service) }
    default: return nil
    }
  }

  // MARK: Plugins

  private mutating func fault(inRecord line: JSONValue, _ type: String, ofPlugin feed: String) -> String? {
    guard Self.pluginTypes.contains(type) else { return "a '\(type)' record, which no plugin may print" }
    if let name = line["feed"], type != "checkpoint", !name.isString || name.string != feed {
      return "a '\(type)' record of another feed than '\(feed)'"
    }
    if type == "context" { return fault(inContext: line) }
    let service = context?.service ?? ""
    if type != "notice" { isFixed = true }
    switch type {
    case "tweet", "user", "delete", "notification": return Self.fault(inPost: line, type, of: service, isPlugin: true)
    case "notice":
      guard let named = line["service"], named.string != service else { return nil }
      return "a notice of another service than '\(service)'"
    default: return nil
    }
  }

  private mutating func fault(inContext line: JSONValue) -> String? {
    let named = line["service"]?.nonEmptyString ?? context?.service ?? ""
    let new = Context(service: named, base: line["base"]?.string, account: line["account"]?.string)
    if let at = line["at"]?.string.flatMap({ Timestamp(parsing: $0) }),
      at.milliseconds > Timestamp.now.milliseconds + Self.fastest
    {
      return "a 'context' record of the future"
    }
    if isFixed, new == context { return nil }
    if isFixed { return "a 'context' record that is not that of '\(context?.service ?? "")' before" }
    // Such a service has a server of its own, which the plugin must have asked.
    if isKnown(named), !named.hasSuffix(":" + Self.host(of: new.base ?? "")) {
      return "a 'context' record of '\(named)', which the kit reads itself, and not at its 'base'"
    }
    (context, isFixed) = (new, true)
    return nil
  }

  /// The host of an address in lower case, with its port.
  private static func host(of address: String) -> Substring {
    let parts = address.lowercased().split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 2 && parts[1].isEmpty ? parts[2] : ""
  }

  // MARK: Posts

  /// - Parameter isPlugin: whether a plugin brings it, which must name its service, and must not say what the kit says.
  private static func fault(
    inPost post: JSONValue, _ type: String, of service: String, isPlugin: Bool = false, depth: Int = 0
  ) -> String? {
    if let named = post["service"] {
      if named.string != service { return "a '\(type)' record of another service than '\(service)'" }
    } else if isPlugin, depth == 0 {
      return "a '\(type)' record without 'service'"
    }
    if isPlugin, let name = ownNames.first(where: { post[$0] != nil }) {
      return "a '\(type)' record with '\(name)', which only the kit knows"
    }
    let inner = [post["tweet"], post["user"]].compactMap { $0 } + post.list("referenced_tweets")
    return inner.lazy.compactMap { fault(inPost: $0, type, of: service, isPlugin: isPlugin, depth: depth + 1) }.first
  }
}
