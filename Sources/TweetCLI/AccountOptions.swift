package import ArgumentParser
package import TweetCore

/// The account that requests are made for: the checkpoints and the sources in the store belong to it, and its
/// application pays.
package struct AccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The account that asks, and has its own sources (default: $TW_ACCOUNT).", valueName: "name"),
    completion: AccountCompletion.names)
  package var account: String?

  package init() {}

  /// The option, else the environment, else the setting; `nil` means the account in use.
  package func name(_ settings: Settings) -> String? { account ?? settings.value(.account) }

  package func validate() throws {
    if account?.isEmpty == true { throw ValidationError("--account needs a name") }
  }
}
