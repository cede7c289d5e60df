import TweetCLI
import TweetCore
import TweetDisplay

/// Draws the profile above a person's posts.
final class ProfilePainter {
  private static let widest = 100

  private let look: ScreenStyle
  private var block: ProfileBlock
  private var rows = BlockRows()
  private let printer: RowPrinter

  init(_ look: ScreenStyle) {
    self.look = look
    block = ProfileBlock(look.style, locale: look.locale, blocks: look.hasAvatars ? .initials : .none)
    printer = RowPrinter(look.style, nil)
  }

  /// The rows above the list that is shown; none where it is not that of a person. They take half of the screen at
  /// most.
  func rows(of screen: BrowseState, _ layout: Layout) -> [[UInt8]] {
    guard screen.place == .list, let head = screen.heads[screen.list.id] else { return [] }
    rows.removeAll()
    head.record?.read { block.append(UserFields($0), width: min(layout.columns - 2, Self.widest), to: &rows) }
    var lines = (0..<rows.count).map { row in
      var line = ByteBuffer(capacity: 256)
      line.append(" ")
      printer.print(row: row, of: rows, to: &line)
      return line.array
    }
    lines = Array(lines.prefix(max(layout.bodyRows / 2 - 2, 0)))
    guard layout.bodyRows >= 8 else { return lines }
    return lines + [look.dimRow(state(of: head, screen), most: layout.columns - 1)]
  }

  private func state(of head: ProfileHead, _ screen: BrowseState) -> String {
    let asked = head.record == nil ? (head.isAsked ? "asking for the profile …" : "no profile is stored") + "  " : ""
    let followed = screen.followed[head.target].map { $0 ? "followed  " : "no longer followed  " } ?? ""
    return " " + asked + followed + screen.keys.name(of: .follow) + " follow"
  }
}
