import TweetCore
import TweetDisplay

/// The rows at the bottom of the screen: posts that are under way, and what is written. The list above them is shorter
/// meanwhile.
struct ComposeRows {
  /// More posts that are under way have no row.
  private static let mostOutgoing = 3
  /// Rows of what is written, with its head and its foot.
  private static let height = (least: 5, most: 12)

  private let look: ScreenStyle

  init(_ look: ScreenStyle) { self.look = look }

  /// How many rows there are.
  /// - Parameter rows: of the whole screen.
  static func count(_ screen: BrowseState, rows: Int) -> Int {
    let outgoing = min(screen.outgoing.count, mostOutgoing)
    guard screen.composition != nil else { return min(outgoing, max(rows - 6, 0)) }
    // The list keeps the rows above and below it, and at least one tweet.
    return min(max(rows / 3, height.least), height.most, max(rows - 6, 3)) + outgoing
  }

  /// The columns of the text.
  static func textWidth(_ columns: Int) -> Int { max(columns - 3, 2) }

  /// The rows, and the cell of the cursor in them.
  func paint(_ screen: BrowseState, count: Int, columns: Int, isSaved: Bool, saveFault: String?)
    -> (rows: [[UInt8]], cursor: (row: Int, column: Int)?)
  {
    var rows = screen.outgoing.suffix(Self.mostOutgoing).map {
      look.dimRow(" \(look.style.glyphs.ellipsis) posting \($0.text)", most: columns - 1)
    }
    rows = Array(rows.suffix(count))
    guard let composition = screen.composition else { return (rows, nil) }
    rows.append(head(composition, screen, columns, isSaved: isSaved, saveFault: saveFault))
    let above = rows.count
    let pictures = composition.draft.pictures.enumerated().map { index, picture in
      let name = picture.path.split(separator: "/").last ?? ""
      return "[\(index + 1) \(name): \(picture.description.isEmpty ? "no description" : picture.description)]"
    }
    let below = (pictures.isEmpty ? 0 : 1) + 1
    let room = max(count - above - below, 1)
    let wrapped = WrappedText(composition.edited, width: Self.textWidth(columns))
    let first = min(max(wrapped.cursor.row - room + 1, 0), max(wrapped.rows.count - room, 0))
    for index in first..<first + room {
      rows.append(index < wrapped.rows.count ? look.row("  " + wrapped.rows[index].text, most: columns) : [])
    }
    if !pictures.isEmpty { rows.append(look.dimRow("  " + pictures.joined(separator: " "), most: columns - 1)) }
    var cursor = (row: above + wrapped.cursor.row - first, column: min(wrapped.cursor.column + 2, columns - 1))
    if let question = composition.question {
      let (line, column) = foot(question, columns)
      rows.append(line)
      cursor = (rows.count - 1, column)
    } else {
      rows.append(look.dimRow(" " + Self.keys, most: columns - 1))
    }
    return (rows, cursor)
  }

  private static let keys = "^S send  ^E $EDITOR  ^A picture  ^T to  ^O account  ^X throw away  Esc keep"

  /// ` ─ reply to @nightradio ─ 214 of 280 · draft saved`
  private func head(
    _ composition: Composition, _ screen: BrowseState, _ columns: Int, isSaved: Bool, saveFault: String?
  ) -> [UInt8] {
    let sign = look.style.glyphs.rule.description
    var facts: [String] = []
    if let targets = composition.draft.targets {
      facts.append("to \(targets)")
    } else if let account = screen.account {
      facts.append("as \(account)")
    }
    let parts = composition.draft.parts.count
    let part = min(composition.part, parts - 1)
    if parts > 1 { facts.append("post \(part + 1) of \(parts)") }
    let lengths = composition.lengths
    if lengths.indices.contains(part), !lengths[part].isEmpty {
      facts.append(lengths[part].map(\.text).joined(separator: ", "))
    } else if let fault = composition.lengthFault {
      facts.append(fault)
    }
    if let saveFault {
      facts.append("draft not saved: \(saveFault)")
    } else if !composition.draft.isEmpty {
      facts.append(isSaved ? "draft saved" : "saving …")
    }
    let isTooLong = lengths.contains { $0.contains(where: \.isTooLong) } && parts == 1
    let start = " \(sign) \(composition.title) \(sign) "
    let text = start + (composition.notice.map { $0 + " \(sign) " } ?? "") + facts.joined(separator: " · ")
    return look.row(text, most: columns - 1, sequence: isTooLong ? "\u{1B}[1;31m" : "\u{1B}[1m")
  }

  /// A question, and the column of the cursor in it.
  private func foot(_ question: Composition.Question, _ columns: Int) -> ([UInt8], Int) {
    let label = " " + question.label
    let room = max(columns - 2, 8)
    var before = label + question.answer.before
    // A long answer is shown from where the cursor is in view.
    var shown = before + question.answer.after
    while WrappedText.width(of: before) > room, !before.isEmpty {
      before.removeFirst()
      shown.removeFirst()
    }
    return (look.row(shown, most: columns), WrappedText.width(of: before))
  }
}
