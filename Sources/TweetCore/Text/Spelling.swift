/// What a person may have meant who typed a word that is none of those there are.
package enum Spelling {
  /// The name that is most like `word`; `nil` if none is so like it that the guess would help.
  /// - Parameter share: one letter in this many may be wrong; one letter always may.
  package static func nearest(to word: String, in names: [String], oneIn share: Int = 3) -> String? {
    let nearest = names.map { (name: $0, distance: editDistance($0, word)) }.min { $0.distance < $1.distance }
    guard let nearest, nearest.distance <= max(1, word.count / share) else { return nil }
    return nearest.name
  }

  /// The end of a message that asks whether the name was meant that is most like `word`; `nil` if none is like it.
  package static func question(about word: String, in names: [String]) -> String? {
    nearest(to: word, in: names).map { "; did you mean '\($0)'?" }
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
