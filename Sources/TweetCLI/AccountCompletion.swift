package import ArgumentParser
import TweetCore

/// The names of the accounts that are signed in, for a shell that completes a word.
package enum AccountCompletion {
  /// Of all services: `jack`, and `x:jack` once the service has been typed. Nothing if the file cannot be read.
  package static let names = CompletionOffers.completion { prefix, _ in
    guard let bytes = try? StateFile.read(Paths.credentials), let file = try? JSONDocument(bytes) else { return [] }
    var names: [String] = []
    for account in file.list("accounts") {
      guard let name = account["name"]?.nonEmptyString, let service = account["service"]?.nonEmptyString else {
        continue
      }
      names.append(prefix.contains(":") ? "\(service):\(name)" : name)
    }
    // What a terminal would obey is no help.
    return Set(names).filter { $0.hasPrefix(prefix) && Printable.line($0) == $0 }.sorted()
  }
}

/// The languages that the kit has words and forms of its own for, and others that many posts are in.
package enum LanguageCompletion {
  package static let codes = CompletionKind.list([
    "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "uk", "zh",
  ])
}
