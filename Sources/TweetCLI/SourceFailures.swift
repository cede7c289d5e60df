/// The failures of several sources, as lines for a person. A reason that several sources have in common is one line,
/// and a line that was reported the time before is not reported again. Numbers in a reason do not make it another one:
/// "try again in 893 s" is the same reason a minute later.
package struct SourceFailures {
  private struct Reason {
    let text: String
    var sources: [String]
  }

  /// At most this many sources are named in a line.
  private static let mostNames = 8

  private let action: String
  private var reasons: [Reason] = []
  private var reported: Set<String> = []

  /// - Parameter action: what could not be done with the sources: `refresh`.
  package init(action: String) { self.action = action }

  /// Adds a source that failed.
  package mutating func add(_ source: String, _ reason: String) {
    let known = reasons.firstIndex { !$0.sources.isEmpty && Self.key($0.text) == Self.key(reason) }
    if let known {
      reasons[known].sources.append(source)
    } else {
      reasons.append(Reason(text: reason, sources: [source]))
    }
  }

  /// Adds a line that is reported as it is.
  package mutating func add(_ line: String) { reasons.append(Reason(text: line, sources: [])) }

  /// Returns the lines to report, and begins anew.
  package mutating func finish() -> [String] {
    var keys: Set<String> = []
    var new: [String] = []
    for reason in reasons {
      let key = reason.sources.joined(separator: " ") + ": " + Self.key(reason.text)
      if keys.insert(key).inserted, !reported.contains(key) { new.append(line(reason)) }
    }
    reported = keys
    reasons = []
    return new
  }

  private func line(_ reason: Reason) -> String {
    if reason.sources.isEmpty { return reason.text }
    var names = reason.sources.prefix(Self.mostNames).map { "'\($0)'" }.joined(separator: ", ")
    if reason.sources.count > Self.mostNames { names += " and \(reason.sources.count - Self.mostNames) more" }
    return "cannot \(action) \(names): \(reason.text)"
  }

  /// The reason without its numbers.
  package static func key(_ text: String) -> String {
    var key = ""
    for character in text where !(character.isNumber && key.last == "0") {
      key.append(character.isNumber ? "0" : character)
    }
    return key
  }
}
