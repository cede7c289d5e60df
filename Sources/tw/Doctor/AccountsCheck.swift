import Libc
import TweetCLI
import TweetCore

/// The accounts: the rights of their files, and whether their tokens work. Secrets stay in tw-auth.
struct AccountsCheck {
  let programs: Programs

  func findings() throws(ToolError) -> [Finding] {
    let faults = fileFaults()
    guard let auth = programs.path(of: "auth") else { return faults }
    guard let answer = try ProgramAnswer.of([auth, "list", "--quiet"]), answer.ending == .exited(0) else {
      // A message about rights is here already.
      return faults.contains { $0.state == .fault } ? faults : [try unusable(auth)]
    }
    if answer.rows.isEmpty { return faults + [try withoutAccount()] }
    var found = faults
    for cells in answer.rows where cells.count == 7 { found.append(finding(Account(cells), answer)) }
    return found
  }

  /// A line of `tw-auth list`.
  private struct Account {
    let service, name, method, base, token: String
    let end: Timestamp?

    init(_ cells: [String]) {
      (service, name, method, base, token) = (cells[0], cells[1], cells[2], cells[3], cells[5])
      end = Timestamp(parsing: cells[6])
    }

    /// How a person signs in again.
    var login: String {
      "tw-auth login --service \(shellWord(service)) --endpoint \(shellWord(base)) --account \(shellWord(name)) --method \(method)"
    }
  }

  /// Milliseconds: a week before a token ends is time enough to sign in again.
  private static let warning: Int64 = 7 * 86_400_000

  private func finding(_ account: Account, _ answer: ProgramAnswer) -> Finding {
    let who = "\(account.service):\(account.name)"
    let end = account.end.map { String($0.rfc3339.prefix(10)) } ?? ""
    switch account.token {
    case "expired": return .fault(.accounts, "the token of \(who) has expired on \(end)", mend: account.login)
    case "missing": return .fault(.accounts, "\(who) has no token", mend: account.login)
    case "unreadable": return .fault(.accounts, "the token of \(who): \(answer.reason)", mend: account.login)
    case "expiring":
      let isSoon = account.end.map { $0.milliseconds - Timestamp.shown.milliseconds < Self.warning } ?? false
      if isSoon {
        return .note(.accounts, "the token of \(who) expires on \(end), and nothing renews it", mend: account.login)
      }
      return .ok(.accounts, "\(who) by \(account.method), until \(end)")
    case "renewable": return .ok(.accounts, "\(who) by \(account.method), renewed when it expires")
    case "command": return .ok(.accounts, "\(who) by \(account.method), whose token a command prints")
    default: return .ok(.accounts, "\(who) by \(account.method)")
    }
  }

  private func withoutAccount() throws(ToolError) -> Finding {
    let settings = try? Settings.load()
    if settings?.tokenPaths.isEmpty == false || Paths.environment("TW_TOKEN") != nil {
      return .ok(.accounts, "no account; a token of the environment or the settings is used")
    }
    return .note(.accounts, "no account is signed in, which X needs", mend: "tw-auth login")
  }

  private func unusable(_ auth: String) throws(ToolError) -> Finding {
    let reason = try ProgramAnswer.of([auth, "list"])?.reason ?? "'\(auth)' cannot be run"
    let path = shellWord(Paths.credentials)
    return .fault(.credentials, reason, mend: "mv \(path) \(shellWord(Paths.credentials + ".broken"))")
  }

  /// Files with secrets that others may read, change or replace, or that are another user's.
  private func fileFaults() -> [Finding] {
    let tokens = Paths.stateDirectory + "/tokens"
    let names = (Directory.names(in: tokens) ?? []).filter { !$0.hasSuffix(".lock") }.sorted()
    let paths = [Paths.credentials] + names.map { "\(tokens)/\($0)" }
    let faults: [Finding] = paths.compactMap { path in
      guard let trust = FileMode(path)?.trust(at: path, isSecret: true) else { return nil }
      return .fault(.credentials, trust.fault, mend: trust.mend)
    }
    guard faults.isEmpty, FileMode(Paths.credentials) != nil else { return faults }
    return [.ok(.credentials, "'\(Paths.credentials)' is for this user only")]
  }
}
