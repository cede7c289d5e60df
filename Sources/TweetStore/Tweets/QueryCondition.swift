import SQLite

/// What a list asks of each tweet.
indirect enum QueryCondition {
  case filter(Filter)
  /// What no index is for: a condition on `tweets t`, with the value of its one parameter, which `%` stands for, or
  /// without.
  case sql(String, SQLValue?)
  case all([QueryCondition])
  case any([QueryCondition])
  case not(QueryCondition)

  /// What no tweet meets.
  static var nothing: QueryCondition { .any([]) }

  var isNothing: Bool { if case .any(let parts) = self { parts.isEmpty } else { false } }
  private var isEverything: Bool { if case .all(let parts) = self { parts.isEmpty } else { false } }

  /// The same condition with fewer parts: what no tweet meets, or every one, goes; so do conditions of one part. Those
  /// on words become one question to the full-text index, which can lead a list.
  var simplified: QueryCondition {
    switch self {
    case .filter, .sql: return self
    case .not(let part):
      let part = part.simplified
      if case .not(let inner) = part { return inner }
      return part.isNothing ? .all([]) : part.isEverything ? .nothing : .not(part)
    case .all(let parts):
      var found: [QueryCondition] = []
      for part in parts.map(\.simplified) {
        if part.isNothing { return .nothing }
        if case .all(let inner) = part { found += inner } else { found.append(part) }
      }
      found = Self.joined(found)
      return found.count == 1 ? found[0] : .all(found)
    case .any(let parts):
      var found: [QueryCondition] = []
      for part in parts.map(\.simplified) {
        if part.isEverything { return part }
        if case .any(let inner) = part { found += inner } else { found.append(part) }
      }
      let matches = found.compactMap(\.match)
      if matches.count > 1 {
        found.removeAll { $0.match != nil }
        found.append(.filter(Filter(match: matches.map { "(\($0))" }.joined(separator: " OR "))))
      }
      return found.count == 1 ? found[0] : .any(found)
    }
  }

  /// Joins those of conditions, all of which must be met, that ask the full-text index. That has a NOT only after
  /// something that it finds.
  private static func joined(_ parts: [QueryCondition]) -> [QueryCondition] {
    let matches = parts.compactMap(\.match)
    var (others, excluded) = ([QueryCondition](), [String]())
    for part in parts where part.match == nil {
      if case .not(let inner) = part, let match = inner.match { excluded.append(match) } else { others.append(part) }
    }
    if matches.count + excluded.count < 2 { return parts }
    func joined(_ matches: [String], by word: String) -> String {
      matches.count == 1 ? "(\(matches[0]))" : "(\(matches.map { "(\($0))" }.joined(separator: " \(word) ")))"
    }
    if matches.isEmpty { return others + [.not(.filter(Filter(match: joined(excluded, by: "OR"))))] }
    var match = joined(matches, by: "AND")
    if !excluded.isEmpty { match += " NOT " + joined(excluded, by: "OR") }
    return [.filter(Filter(match: match))] + others
  }

  /// Its question to the full-text index, if it asks nothing else.
  private var match: String? { if case .filter(let filter) = self { filter.match } else { nil } }
}
