import ArgumentParser
import TweetCLI
import TweetCore

/// `tw-auth`: the accounts that the tools use.
@main
struct TwAuth: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-auth",
    abstract: "Sign in to services, and keep the accounts that the tools use.",
    discussion: """
      EXAMPLES:
        tw-auth login
        tw-auth login --service local --endpoint http://127.0.0.1:8080 --create maja

      Passwords and other secrets come from a file, a command or a prompt, and never from the command line.
      """,
    version: Version.number,
    subcommands: [
      AuthLogin.self, AuthStatus.self, AuthList.self, AuthUse.self, AuthLogout.self, AuthToken.self, AuthImport.self,
    ])

  var isQuiet: Bool { false }

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: login, status, list, ... (see 'tw-auth --help')")
  }
}
