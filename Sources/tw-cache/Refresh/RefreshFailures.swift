/// The failures of one check of all sources, as lines for a person. A reason that several sources have in common is one
/// line, and a line that was reported after the check before is not reported again.
struct RefreshFailures {
  private var reasons: [(text: String, sources: [String])] = []
  private var reported: Set<String> = []

  /// Adds a source that could not be refreshed.
  mutating func add(_ source: String, _ reason: String) {
    if let index = reasons.firstIndex(where: { $0.text == reason }) {
      reasons[index].sources.append(source)
    } else {
      reasons.append((reason, [source]))
    }
  }

  /// Adds a line that is reported as it is.
  mutating func add(_ line: String) { reasons.append((line, [])) }

  /// Ends a check: returns the lines to report, and begins anew.
  mutating func finish() -> [String] {
    var lines: Set<String> = []
    var new: [String] = []
    for (text, sources) in reasons {
      let names = sources.map { "'\($0)'" }.joined(separator: ", ")
      let line = sources.isEmpty ? text : "cannot refresh \(names): \(text)"
      if lines.insert(line).inserted, !reported.contains(line) { new.append(line) }
    }
    reported = lines
    reasons = []
    return new
  }
}
