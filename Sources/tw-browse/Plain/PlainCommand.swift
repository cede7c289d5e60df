import TweetCLI
import TweetCore

/// A line that a person typed with `--plain`: an action, by a letter or by its name, and what belongs to it.
struct PlainCommand {
  /// A letter that means something else than on the screen, where `j` and `k` move.
  private static let letters: [Character: Action] = ["n": .down, "p": .up, "l": .like, "<": .back, "|": .pipe]
  /// What one tweet at a time has no use for.
  private static let screenOnly: Set<Action> = [
    .pageDown, .pageUp, .open, .redraw, .command, .suspend, .filter, .play, .save,
  ]

  enum Fault: Error, Equatable {
    case unknown(String)
    case ambiguous(String)
    case onlyOnAScreen(String)
  }

  let action: Action
  /// What stands after it: words to find, the number of a link, the text of an answer.
  let words: String

  /// The number of a feed, if the line is one.
  static func feed(_ line: String) -> Int? { Int(line.trimmed) }

  /// Reads a line. An empty one asks for the next tweet, as Space does in a pager.
  init(_ line: String) throws(Fault) {
    let line = line.trimmed
    guard let first = line.first else {
      (action, words) = (.down, "")
      return
    }
    if let action = Self.action(sign: first) {
      self.action = action
      words = String(line.dropFirst()).trimmed
    } else {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      action = try Self.action(named: parts[0])
      words = parts.count > 1 ? parts[1].trimmed : ""
    }
    if Self.screenOnly.contains(action) { throw .onlyOnAScreen(action.rawValue) }
  }

  /// A sign needs no space after it: `/swift`.
  private static func action(sign: Character) -> Action? {
    switch sign {
    case "/", "&", "|", "?", "<": action(letter: sign)
    default: nil
    }
  }

  private static func action(letter: Character) -> Action? {
    letters[letter] ?? Action.allCases.first { $0.usualKeys.contains(.character(letter)) }
  }

  private static func action(named name: String) throws(Fault) -> Action {
    let name = name.hasPrefix(":") ? String(name.dropFirst()) : name
    if name.count == 1, let letter = name.first, let action = action(letter: letter) { return action }
    let matches = name.isEmpty ? [] : Action.named(name)
    if matches.count > 1 { throw .ambiguous(name) }
    guard let action = matches.first else { throw .unknown(name) }
    return action
  }

  /// A line of help for each action: its letter, its name, what it does.
  static var help: [String] {
    Action.allCases.filter { !screenOnly.contains($0) }.map { action in
      let own = letters.first { $0.value == action }?.key
      let usual = action.usualKeys.lazy.compactMap { key -> Character? in
        guard case .character(let letter) = key, Self.action(letter: letter) == action else { return nil }
        return letter
      }.first
      return [(own ?? usual).map { String($0) }, action.rawValue, action.help].compactMap { $0 }.joined(separator: ", ")
    }
  }
}

extension Action {
  /// Those whose names begin so; only the one that is called so, if there is one.
  static func named(_ name: String) -> [Action] {
    Action(rawValue: name).map { [$0] } ?? allCases.filter { $0.rawValue.hasPrefix(name) }
  }
}
