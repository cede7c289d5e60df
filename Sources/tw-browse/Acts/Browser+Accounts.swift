import TweetCore

/// As whom the other tools work.
extension Browser {
  /// Works as the next account.
  func chooseNextAccount() {
    choose { (accounts) throws(ToolError) in try accounts.chooseNext() }
  }

  /// Works as the account of this name.
  func chooseAccount(_ name: String) {
    choose { (accounts) throws(ToolError) in try accounts.choose(named: name) }
  }

  private func choose(_ body: (inout ChosenAccounts) throws(ToolError) -> String) {
    do throws(ToolError) { screen.message = "as \(try body(&tools.accounts))" } catch {
      return screen.message = error.message
    }
    screen.account = tools.accounts.shown
    // What somebody else liked is not shown as liked.
    records.viewers = tools.accounts
    records.removeAll()
    screen.undo = nil
    if refresh != nil { startRefresh() }
  }

  /// Shows at the end of the first row as whom the other tools work.
  func showAccount(in rows: inout [[UInt8]]) {
    guard let account = screen.account, !rows.isEmpty else { return }
    let width = WrappedText.width(of: account) + 2
    guard width < layout.columns / 2 else { return }
    var text = ByteBuffer(capacity: 64)
    text.append("\u{1B}[0m\u{1B}[\(layout.columns - width)G")
    composeRows.append(account: account, to: &text)
    rows[0] += text.array
  }
}
