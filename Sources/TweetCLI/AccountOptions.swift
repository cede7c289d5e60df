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

/// How a service is reached, and which account requests are made for.
package struct AccessOptions: ParsableArguments {
  @Option(
    name: [.customLong("ca-file"), .customLong("cacert")],
    help: ArgumentHelp("Trust the certificate authorities in this file, not the system's.", valueName: "file"),
    completion: .file())
  package var caFile: String?

  @OptionGroup package var identity: AccountOptions

  package init() {}
}

/// The names of the accounts that are signed in, for a shell that completes a word.
package enum AccountCompletion {
  /// Of all services: `jack`, and `x:jack` once the service has been typed. Nothing if the file cannot be read.
  package static let names = CompletionOffers.completion { prefix, _ in
    offers(accounts.map { prefix.contains(":") ? "\($0.service):\($0.name)" : $0.name }, prefix)
  }

  /// Services that a tool knows, and those of the accounts, such as `mastodon:example.social`.
  package static func services(_ known: [String]) -> CompletionKind {
    CompletionOffers.completion { prefix, _ in offers(known + accounts.map(\.service), prefix) }
  }

  /// The accounts in the file of credentials, of each service the one in use first. Nothing if the file cannot be read:
  /// what needs the credentials says so.
  package static var accounts: [(service: String, name: String)] {
    guard let bytes = try? StateFile.read(Paths.credentials), let file = try? JSONDocument(bytes) else { return [] }
    return file.list("accounts").compactMap { account in
      guard let name = account["name"]?.nonEmptyString, let service = account["service"]?.nonEmptyString else {
        return nil
      }
      return (service, name)
    }
  }

  /// What a terminal would obey is no help.
  private static func offers(_ names: [String], _ prefix: String) -> [String] {
    Set(names).filter { $0.hasPrefix(prefix) && Printable.line($0) == $0 }.sorted()
  }
}

/// The languages that the kit has words and forms of its own for, and others that many posts are in.
package enum LanguageCompletion {
  package static let codes = CompletionKind.list([
    "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "uk", "zh",
  ])
}
