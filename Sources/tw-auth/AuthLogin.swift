import ArgumentParser
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth login`: signs in, and keeps the account.
struct AuthLogin: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in to a service.",
    discussion: """
      EXAMPLES:
        tw-auth login --client-id YOUR-CLIENT-ID
        tw-auth login --create maja --password-file ~/password

      The browser opens on the service's page, and comes back when you have allowed it. For X you need an application of your \
      own, which https://developer.x.com gives you. The account becomes the one in use.
      """)

  @OptionGroup var options: LoginOptions
  @Option(help: ArgumentHelp("Keep the account under this name (default: the one at the service).", valueName: "name"))
  var account: String?

  @Option(
    name: [.customLong("ca-file"), .customLong("cacert")],
    help: ArgumentHelp("Trust the certificate authorities in this file, not the system's.", valueName: "file"),
    completion: .file())
  var cacert: String?

  @OptionGroup var messages: MessageOptions

  var isQuiet: Bool { messages.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    let file = try CredentialsFile.load()
    let service = try options.target(settings, file)
    let login = Login(service, options, account: account, caFile: cacert ?? settings.value(.caFile), file)
    let name = try login.run(options.chosenMethod(service))
    Diagnostics.note("signed in to \(name.service) as \(name.name)")
    let usual = settings.value(.service) ?? "x"
    if usual != name.service {
      Diagnostics.note("to use it by default: tw config set service \(name.service)")
    }
    let others = [("TW_TOKEN", "unset TW_TOKEN"), ("TW_TOKEN_FILE", "unset TW_TOKEN_FILE")]
    for (variable, remedy) in others where Paths.environment(variable) != nil {
      Diagnostics.note("\(variable) is set and goes before this account: \(remedy)")
    }
    if settings[.tokenFile] != nil {
      Diagnostics.note("the setting token-file goes before this account: tw config unset token-file")
    }
    return .done
  }
}
