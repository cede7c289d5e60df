import TweetCLI
import TweetCore
import TweetDisplay

/// Makes lines of tweets, profiles and notifications, without colours, pictures and frames.
final class PlainPrinter {
  private var block: TweetBlock
  private var profile: ProfileBlock
  private var rows = BlockRows()
  private let printer: RowPrinter

  init(_ style: TerminalStyle, _ locale: ReaderLocale) {
    block = TweetBlock(
      style, locale: locale, times: .relative, blocks: .none, photos: nil, foldsWarnings: true,
      foldKey: Action.unfold.usualKeys[0].name)
    profile = ProfileBlock(style, locale: locale, blocks: .none)
    printer = RowPrinter(style, nil)
  }

  /// The lines of a tweet, or of a notification if the entry is one.
  /// - Parameter isOpen: whether what is behind a warning is printed.
  func lines(of entry: RecordCache.Entry, width: Int, isOpen: Bool) -> [UInt8] {
    rows.removeAll()
    block.foldsWarnings = !isOpen
    if let notification = entry.notification {
      notification.read { block.append(notification: NotificationFields($0), width: width, to: &rows) }
    } else {
      entry.document?.read { block.append(TweetFields($0), now: .shown, width: width, to: &rows) }
    }
    return printed
  }

  /// The lines of a `user` record.
  func lines(ofUser record: JSONDocument, width: Int) -> [UInt8] {
    rows.removeAll()
    record.read { profile.append(UserFields($0), width: width, to: &rows) }
    return printed
  }

  private var printed: [UInt8] {
    var text = ByteBuffer(capacity: 1024)
    printer.print(rows, to: &text)
    return text.array
  }
}
