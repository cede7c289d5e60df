/// What went wrong in the rounds of one go, for a person: what several sources have in common is one line, and what the
/// go before has told already is not told again.
struct RefreshFailures {
  private var reasons: [(text: String, sources: [String])] = []
  private var told: Set<String> = []

  /// Notes that a source could not be refreshed.
  mutating func note(_ source: String, _ reason: String) {
    if let place = reasons.firstIndex(where: { $0.text == reason }) {
      reasons[place].sources.append(source)
    } else {
      reasons.append((reason, [source]))
    }
  }

  /// Notes what is told as it is.
  mutating func note(_ line: String) { reasons.append((line, [])) }

  /// At the end of a go: the lines that are to be told.
  mutating func take() -> [String] {
    var lines: Set<String> = []
    var new: [String] = []
    for (text, sources) in reasons {
      let names = sources.map { "'\($0)'" }.joined(separator: ", ")
      let line = sources.isEmpty ? text : "cannot refresh \(names): \(text)"
      if lines.insert(line).inserted, !told.contains(line) { new.append(line) }
    }
    told = lines
    reasons = []
    return new
  }
}
