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
    var writer = RecordWriter()
    func write(_ name: String, _ value: String, _ writer: inout RecordWriter) throws(ToolError) {
      writer.buffer.append("\(name)\t\(Printable.line(value))")
      try writer.endLine()
    }
    try write("account", "\(access.service):\(access.account ?? "-")", &writer)
    try write("address", access.base, &writer)
    try write("method", access.method?.rawValue ?? "a token of the environment", &writer)
    if let scopes = access.scopes { try write("scopes", scopes.joined(separator: " "), &writer) }
    if let end = try Self.end(of: access) { try write("ends", end.rfc3339, &writer) }
    try writer.flush()
    if access.method == .app {
      try ApplicationSignIn.check(access)
      try write("service", "accepts the token, which is an application's", &writer)
    } else if let user = try ServiceUser.findCounted(access) {
      try write("service", "accepts it, as \(user.name), id \(user.id)", &writer)
    } else {
      try write("service", "accepts it, and does not say whose it is", &writer)
    }
    try write("budget", budget?.restWords() ?? "no bound", &writer)
    try writer.flush()
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
