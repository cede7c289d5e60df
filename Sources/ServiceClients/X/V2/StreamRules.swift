import Libc
package import TweetCore
package import TweetNet
package import TweetServices

/// The rules of a stream's feeds: which are at the service, which are to be added, which this program has to remove,
/// and which feed a message belongs to.
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

  /// Pages of a list; a thousand rules are one.
  private static let mostPages = 100

  package private(set) var wanted: [Wanted]
  /// Wanted rules that the service was not yet asked for, or has lost.
  package private(set) var missing: [Wanted]
  /// Ids of rules that this process added and that are not wanted any more.
  package private(set) var obsolete: [String] = []
  /// When one was added last.
  package private(set) var addedAt: Timestamp?
  /// Whether the rules at the service are to be listed.
  package private(set) var isListDue = true
  /// The page token of the list's next page.
  package var listToken: String? { list.token }
  private var list = List()
  /// Feeds by rule id.
  private var feeds: [String: String] = [:] {
    didSet { only = feeds.count == 1 ? feeds.first.map { (Array($0.key.utf8), $0.value) } : nil }
  }
  /// The only rule, if there is one: comparing its id is faster than a look-up.
  private var only: (id: [UInt8], feed: String)?
  /// Ids of rules that this process has to remove again.
  private var own: Set<String> = []
  /// Ids of rules of others that were reported.
  private var told: Set<String> = []
  /// Ids of rules that the service refused to add since they are there. A list that was made before does not know them.
  private var refused: Set<String> = []
  /// Feeds whose rule others removed, and which have another one since ``removeReplaced()``.
  private var replaced: [String] = []

  /// The pages of a list that have come.
  private struct List {
    var rules: [(id: String, value: String, tag: RuleTag?)] = []
    var token: String?
    var pages = 0
  }

  package init(_ wanted: [Wanted]) {
    self.wanted = wanted
    missing = wanted
  }

  /// Ids of all rules that this process has to remove.
  package var ownIDs: [String] { own.sorted() }

  /// Takes a rule at the service for that of a feed.
  private mutating func assign(_ id: String, to feed: String) {
    for (old, _) in feeds.filter({ $0.value == feed && $0.key != id }) {
      feeds[old] = nil
      own.remove(old)
      replaced.append(feed)
    }
    feeds[id] = feed
    obsolete.removeAll { $0 == id }
  }

  /// Records the answer to adding some of the missing rules.
  ///
  /// - Returns: what the service says if it accepts none.
  package mutating func recordAdded(_ response: HTTPResponse) -> ServiceProblem? {
    guard let document = try? JSONDocument(response.body) else { return ServiceProblem(response) }
    var known: [String: String] = [:]
    for rule in missing { known[rule.value] = rule.feed }
    var found: Set<String> = []
    func record(_ rule: JSONDocument) -> String? {
      guard let id = rule["id"]?.identifier, let value = rule["value"]?.string, let feed = known[value] else {
        return nil
      }
      assign(id, to: feed)
      found.insert(value)
      return id
    }
    for rule in document.list("data") {
      guard let id = record(rule) else { continue }
      own.insert(id)
      addedAt = .now
    }
    for rule in document.list("errors") {
      guard let id = record(rule) else { continue }
      refused.insert(id)
      // The list says whose it is.
      isListDue = true
    }
    missing.removeAll { found.contains($0.value) }
    return found.isEmpty ? ServiceProblem(response) : nil
  }

  /// What a list shows that a person should know, each once.
  package enum Finding: Sendable, Equatable {
    /// Another living program of the kit, on this machine or elsewhere, streams the same.
    case secondInstance(value: String, RuleTag)
    /// A wanted rule that the kit did not make.
    case shared(value: String)
    /// Rules that nobody wants here: the stream brings their posts too.
    case foreign(values: [String])
  }

  /// Records that the rules at the service may have changed.
  package mutating func invalidate() { (isListDue, list) = (true, List()) }

  /// Records a page of the list of all rules. With the last one it is known which are missing, and which a killed
  /// program of the kit left behind, which this process removes.
  ///
  /// - Returns: `nil` if the answer is not a list.
  package mutating func recordListed(_ response: HTTPResponse) -> [Finding]? {
    guard let document = try? JSONDocument(response.body) else { return nil }
    guard document["data"] ?? document["meta"] != nil else { return nil }
    for rule in document.list("data") {
      guard let id = rule["id"]?.identifier, let value = rule["value"]?.string else { continue }
      list.rules.append((id, value, rule["tag"]?.string.flatMap { RuleTag($0) }))
    }
    let next = document["meta"]?["next_token"]?.string
    list.pages += 1
    if let next, next != list.token, list.pages < Self.mostPages {
      list.token = next
      return []
    }
    defer { (isListDue, list, refused) = (false, List(), []) }
    return compare(list.rules)
  }

  private mutating func compare(_ rules: [(id: String, value: String, tag: RuleTag?)]) -> [Finding] {
    let known = Dictionary(wanted.map { ($0.value, $0) }) { first, _ in first }
    var (found, foreign): ([Finding], [String]) = ([], [])
    var present = Set(feeds.filter { refused.contains($0.key) }.values)
    for rule in rules {
      guard let wanted = known[rule.value] else {
        if !own.contains(rule.id), told.insert(rule.id).inserted { foreign.append(rule.value) }
        continue
      }
      assign(rule.id, to: wanted.feed)
      present.insert(wanted.feed)
      switch rule.tag {
      case let tag? where tag == wanted.tag || tag.isLeftBehind: own.insert(rule.id)
      case let tag?: if told.insert(rule.id).inserted { found.append(.secondInstance(value: rule.value, tag)) }
      case nil: if told.insert(rule.id).inserted { found.append(.shared(value: rule.value)) }
      }
    }
    missing = wanted.filter { !present.contains($0.feed) }
    return found + (foreign.isEmpty ? [] : [.foreign(values: foreign)])
  }

  /// Changes what is wanted. Rules of this process that are not wanted any more become obsolete.
  package mutating func replace(with wanted: [Wanted]) {
    self.wanted = wanted
    let kept = Set(wanted.map(\.feed))
    obsolete += feeds.filter { !kept.contains($0.value) && own.contains($0.key) }.keys.sorted()
    feeds = feeds.filter { kept.contains($0.value) }
    let there = Set(feeds.values)
    missing = wanted.filter { !there.contains($0.feed) }
  }

  /// Records that rules are deleted.
  package mutating func recordDeleted(_ ids: [String]) {
    own.subtract(ids)
    obsolete.removeAll { ids.contains($0) }
  }

  /// Records that rules could not be deleted now. They are deleted at the end, with all of this process.
  package mutating func postponeDeletion(_ ids: [String]) { obsolete.removeAll { ids.contains($0) } }

  /// Removes and returns the feeds whose rule others removed, and which have another one now.
  package mutating func removeReplaced() -> [String] {
    defer { replaced = [] }
    return replaced
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
    if matching.isEmpty { return wanted.first?.feed }
    // On an open connection, a rule that is being added may match before the answer says its id.
    let tags = matching.elements.compactMap { $0["tag"]?.string }
    return wanted.first { tags.contains($0.tag.text) }?.feed
  }

  private func feed(ofRule id: JSONValue) -> String? {
    if let only {
      if only.id.withBytes({ $0 == id.rawString }) { return only.feed }
    }
    return id.identifier.flatMap { feeds[$0] }
  }
}

extension JSONValue {
  /// An id, whether it is sent as a string or as a number.
  fileprivate var identifier: String? { string ?? integer.map { String($0) } }
}
