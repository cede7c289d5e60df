import ArgumentParser
import ServiceClients
import TweetCLI
import TweetCore
import TweetServices

package enum TwAuth {
  package static func main() {
    // Not for people: a tool starts it so.
    if ProgramWords.texts.dropFirst().elementsEqual([RenewalProcess.argument]) {
      RenewalProcess.serve(ServiceAPIs.all)
    }
    AuthCommand.main()
  }
}

/// `tw-auth`: the accounts that the tools use.
struct AuthCommand: GroupCommand {
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
      AuthLogin.self, AuthStatus.self, AuthReach.self, AuthList.self, AuthLists.self, AuthFollows.self, AuthUse.self,
      AuthLogout.self,
      AuthToken.self,
      AuthImport.self,
    ])

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: login, status, list, ... (see 'tw-auth --help')")
  }
}
