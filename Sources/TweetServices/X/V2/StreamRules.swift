package import TweetCore
package import TweetNet

/// The rules that stand behind the feeds of a stream: which are to be added, which are ours to remove, and which feed a
/// message belongs to.
package struct StreamRules: Sendable {
  /// A rule and the feed its matches go to.
  package struct Wanted: Sendable {
    package let value: String
    package let feed: String
    package let tag: RuleTag

    package init(hashtag: String) {
      value = "#\(hashtag)"
      feed = value
      tag = RuleTag(feed: feed)
    }
  }

  package private(set) var wanted: [Wanted]
  /// Wanted rules that the service was not yet asked for, or lost.
  package private(set) var missing: [Wanted]
  /// Rules that were there already and may have another owner.
  package private(set) var unclear: [String] = []
  /// Rules of ours that nobody wants any more.
  package private(set) var obsolete: [String] = []
  /// When one was added last.
  package private(set) var addedAt: Timestamp?
  /// Feeds by rule id.
  private var feeds: [String: String] = [:]
  /// Rules this process has to remove again.
  private var own: Set<String> = []
  /// Rules of others that were told of.
  private var told: Set<String> = []
  /// What rules say that others had removed, and that were added again since ``takeGone()``.
  private var gone: [String] = []

  package init(_ wanted: [Wanted]) {
    self.wanted = wanted
    missing = wanted
  }

  /// All rules this process has to remove.
  package var ownIDs: [String] { own.sorted() }

  /// Takes the answer to adding some of the missing rules.
  ///
  /// - Returns: what the service says where it refuses one.
  package mutating func added(_ response: HTTPResponse) -> ServiceProblem? {
    guard let document = try? JSONDocument(response.body) else { return ServiceProblem(response) }
    var known: [String: String] = [:]
    for rule in missing { known[rule.value] = rule.feed }
    var found: Set<String> = []
    func take(_ rule: JSONValue) -> String? {
      guard let id = rule["id"]?.identifier, let value = rule["value"]?.string, let feed = known[value] else {
        return nil
      }
      if feeds[id] == nil, let old = feeds.first(where: { $0.value == feed })?.key, told.contains(old) {
        gone.append(value)
        feeds[old] = nil
      }
      feeds[id] = feed
      found.insert(value)
      obsolete.removeAll { $0 == id }
      return id
    }
    for rule in document.root.list("data") {
      guard let id = take(rule) else { continue }
      own.insert(id)
      addedAt = .now
    }
    for rule in document.root.list("errors") {
      guard let id = take(rule) else { continue }
      if !own.contains(id) { unclear.append(id) }
    }
    missing.removeAll { found.contains($0.value) }
    return found.isEmpty ? ServiceProblem(response) : nil
  }

  /// A rule that was there already, as its tag tells.
  package enum Shared: Sendable, Equatable {
    /// Another living program of the kit, on this machine or elsewhere, streams the same.
    case secondInstance(value: String, RuleTag)
    /// Somebody else's.
    case others(value: String)
  }

  /// Takes the list of some rules that were there already: those left behind by a program of the kit become ours.
  ///
  /// - Parameter ids: the rules that were asked for.
  /// - Returns: rules that others look after, and may take away.
  package mutating func listed(_ response: HTTPResponse, ids: [String]) -> [Shared] {
    var shared: [Shared] = []
    if let document = try? JSONDocument(response.body) {
      for rule in document.root.list("data") {
        guard let id = rule["id"]?.identifier, ids.contains(id) else { continue }
        let value = rule["value"]?.string ?? id
        switch rule["tag"]?.string.flatMap({ RuleTag($0) }) {
        case let tag? where tag.isLeftBehind: own.insert(id)
        case let tag?: if told.insert(id).inserted { shared.append(.secondInstance(value: value, tag)) }
        case nil: if told.insert(id).inserted { shared.append(.others(value: value)) }
        }
      }
    }
    unclear.removeAll { ids.contains($0) }
    return shared
  }

  /// Other rules are wanted. Those of ours that are not wanted any more become obsolete.
  package mutating func replace(with wanted: [Wanted]) {
    self.wanted = wanted
    let kept = Set(wanted.map(\.feed))
    obsolete += feeds.filter { !kept.contains($0.value) && own.contains($0.key) }.keys.sorted()
    feeds = feeds.filter { kept.contains($0.value) }
    let there = Set(feeds.values)
    missing = wanted.filter { !there.contains($0.feed) }
    unclear.removeAll { feeds[$0] == nil }
  }

  /// Rules were deleted, or are gone.
  package mutating func deleted(_ ids: [String]) {
    own.subtract(ids)
    obsolete.removeAll { ids.contains($0) }
  }

  /// The service says that there are no rules: all are to be added again.
  package mutating func forget() {
    feeds = [:]
    unclear = []
    missing = wanted
  }

  /// Rules that were found removed.
  package mutating func takeGone() -> [String] {
    defer { gone = [] }
    return gone
  }

  /// Others may have removed the rules that we share with them: those are to be added again, and are known until then.
  package mutating func doubt() {
    let sure = Set(feeds.filter { own.contains($0.key) }.values)
    missing = wanted.filter { !sure.contains($0.feed) }
  }

  /// The feed a message belongs to: that of the first matching rule of ours. A message without matching rules is taken
  /// as the first feed's, one that matched only the rules of others as nobody's.
  package func feed(of message: JSONValue) -> String? {
    guard let matching = message["matching_rules"], matching.isArray else { return wanted.first?.feed }
    for rule in matching.elements {
      // The id is a string now and was a number in 2021.
      if let id = rule["id"], let feed = feed(ofRule: id) { return feed }
    }
    return matching.isEmpty ? wanted.first?.feed : nil
  }

  private func feed(ofRule id: JSONValue) -> String? {
    // Of one rule nothing has to be looked up.
    if feeds.count == 1, let only = feeds.first, id.rawString.elementsEqual(only.key.utf8) { return only.value }
    return id.identifier.flatMap { feeds[$0] }
  }
}

extension JSONValue {
  /// An id, whether it is sent as a string or as a number.
  fileprivate var identifier: String? { string ?? integer.map { String($0) } }
}
