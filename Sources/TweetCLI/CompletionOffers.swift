package import ArgumentParser

/// What a shell offers a person who presses Tab, for values that the completion scripts cannot contain: names from a
/// store, lists with commas. The scripts ask the tool (ArgumentParser's `---completion`).
package enum CompletionOffers {
  /// A completion that asks `offers`.
  /// - Parameter offers: gives the words that begin with a prefix, for the words of the command line. Both are without
  ///   the shell's quotes. It has no way to report an error: then it offers nothing.
  package static func completion(
    _ offers: @escaping @Sendable (_ prefix: String, _ words: [String]) -> [String]
  ) -> CompletionKind {
    .custom { (words: [String], _: Int, prefix: String) -> [String] in
      offers(unquoted(prefix), words.map(unquoted)).compactMap { quoted($0, for: CompletionShell.requesting) }
    }
  }

  /// A completion of values with commas between them.
  package static func completion(ofListsOf values: [String]) -> CompletionKind {
    completion { prefix, _ in
      let parts = prefix.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let head = parts.dropLast()
      return values.filter { !head.contains($0) && $0.hasPrefix(parts.last ?? "") }
        .map { (head + [$0]).joined(separator: ",") }
    }
  }

  /// The text of a word as the person typed it, perhaps with a quote that is still open.
  static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }

  /// An offer as the script for that shell must get it; `nil` for one that it would not understand.
  static func quoted(_ offer: String, for shell: CompletionShell?) -> String? {
    switch shell {
    // bash's `compgen -W` expands its words: `$(…)` in them would run.
    case .bash: "'" + offer.replacing("'", with: #"'\''"#) + "'"
    // zsh's `_describe` takes a colon for the beginning of a description.
    case .zsh: offer.contains("\\") ? nil : offer.replacing(":", with: "\\:")
    default: offer
    }
  }
}
