package import TweetAccounts
package import TweetCore

extension ServiceAccess {
  /// The service that a tool works for: the one that a variable or setting names, else the one that is implied; `nil`
  /// for the usual one. The parameters are those of ``impliedService(account:in:_:)``.
  package static func serviceName(
    account option: String?, in accounts: @autoclosure () -> CredentialsFile? = try? CredentialsFile.load(),
    _ settings: Settings
  ) -> String? {
    settings.variable("TW_SERVICE") ?? impliedService(account: option, in: accounts(), settings)
  }

  /// The account that is named as the tools print it: `bluesky:alice.example`.
  static func knownAccount(
    _ text: String, in accounts: @autoclosure () -> CredentialsFile?
  ) -> ServiceAccount.Name? {
    text.contains(":") ? accounts()?.accounts.first { $0.name.description == text }?.name : nil
  }

  /// The service that is meant where neither a variable nor a setting names one: that of all accounts, or of all that
  /// have the name that is asked for.
  ///
  /// - Parameter accounts: those that are signed in.
  /// - Returns: `nil` if they are of several services, or if there are none; or if a token or an address is given
  ///   beside them.
  package static func impliedService(
    account option: String?, in accounts: @autoclosure () -> CredentialsFile? = try? CredentialsFile.load(),
    _ settings: Settings
  ) -> String? {
    guard ["TW_TOKEN", "TW_TOKEN_FILE", "TW_ENDPOINT"].allSatisfy({ settings.variable($0) == nil }) else { return nil }
    // A file that cannot be read is told of by what needs it.
    guard let known = accounts()?.accounts.map(\.name) else { return nil }
    let name = option ?? settings.variable("TW_ACCOUNT")
    let services = Set(known.filter { name == nil || $0.name == name }.map(\.service))
    return services.count == 1 ? services.first : nil
  }
}
