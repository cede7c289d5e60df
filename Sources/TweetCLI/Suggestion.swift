import ArgumentParser

/// What a person may have meant who typed a subcommand or an option that does not exist.
package enum Suggestion {
  /// Names that people know from other programs, and the options that they may mean here.
  private static let otherNames: [String: [String]] = [
    "user": ["author"], "username": ["author"], "from": ["author"], "by": ["author"], "hashtag": ["tag"],
    "query": ["search"], "text": ["search"], "grep": ["search"], "count": ["limit"], "number": ["limit"],
    "max": ["limit"], "max-count": ["limit"], "database": ["db"], "store": ["db"], "source": ["feed"],
    "silent": ["quiet"], "language": ["lang"], "interval": ["every"], "reverse": ["oldest-first"],
    "newer-than": ["since"], "older-than": ["until"], "colour": ["color"], "output": ["export", "format"],
  ]

  /// A message for a command line that ArgumentParser refused; `nil` where its own `fault` is all there is to say.
  /// ArgumentParser itself suggests the option whose letters are nearest.
  static func suggestion(for words: [String], to root: any ParsableCommand.Type, fault: String) -> String? {
    var command = root
    for word in words.prefix(while: { !$0.hasPrefix("-") }) {
      let subcommands = command.configuration.subcommands
      if subcommands.isEmpty { break }
      guard let next = subcommands.first(where: { name(of: $0) == word }) else {
        guard let near = nearest(to: word, in: subcommands.map(name(of:))) else { return nil }
        return "no command is called '\(word)'; did you mean '\(near)'?"
      }
      command = next
    }
    let parts = fault.split(separator: "'")
    guard parts.count >= 2, parts[0].hasPrefix("unknown option"), parts[1].hasPrefix("--") else { return nil }
    let known = otherNames[String(parts[1].dropFirst(2))] ?? []
    let help = command.helpMessage()
    guard let option = known.first(where: { help.contains("--\($0) ") }) else { return nil }
    return "unknown option '\(parts[1])'; did you mean '--\(option)'?"
  }

  /// The name that is most like `word`; `nil` if none is so like it that the guess would help.
  package static func nearest(to word: String, in names: [String]) -> String? {
    let nearest = names.map { (name: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= max(1, word.count / 3) else { return nil }
    return nearest.name
  }

  /// The name of a command; where its configuration has none, ArgumentParser takes the type's.
  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? String(describing: command).lowercased()
  }
}

/// How many letters must be inserted, removed, replaced or swapped with the next one to turn one word into the other
/// (Damerau and Levenshtein's distance).
private func editDistance(_ first: String, _ second: String) -> Int {
  let (first, second) = (Array(first), Array(second))
  // The rows of the table before the current one.
  var before: [Int] = []
  var above = Array(0...second.count)
  for row in first.indices {
    var line = [row + 1]
    for column in second.indices {
      var best = min(above[column + 1], line[column]) + 1
      best = min(best, above[column] + (first[row] == second[column] ? 0 : 1))
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        best = min(best, before[column - 1] + 1)
      }
      line.append(best)
    }
    (before, above) = (above, line)
  }
  return above[second.count]
}
