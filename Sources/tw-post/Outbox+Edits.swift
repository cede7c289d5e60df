import SQLite
import TweetCore
import TweetServices

extension Outbox {
  /// Removes what a new write takes the place of: a change of the same target whose answer never came, and edits of the
  /// same post, none of which may be sent after it.
  func replaceEarlier(_ action: WriteAction, of owner: Owner) throws(ToolError) {
    switch action {
    case .change(let change, let target):
      try database.run(
        """
        DELETE FROM writes WHERE target = ? AND action IN (?, ?) AND state IN ('sending', 'unsettled') AND service = ?
        AND base = ? AND account = ?
        """, .text(target), .text(change.rawValue), .text(change.inverse?.rawValue ?? change.rawValue),
        .text(owner.service), .text(owner.base), .text(owner.account))
    case .post(let draft):
      guard let id = draft.editOf else { return }
      try database.run(
        """
        DELETE FROM writes WHERE action = 'edit' AND json_extract(target, '$.edit_of') = ?
        AND state IN ('queued', 'sending', 'unsettled') AND service = ? AND base = ? AND account = ?
        """, .text(id), .text(owner.service), .text(owner.base), .text(owner.account))
    }
  }
}
