/// What a person pressed, or did with the mouse.
package enum Key: Hashable, Sendable {
  /// A letter, digit or sign.
  case character(Character)
  /// A letter together with Ctrl, in lower case.
  case control(Character)
  case enter, escape, tab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// The left button went down on a cell, both counted from 0.
  case click(row: Int, column: Int)
  case wheelUp, wheelDown
  /// A text that was pasted.
  case paste(String)

  /// The keys that have a name of more than a letter.
  private static let named: [Key] = [
    .character(" "), .enter, .escape, .tab, .backspace, .delete, .up, .down, .left, .right, .home, .end, .pageUp,
    .pageDown,
  ]
  /// Letters that terminals send with Ctrl for keys that have names of their own.
  private static let ambiguous = Set("hijm")

  /// A key by its ``name``, in any case; `nil` for another text.
  package init?(name: String) {
    if let key = Self.named.first(where: { $0.name.lowercased() == name.lowercased() }) {
      self = key
    } else if name.count == 1, let letter = name.first, !letter.isWhitespace {
      self = .character(letter)
    } else if name.count == 2, name.hasPrefix("^"), let letter = name.lowercased().last, letter.isASCII,
      letter.isLetter,
      !Self.ambiguous.contains(letter)
    {
      self = .control(letter)
    } else {
      return nil
    }
  }

  /// As it is written in lists of keys and in the settings.
  package var name: String {
    switch self {
    case .character(" "): "Space"
    case .character(let letter): String(letter)
    case .control(let letter): "^" + letter.uppercased()
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .click: "click"
    case .wheelUp, .wheelDown: "wheel"
    case .paste: "paste"
    }
  }
}
