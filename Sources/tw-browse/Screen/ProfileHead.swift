import TweetCLI
import TweetCore
import TweetDisplay

/// The person whose posts a list has, as far as the store knows them.
struct ProfileHead {
  let service: String
  let id: String
  let username: String
  /// What tw-post is given to follow them.
  let target: String
  /// The stored `user` record.
  var record: JSONDocument?
  /// Whether their profile was asked of the service.
  var isAsked = false

  /// Whether the record has no more than a post tells of its author.
  var isBare: Bool {
    guard let record else { return true }
    return record["description"] == nil && record["public_metrics"] == nil
  }

  /// The source that brings their posts, and their profile with these: `SERVICE:@NAME`.
  var source: String {
    let parts = service.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return "\(service):@\(username)" }
    return "\(parts[0]):@\(username)\(username.contains("@") ? "" : "@\(parts[1])")"
  }
}

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
  func rows(of screen: ScreenState, _ layout: Layout) -> [[UInt8]] {
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
    var line = ByteBuffer(capacity: 128)
    look.appendDim(state(of: head, screen), most: layout.columns - 1, to: &line)
    return lines + [line.array]
  }

  private func state(of head: ProfileHead, _ screen: ScreenState) -> String {
    let asked = head.record == nil ? (head.isAsked ? "asking for the profile …" : "no profile is stored") + "  " : ""
    let followed = screen.followed[head.target].map { $0 ? "followed  " : "no longer followed  " } ?? ""
    return " " + asked + followed + screen.keys.name(of: .follow) + " follow"
  }
}
