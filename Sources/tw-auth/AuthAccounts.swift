import ArgumentParser
import Services
import TweetAccounts
import TweetCLI
import TweetCore

/// `tw-auth list`.
struct AuthList: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the accounts.",
    discussion: """
      EXAMPLES:
        tw-auth list
        tw-auth list | cut -f 2

      Each line has service, name, method, address, whether the account is the one in use of its service, what is known of its \
      token (lasting, renewable, expiring, expired, command, missing, unreadable), and when that expires, with tabs between them.
      """)

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let file = try CredentialsFile.load()
    if file.accounts.isEmpty { Diagnostics.note("there is no account; 'tw-auth login' makes one") }
    var seen: Set<String> = []
    let rows = file.accounts.map { account in
      let isFirst = seen.insert(account.name.service).inserted
      let token = TokenState(of: account, at: .shown)
      return [
        account.name.service, account.name.name, account.method.rawValue, account.base, isFirst ? "in use" : "-",
        token.word, token.end?.rfc3339 ?? "-",
      ]
    }
    try RecordWriter.print(rows: rows)
    for case .unreadable(let reason) in file.accounts.map({ TokenState(of: $0, at: .shown) }) {
      Diagnostics.warn(reason)
    }
    for (name, method) in file.unknownAccounts {
      Diagnostics.note(
        "account '\(name)' is signed in by '\(method)', which this version does not know; it is left alone")
    }
    return .done
  }
}

/// `tw-auth use`.
struct AuthUse: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "use",
    abstract: "Make an account the one in use of its service.",
    discussion: """
      EXAMPLES:
        tw-auth use work
        tw-auth use local:maja
      """)

  @Argument(help: "The account: its name, or service:name where several services have the name.")
  var name: String

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    try CredentialsFile.change { (file) throws(ToolError) in
      file.use(try file.named(name, in: Settings.load()).name)
    }
    if let set = try Settings.load().value(.account), set != name {
      Diagnostics.note("TW_ACCOUNT or the setting account says '\(set)', which takes precedence")
    }
    return .done
  }
}

extension CredentialsFile {
  /// The account of a name; if several services have it, that of the service which the person has set.
  func named(_ name: String, in settings: Settings) throws(ToolError) -> ServiceAccount {
    if let service = settings.value(.service), let account = account(name, service: service, base: nil) {
      return account
    }
    let services = Set(accounts.map(\.name.service)).sorted()
    let others = services.compactMap { account(name, service: $0, base: nil) }
    if let account = others.first, others.count == 1 { return account }
    if others.count > 1 {
      let names = others.map { "'\($0.name)'" }.joined(separator: ", ")
      throw .usage("several services have an account '\(name)': \(names)")
    }
    throw .noInput("no account is called '\(name)'; 'tw-auth list' lists them")
  }
}
