import Libc
package import TweetCore
package import TweetNet

/// The rules of a stream's feeds: which are to be added, which this program has to remove, and which feed a message belongs
/// to.
package struct StreamRules: Sendable {
  /// A rule that is wanted, and the feed that its matches belong to.
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
  /// Wanted rules that the service was not yet asked for, or has lost.
  package private(set) var missing: [Wanted]
  /// Ids of rules that were there already and may have another owner.
  package private(set) var unclear: [String] = []
  /// Ids of rules that this process added and that are not wanted any more.
  package private(set) var obsolete: [String] = []
  /// When one was added last.
  package private(set) var addedAt: Timestamp?
  /// Feeds by rule id.
  private var feeds: [String: String] = [:] {
    didSet { only = feeds.count == 1 ? feeds.first.map { (Array($0.key.utf8), $0.value) } : nil }
  }
  /// The only rule, if there is one: comparing its id is faster than a look-up.
  private var only: (id: [UInt8], feed: String)?
  /// Ids of rules that this process has to remove again.
  private var own: Set<String> = []
  /// Ids of rules of others that were reported.
  private var shared: Set<String> = []
  /// Values of rules that others removed and that were added again since ``removeReplaced()``.
  private var replaced: [String] = []

  package init(_ wanted: [Wanted]) {
    self.wanted = wanted
    missing = wanted
  }

  /// Ids of all rules that this process has to remove.
  package var ownIDs: [String] { own.sorted() }

  /// Records the answer to adding some of the missing rules.
  ///
  /// - Returns: what the service says if it accepts none.
  package mutating func recordAdded(_ response: HTTPResponse) -> ServiceProblem? {
    guard let document = try? JSONDocument(response.body) else { return ServiceProblem(response) }
    var known: [String: String] = [:]
    for rule in missing { known[rule.value] = rule.feed }
    var found: Set<String> = []
    func record(_ rule: JSONValue) -> String? {
      guard let id = rule["id"]?.identifier, let value = rule["value"]?.string, let feed = known[value] else {
        return nil
      }
      if feeds[id] == nil, let old = feeds.first(where: { $0.value == feed })?.key, shared.contains(old) {
        replaced.append(value)
        feeds[old] = nil
      }
      feeds[id] = feed
      found.insert(value)
      obsolete.removeAll { $0 == id }
      return id
    }
    for rule in document.root.list("data") {
      guard let id = record(rule) else { continue }
      own.insert(id)
      addedAt = .now
    }
    for rule in document.root.list("errors") {
      guard let id = record(rule) else { continue }
      if !own.contains(id) { unclear.append(id) }
    }
    missing.removeAll { found.contains($0.value) }
    return found.isEmpty ? ServiceProblem(response) : nil
  }

  /// Whose a rule is that was there already, as its tag says.
  package enum Shared: Sendable, Equatable {
    /// Another living program of the kit, on this machine or elsewhere, streams the same.
    case secondInstance(value: String, RuleTag)
    /// Not made by the kit.
    case others(value: String)
  }

  /// Records the list of some rules that were there already: this process removes those that a killed program of the kit left behind.
  ///
  /// - Parameter ids: the rules that were asked for.
  /// - Returns: rules whose owners may remove them, those that were not returned before.
  package mutating func recordListed(_ response: HTTPResponse, ids: [String]) -> [Shared] {
    var found: [Shared] = []
    if let document = try? JSONDocument(response.body) {
      for rule in document.root.list("data") {
        guard let id = rule["id"]?.identifier, ids.contains(id) else { continue }
        let value = rule["value"]?.string ?? id
        switch rule["tag"]?.string.flatMap({ RuleTag($0) }) {
        case let tag? where tag.isLeftBehind: own.insert(id)
        case let tag?: if shared.insert(id).inserted { found.append(.secondInstance(value: value, tag)) }
        case nil: if shared.insert(id).inserted { found.append(.others(value: value)) }
        }
      }
    }
    unclear.removeAll { ids.contains($0) }
    return found
  }

  /// Changes what is wanted. Rules of this process that are not wanted any more become obsolete.
  package mutating func replace(with wanted: [Wanted]) {
    self.wanted = wanted
    let kept = Set(wanted.map(\.feed))
    obsolete += feeds.filter { !kept.contains($0.value) && own.contains($0.key) }.keys.sorted()
    feeds = feeds.filter { kept.contains($0.value) }
    let there = Set(feeds.values)
    missing = wanted.filter { !there.contains($0.feed) }
    unclear.removeAll { feeds[$0] == nil }
  }

  /// Records that rules are deleted.
  package mutating func recordDeleted(_ ids: [String]) {
    own.subtract(ids)
    obsolete.removeAll { ids.contains($0) }
  }

  /// Records that rules could not be deleted now. They are deleted at the end, with all of this process.
  package mutating func postponeDeletion(_ ids: [String]) { obsolete.removeAll { ids.contains($0) } }

  /// Records that the service has no rules: all are to be added again.
  package mutating func forgetAll() {
    feeds = [:]
    unclear = []
    missing = wanted
  }

  /// Removes and returns the values of rules that others removed and that were added again.
  package mutating func removeReplaced() -> [String] {
    defer { replaced = [] }
    return replaced
  }

  /// Records that others may have removed rules of theirs that we use: those are to be added again. Until then messages
  /// that match them are still ours.
  package mutating func invalidateShared() {
    let ownFeeds = Set(feeds.filter { own.contains($0.key) }.values)
    missing = wanted.filter { !ownFeeds.contains($0.feed) }
  }

  /// The feed a message belongs to: that of the first matching rule that is wanted. A message without matching rules
  /// belongs to the first feed.
  ///
  /// - Returns: `nil` for a message that matches only rules of others.
  package func feed(of message: JSONValue) -> String? {
    guard let matching = message["matching_rules"], matching.isArray else { return wanted.first?.feed }
    for rule in matching.elements {
      // The id is a string now and was a number in 2021.
      if let id = rule["id"], let feed = feed(ofRule: id) { return feed }
    }
    return matching.isEmpty ? wanted.first?.feed : nil
  }

  private func feed(ofRule id: JSONValue) -> String? {
    if let only {
      let raw = id.rawString
      if raw.count == only.id.count, let start = raw.baseAddress, memcmp(start, only.id, raw.count) == 0 {
        return only.feed
      }
    }
    return id.identifier.flatMap { feeds[$0] }
  }
}

extension JSONValue {
  /// An id, whether it is sent as a string or as a number.
  fileprivate var identifier: String? { string ?? integer.map { String($0) } }
}
