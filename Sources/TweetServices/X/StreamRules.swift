package import TweetCore
package import TweetNet

/// The rules that stand behind the feeds of a stream: which are ours to remove, and which feed a message belongs to.
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

  package let wanted: [Wanted]
  /// Feeds by rule id.
  private var feeds: [String: String] = [:]
  /// Rules this process has to remove again.
  package private(set) var ownIDs: [String] = []
  /// Rules that were there already and may have another owner.
  package private(set) var unclear: [String] = []

  package init(_ wanted: [Wanted]) { self.wanted = wanted }

  /// Whether every feed has its rule.
  package var isComplete: Bool { wanted.allSatisfy { rule in feeds.values.contains(rule.feed) } }

  /// Takes the answer to adding all wanted rules.
  ///
  /// - Returns: what the service says where it refuses one.
  package mutating func added(_ response: HTTPResponse) -> ServiceProblem? {
    feeds = [:]
    unclear = []
    guard let document = try? JSONDocument(response.body) else { return ServiceProblem(response) }
    for rule in document.root.list("data") {
      guard let id = rule["id"]?.identifier, let feed = feed(ofValue: rule["value"]?.string) else { continue }
      feeds[id] = feed
      if !ownIDs.contains(id) { ownIDs.append(id) }
    }
    for error in document.root.list("errors") {
      guard let id = error["id"]?.identifier, let feed = feed(ofValue: error["value"]?.string) else { continue }
      feeds[id] = feed
      if !ownIDs.contains(id) { unclear.append(id) }
    }
    return isComplete ? nil : ServiceProblem(response)
  }

  /// Takes the list of the rules that were there already: those left behind by a program of the kit become ours.
  ///
  /// - Returns: the values of rules that others look after, and may take away.
  package mutating func listed(_ response: HTTPResponse) -> [String] {
    var others: [String] = []
    if let document = try? JSONDocument(response.body) {
      for rule in document.root.list("data") {
        guard let id = rule["id"]?.identifier, unclear.contains(id) else { continue }
        if let tag = rule["tag"]?.string.flatMap({ RuleTag($0) }), tag.isLeftBehind {
          ownIDs.append(id)
        } else {
          others.append(rule["value"]?.string ?? id)
        }
      }
    }
    unclear = []
    return others
  }

  /// The feed a message belongs to: that of the first matching rule of ours. A message without matching rules is taken
  /// as the first feed's, one that matched only the rules of others as nobody's.
  package func feed(of message: JSONValue) -> String? {
    guard let matching = message["matching_rules"], matching.isArray else { return wanted.first?.feed }
    for rule in matching.elements {
      // The id is a string now and was a number in 2021.
      if let id = rule["id"]?.identifier, let feed = feeds[id] { return feed }
    }
    return matching.isEmpty ? wanted.first?.feed : nil
  }

  private func feed(ofValue value: String?) -> String? {
    wanted.first { $0.value == value }?.feed
  }
}

extension JSONValue {
  /// An id, whether it is sent as a string or as a number.
  fileprivate var identifier: String? { string ?? integer.map { String($0) } }
}
