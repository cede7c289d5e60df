import KnownAPIs
import ArgumentParser
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices
import TweetSources

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
}

extension ServiceAccess {
  /// The access of the account that an option, the environment or the settings name.
  static func fromEnvironment(_ identity: AccountOptions, _ settings: Settings) throws(ToolError) -> ServiceAccess {
    try fromEnvironment(
      ServiceAPIs.all, caFile: nil, account: identity.account, example: "tw-auth status", environment: settings.variable
    )
  }
}
