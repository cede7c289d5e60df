package import ArgumentParser
import TweetCore

/// The account that requests are made for: the budget, the checkpoints and the sources in the store belong to it.
package struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The account that sources and budget belong to (default: $TW_ACCOUNT).", valueName: "name"))
  package var account: String?

  package init() {}

  /// The option, else the environment.
  package var name: String? { account ?? Paths.environment("TW_ACCOUNT") }

  package func validate() throws {
    if account?.isEmpty == true { throw ValidationError("--account needs a name") }
  }
}
