/// What a person pressed, or did with the mouse.
enum Key: Hashable {
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
}
