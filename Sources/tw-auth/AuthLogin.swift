import ArgumentParser
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth login`: signs in, and keeps the account.
struct AuthLogin: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a service.",
    usage: "tw-auth login [<options>] [<name>]",
    discussion: """
      EXAMPLES:
        tw-auth login --client-id YOUR-CLIENT-ID
        tw-auth login --service bluesky alice.example

      The browser opens on the service's page, and comes back when you have allowed it. For X you need an application of your \
      own, which https://developer.x.com gives you. The account becomes the one in use.
      """)

  @Argument(help: "The name to sign in with, as --user.")
  var name: String?

  @OptionGroup var options: LoginOptions
  @Option(help: ArgumentHelp("Keep the account under this name (default: the one at the service).", valueName: "name"))
  var account: String?

  @Option(
    name: [.customLong("ca-file"), .customLong("cacert")],
    help: ArgumentHelp("Trust the certificate authorities in this file, not the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if name != nil, options.user != nil || options.create != nil {
      throw ValidationError("a name, --user and --create exclude each other")
    }
  }

  func execute() throws(ToolError) -> ExitStatus {
    var options = options
    options.user = name ?? options.user
    let settings = try Settings.load()
    let file = try CredentialsFile.load()
    let service = try options.target(settings, file)
    let login = Login(service, options, account: account, caFile: cacert ?? settings.value(.caFile), file)
    let name = try login.run(try options.chosenMethod(service))
    Diagnostics.note("signed in to \(name.service) as \(name.name)")
    if let used = try CredentialsFile.load().account(nil, service: name.service, base: nil)?.name, used != name {
      Diagnostics.note("'\(used)' stays the account in use; to change that: tw-auth use \(name)")
    }
    let usual = settings.value(.service) ?? Services.usual.name
    if usual != name.service {
      Diagnostics.note("to use it by default: tw config set service \(name.service)")
    }
    noteWhatTakesPrecedence(name, settings)
    return .done
  }

  /// Says what keeps the tools from using the new account, and how to change that.
  private func noteWhatTakesPrecedence(_ name: ServiceAccount.Name, _ settings: Settings) {
    func isOther(_ account: String?) -> Bool { account.map { $0 != name.name && $0 != name.description } ?? false }
    let variables = ServiceVariables(settings, of: name.service, usual: Services.usual.name)
    let tokens =
      variables.hasForeignToken ? [] : ["TW_TOKEN", "TW_TOKEN_FILE"].filter { Paths.environment($0) != nil }
    let account = isOther(Paths.environment("TW_ACCOUNT")) ? ["TW_ACCOUNT"] : []
    for variable in tokens + account {
      Diagnostics.note("\(variable) is set and takes precedence over this account: unset \(variable)")
    }
    let isUsual = name.service == Services.usual.name
    let own = isUsual ? Settings.Key.tokenFile.rawValue : Settings.tokenFilePrefix + name.service
    let file = isUsual ? settings[.tokenFile] : settings.tokenFiles[name.service]
    let set = (file == nil ? [] : [own]) + (isOther(settings[.account]) ? ["account"] : [])
    for setting in set {
      Diagnostics.note("the setting \(setting) takes precedence over this account: tw config unset \(setting)")
    }
  }
}
