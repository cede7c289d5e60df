import TweetCore
import TweetStore

/// Lists that other programs, saved queries and labels make.
extension Browser {
  /// Shows only the tweets of the list whose records a command prints, in place of what is filtered now.
  func filter(through command: String) {
    if case .notifications = screen.list.source { return screen.message = "notifications are not filtered" }
    filtering?.stop()
    filtering = nil
    do throws(ToolError) {
      filtering = try FilterRun(command, of: screen.list, in: tools.database)
      screen.message = "\(command) …"
    } catch {
      screen.message = error.message
    }
  }

  /// Shows what a filter has let through when it has ended.
  func readFilter() {
    guard let run = filtering, let outcome = run.read() else { return }
    filtering = nil
    switch outcome {
    case .nothing(let message): screen.message = message
    case .keys(_, _) where run.list != screen.list.id:
      screen.message = "\(run.command) has ended, but another list is shown now"
    case .keys(let keys, let isCut):
      push("|" + run.command, .keys(keys))
      if isCut { screen.message = "of the newest \(ListFeed.most) tweets" }
    }
  }

  /// Shows what a saved query finds.
  func showQuery(_ name: String) {
    do throws(ToolError) { push(name, .query(try NamedLists.query(name, of: screen.queries))) } catch {
      screen.message = error.message
    }
  }

  /// Shows the tweets with a label.
  func showLabel(_ text: String) {
    do throws(ToolError) { push("label \(text)", .query(try NamedLists.label(text))) } catch {
      screen.message = error.message
    }
  }
}
