import ArgumentParser
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth token`: a token that works now, for curl(1) and scripts.
struct AuthToken: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print a token that works now, for other programs.",
    discussion: """
      EXAMPLES:
        tw-auth token
        tw-auth token --account work | wc -c

      The token is a secret: print it into a pipe or a variable. An account of OAuth 1.0a, \
      and one of OAuth at Bluesky, has no token that works alone.
      """)

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let access = try ServiceAccess.fromEnvironment(identity, Settings.load())
    let token: Secret
    do throws(TransferError) {
      guard let found = try access.credential.token(for: access.base) else {
        throw TransferError(
          credential: .usage(
            "account '\(access.account ?? "")' signs each request (OAuth 1.0a, DPoP): it has no token that works alone")
        )
      }
      token = found
    } catch {
      throw error.cause ?? .tryLater("the token cannot be renewed now: \(error.text)")
    }
    try RecordWriter.print(token.exposed + "\n")
    return .done
  }
}
