import TweetCore

/// The rules of the filtered stream: those of the store, parsed once. Each belongs to an account or a program, and is
/// there for that alone.
struct FilterRules {
  private struct Entry {
    let rule: LocalStore.Rule
    let query: PostQuery
    /// From when on it is in force.
    let inForce: ContinuousClock.Instant
  }

  /// What becomes of a rule that somebody adds.
  enum Outcome {
    case added(LocalStore.Rule)
    /// Its owner has a rule of the same value.
    case duplicate(LocalStore.Rule)
    /// It is not a rule, for this reason.
    case invalid(String)
  }

  /// X's limits for self-serve accounts, here for each owner.
  static let most = 1000
  private static let longest = 1024

  private let store: LocalStore
  private let delay: Duration
  private var entries: [Entry] = []

  /// - Parameter delay: how long after it was added a rule takes effect; on X about 20 s. Those of the store are in
  ///   force.
  init(_ store: LocalStore, delay: Duration) throws(ToolError) {
    self.store = store
    self.delay = delay
    for rule in try store.rules() {
      // Rules are parsed before they are stored; only a rule of an older version can fail here, and is left out.
      if let query = try? QueryParser.parse(rule.value, as: .stream) {
        entries.append(Entry(rule: rule, query: query, inForce: .now))
      }
    }
  }

  /// All rules of an owner, in the order of their ids.
  func all(of owner: String) -> [LocalStore.Rule] { entries.map(\.rule).filter { $0.owner == owner } }

  private var inForce: [Entry] {
    let now = ContinuousClock.now
    return entries.filter { $0.inForce <= now }
  }

  /// Whether a stream of an owner has anything to wait for.
  func areInForce(of owner: String) -> Bool { inForce.contains { $0.rule.owner == owner } }

  /// The rules in force that a post matches, of all owners.
  func matching(_ post: SearchablePost) -> [LocalStore.Rule] { inForce.filter { $0.query.matches(post) }.map(\.rule) }

  /// Adds rules; or none, if there would be too many.
  /// - Parameter isDryRun: whether they are only checked.
  /// - Returns: what became of each.
  mutating func add(
    _ wanted: [(value: String, tag: String?)], of owner: String, isDryRun: Bool
  ) throws -> [Outcome] {
    let own = all(of: owner)
    var known = Dictionary(own.map { ($0.value, $0) }) { first, _ in first }
    var added: [Entry] = []
    var outcomes: [Outcome] = []
    for (value, tag) in wanted {
      if let existing = known[value] {
        outcomes.append(.duplicate(existing))
        continue
      }
      do throws(QueryParser.Fault) {
        let query = try Self.parse(value)
        let rule = LocalStore.Rule(id: store.newID(at: .now), value: value, tag: tag, owner: owner)
        known[value] = rule
        added.append(Entry(rule: rule, query: query, inForce: .now + delay))
        outcomes.append(.added(rule))
      } catch {
        outcomes.append(.invalid(error.message))
      }
    }
    guard own.count + added.count <= Self.most else {
      throw Problem.forbidden("Rule cap of \(Self.most) reached.")
    }
    if isDryRun { return outcomes }
    try store.write { () throws(ToolError) in
      for new in added { try store.add(new.rule) }
    }
    entries += added
    return outcomes
  }

  private static func parse(_ value: String) throws(QueryParser.Fault) -> PostQuery {
    guard value.unicodeScalars.count <= longest else {
      throw QueryParser.Fault(message: "Rules must be at most \(longest) characters long")
    }
    return try QueryParser.parse(value, as: .stream)
  }

  /// Removes the rules of these ids.
  mutating func remove(_ ids: [Int]) throws(ToolError) {
    try store.write { () throws(ToolError) in
      for id in ids { try store.removeRule(id) }
    }
    entries.removeAll { ids.contains($0.rule.id) }
  }
}
