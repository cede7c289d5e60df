import TweetCLI

/// A line that a person types at the bottom of the screen.
struct LinePrompt {
  enum Purpose: Equatable {
    case search, limit, command, label, pipe, filter, query, labelList
    /// The number of one of these links.
    case link([String])
    /// The folder for so many pictures.
    case folder(Int)
    /// Whether to do it: `y` does.
    case confirm(Act)
  }

  let purpose: Purpose
  private var edited: EditedText

  var text: String { edited.text }
  /// What is before the cursor.
  var before: String { edited.before }

  /// - Parameter text: what stands there at first.
  init(_ purpose: Purpose, text: String = "") { (self.purpose, edited) = (purpose, EditedText(text)) }

  /// What stands before the text.
  var label: String {
    switch purpose {
    case .search: "/"
    case .limit: "&"
    case .command: ":"
    case .label: "label: "
    case .pipe: "!"
    case .filter: "|"
    case .query: "query: "
    case .labelList: "with label: "
    case .link(let links): links.count == 1 ? "link 1: " : "link 1-\(links.count): "
    case .folder(let count): "save \(count == 1 ? "the picture" : "\(count) pictures") in: "
    case .confirm(let act): "\(act.question) [y/n] "
    }
  }

  enum Outcome {
    case editing, cancelled
    case entered(String)
  }

  /// Takes a key.
  /// - Parameter names: what Tab completes.
  mutating func take(_ key: Key, _ names: KnownNames) -> Outcome {
    switch key {
    case .enter: return .entered(text)
    case .escape, .control("c"), .control("g"): return .cancelled
    case .backspace:
      if edited.isEmpty { return .cancelled }
      edited.removeBefore()
    case .control("a"): edited.toStart()
    case .control("e"): edited.toEnd()
    case .control("u"): edited.clear()
    case .tab: complete(names)
    case .paste(let pasted): edited.insert(pasted.filter { !$0.isNewline })
    default: _ = edited.take(key)
    }
    if case .character = key {
      if case .confirm = purpose { return .entered(text) }
      if case .link(let links) = purpose, links.count < 10 { return .entered(text) }
    }
    return .editing
  }

  /// Completes the last word as far as it is clear.
  private mutating func complete(_ names: KnownNames) {
    var head = ""
    var (word, known): (String, [String]) = (text, [])
    switch purpose {
    case .command:
      if let space = text.firstIndex(of: " ") {
        head = String(text[...space])
        word = String(text[text.index(after: space)...])
        known = names.words(after: String(text[..<space]))
      } else {
        known = Action.allCases.map(\.rawValue)
      }
    case .query: known = names.queries
    case .labelList: known = names.labels
    case .label:
      if let start = text.lastIndex(where: { $0 == " " || $0 == "+" || $0 == "-" }) {
        head = String(text[...start])
        word = String(text[text.index(after: start)...])
      }
      known = names.labels
    default: return
    }
    let fitting = known.filter { $0.hasPrefix(word) }
    guard var common = fitting.first else { return }
    for name in fitting { while !name.hasPrefix(common) { common.removeLast() } }
    let isDone = fitting.count == 1 && head.isEmpty && purpose == .command
    edited = EditedText(head + common + (isDone ? " " : ""))
  }
}

/// Names that a person may type.
struct KnownNames {
  var queries: [String] = []
  var labels: [String] = []
  var accounts: [String] = []

  /// Those that may stand after a command.
  func words(after command: String) -> [String] {
    switch Action(rawValue: command) {
    case .query?: queries
    case .labelList?: labels
    case .label?: labels.flatMap { [$0, "+" + $0, "-" + $0] }
    case .account?: accounts
    default: []
    }
  }
}
