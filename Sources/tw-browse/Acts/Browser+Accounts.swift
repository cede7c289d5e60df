/// As whom the other tools work.
extension Browser {
  /// Works as the next account.
  func chooseNextAccount() {
    guard let next = tools.accounts.next else {
      let only = tools.accounts.shown.map { "\($0) is the only account that is signed in" }
      return screen.message = only ?? "nobody is signed in: tw-auth login"
    }
    choose(next)
  }

  /// Works as the account of this name.
  func chooseAccount(_ name: String) {
    guard let account = tools.accounts.account(named: name) else {
      let names = tools.accounts.known.map(\.text).joined(separator: ", ")
      return screen.message = "no account is called '\(name)'" + (names.isEmpty ? "" : " (\(names))")
    }
    choose(account)
  }

  private func choose(_ account: ChosenAccounts.Account) {
    tools.accounts.choose(account)
    screen.account = tools.accounts.shown
    screen.message = "as \(account.text)"
    // What somebody else liked is not shown as liked.
    records.viewers = tools.accounts
    records.removeAll()
    screen.undo = nil
    if refresh != nil { startRefresh() }
  }
}
