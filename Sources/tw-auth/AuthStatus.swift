import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// `tw-auth status`: who the tools are at the service, and whether it agrees.
struct AuthStatus: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the account in use, ask the service about it, and show what the budget has left.",
    discussion: """
      EXAMPLES:
        tw-auth status
        tw-auth status --account work
      """)

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    let access = try ServiceAccess.fromEnvironment(identity, settings)
    let budget = try ReadBudget(settings.budget, for: access)
    var rows = [
      ["account", "\(access.service):\(access.account ?? "-")"], ["address", access.base],
      ["method", access.method?.rawValue ?? "a token of the environment"],
    ]
    if let scopes = access.scopes { rows.append(["scopes", scopes.joined(separator: " ")]) }
    if let end = try Self.end(of: access) { rows.append(["ends", end.rfc3339]) }
    // The service may take its time, or refuse.
    try RecordWriter.print(rows: rows)
    let answer: String
    if access.method == .app {
      try ApplicationSignIn.check(access)
      answer = "accepts the token, which is an application's"
    } else if let user = try ServiceUser.findCounted(access) {
      answer = "accepts it, as \(user.name), id \(user.id)"
    } else {
      answer = "accepts it, and does not say whose it is"
    }
    try RecordWriter.print(rows: [["service", answer], ["budget", budget?.restWords() ?? "no bound"]])
    return .done
  }

  /// When a person must sign in again, with a warning if that is soon.
  private static func end(of access: ServiceAccess) throws(ToolError) -> Timestamp? {
    guard access.method == .oauth2, let name = access.account,
      let end = try TokenFile(ServiceAccount.Name(service: access.service, name: name)).read()?.signInEndsAt
    else { return nil }
    if end.milliseconds - Timestamp.shown.milliseconds < warning {
      let advice = access.api.signIn(at: access.base).found.map { "; \($0.lastingAdvice)" } ?? ""
      Diagnostics.warn("the sign-in ends on \(end.rfc3339.prefix(10)): run 'tw-auth login' again\(advice)")
    }
    return end
  }

  /// Milliseconds: three of the fourteen days that such a sign-in lasts.
  private static let warning: Int64 = 3 * 86_400_000
}

extension ServiceAccess {
  /// The access of the account that an option, the environment or the settings name.
  static func fromEnvironment(_ identity: AccountOptions, _ settings: Settings) throws(ToolError) -> ServiceAccess {
    try fromEnvironment(
      ServiceAPIs.all, caFile: nil, account: identity.account, example: "tw-auth status", settings)
  }
}
