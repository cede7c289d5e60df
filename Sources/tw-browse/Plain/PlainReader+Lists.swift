import TweetCore
import TweetStore

/// Lists by their names, accounts, and what is behind a warning.
extension PlainReader {
  /// Shows what a saved query finds.
  func showQuery(_ name: String) {
    ask([.names])
    do throws(ToolError) { push(name, .query(try NamedLists.query(name, of: queries))) } catch {
      say(error.message ?? "")
    }
  }

  /// Shows the tweets with a label.
  func showLabel(_ text: String) {
    do throws(ToolError) { push("label \(text)", .query(try NamedLists.label(text))) } catch {
      say(error.message ?? "")
    }
  }

  /// Works as another account: the one of this name, or the next one.
  func chooseAccount(_ name: String) {
    do throws(ToolError) {
      say("as \(try name.isEmpty ? tools.accounts.chooseNext() : tools.accounts.choose(named: name))")
    } catch {
      return say(error.message ?? "")
    }
    // What somebody else liked is not shown as liked.
    records.viewers = tools.accounts
    records.removeAll()
    undo = nil
    if isRefreshing { startRefresh() }
  }

  /// Prints what is behind the warning of the tweet, or folds it again.
  func unfold() {
    guard let key = list.selected, selected != nil else { return }
    if opened.remove(key) == nil { opened.insert(key) }
    showTweet()
  }

  /// Gives the label `unread` to the tweet, or takes it away.
  func toggleUnread() {
    guard let key = list.selected, let entry = selected else { return }
    records.mark(key, isUnread: !entry.isUnread)
    label([entry.name], [entry.isUnread ? "-unread" : "+unread"])
    say(entry.isUnread ? "read" : "unread")
  }
}
