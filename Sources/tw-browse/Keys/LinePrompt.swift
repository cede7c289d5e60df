/// A line that a person types at the bottom of the screen.
struct LinePrompt {
  enum Purpose: Equatable {
    case search, limit, command, label, pipe
    /// The number of one of these links.
    case link([String])
    /// Whether to do it: `y` does.
    case confirm(Act)
  }

  let purpose: Purpose
  private(set) var text = ""
  /// Letters before the cursor.
  private(set) var cursor = 0

  init(_ purpose: Purpose) { self.purpose = purpose }

  /// What stands before the text.
  var label: String {
    switch purpose {
    case .search: "/"
    case .limit: "&"
    case .command: ":"
    case .label: "label: "
    case .pipe: "|"
    case .link(let links): links.count == 1 ? "link 1: " : "link 1-\(links.count): "
    case .confirm(let act): "\(act.question) [y/n] "
    }
  }

  enum Outcome {
    case editing, cancelled
    case entered(String)
  }

  /// Takes a key.
  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .enter: return .entered(text)
    case .escape, .control("c"), .control("g"): return .cancelled
    case .backspace:
      if text.isEmpty { return .cancelled }
      remove(at: cursor - 1)
    case .delete: remove(at: cursor)
    case .left, .control("b"): cursor = max(cursor - 1, 0)
    case .right, .control("f"): cursor = min(cursor + 1, text.count)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = text.count
    case .control("u"): (text, cursor) = ("", 0)
    case .control("w"): removeWord()
    case .tab where purpose == .command: complete()
    case .character(let letter):
      insert(String(letter))
      if case .confirm = purpose { return .entered(text) }
      if case .link(let links) = purpose, links.count < 10 { return .entered(text) }
    case .paste(let pasted): insert(pasted.filter { !$0.isNewline })
    default: break
    }
    return .editing
  }

  private mutating func insert(_ new: String) {
    text.insert(contentsOf: new, at: text.index(text.startIndex, offsetBy: cursor))
    cursor += new.count
  }

  private mutating func remove(at offset: Int) {
    guard (0..<text.count).contains(offset) else { return }
    text.remove(at: text.index(text.startIndex, offsetBy: offset))
    if offset < cursor { cursor -= 1 }
  }

  private mutating func removeWord() {
    var seesWord = false
    while cursor > 0 {
      let isSpace = text[text.index(text.startIndex, offsetBy: cursor - 1)] == " "
      if isSpace, seesWord { return }
      seesWord = seesWord || !isSpace
      remove(at: cursor - 1)
    }
  }

  /// Completes the name of a command as far as it is clear.
  private mutating func complete() {
    let names = Action.allCases.map(\.rawValue).filter { $0.hasPrefix(text) }
    guard var common = names.first else { return }
    for name in names { while !name.hasPrefix(common) { common.removeLast() } }
    text = names.count == 1 ? common + " " : common
    cursor = text.count
  }
}
