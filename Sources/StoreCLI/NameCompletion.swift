package import ArgumentParser
import Services
import TweetCLI
import TweetCore
import TweetStore

/// Completions of names that are in the person's store.
package enum NameCompletion {
  package static let tags = CompletionOffers.completion { prefix, words in
    let sign = prefix.hasPrefix("#") ? "#" : ""
    return names(.hashtags, prefix.dropFirst(sign.count), signs: (sign, ""), words)
  }

  package static let users = CompletionOffers.completion { prefix, words in
    let sign = prefix.hasPrefix("@") ? "@" : ""
    return names(.users, prefix.dropFirst(sign.count), signs: (sign, ""), words)
  }

  /// Labels, with or without the sign that gives them or takes them away.
  package static let labels = CompletionOffers.completion { prefix, words in
    let sign = prefix.first.map { $0 == "+" || $0 == "-" ? String($0) : "" } ?? ""
    return names(.labels, prefix.dropFirst(sign.count), signs: (sign, ""), words)
  }

  package static let queries = CompletionOffers.completion { prefix, words in
    names(.queries, prefix[...], signs: ("", ""), words)
  }

  /// Those that the tools know; a store may have tweets of others.
  package static let services = AccountCompletion.services(Services.all.map(\.name).filter { !$0.contains(":") })

  package static let feeds = sources(.feeds)
  package static let sources = sources(.sources)

  /// Sources in their normal form; also `@jack` for `user:jack`, and `swift` for `#swift`.
  private static func sources(_ kind: StoredNames) -> CompletionKind {
    CompletionOffers.completion { prefix, words in
      if prefix.hasPrefix("@") { return names(kind, prefix.dropFirst(), signs: ("@", "user:"), words) }
      let normal = names(kind, prefix[...], signs: ("", ""), words)
      return prefix.isEmpty ? normal : normal + names(kind, prefix[...], signs: ("", "#"), words)
    }
  }

  /// The stored names that begin with `prefix`, as the person types them. Nothing if there is no store or it cannot be
  /// read.
  /// - Parameters:
  ///   - signs: what stands before a name on the command line, and before it in the store.
  ///   - words: the command line, which may name the store.
  private static func names(
    _ kind: StoredNames, _ prefix: Substring, signs: (typed: String, stored: String), _ words: [String]
  ) -> [String] {
    do throws(ToolError) {
      let wanted = kind == .hashtags ? prefix.lowercased() : String(prefix)
      let found = try kind.names(startingWith: signs.stored + wanted, in: try store(words))
      // What a person cannot type, or a terminal would obey, is no help. The case stays as it was typed.
      return found.filter { Printable.line($0) == $0 }.map { name in
        signs.typed + prefix + name.dropFirst(signs.stored.count + prefix.count)
      }
    } catch {
      return []
    }
  }

  private static func store(_ words: [String]) throws(ToolError) -> String {
    var path: String?
    for (word, next) in zip(words, words.dropFirst()) where word == "--db" { path = next }
    guard let path else { return try Settings.load().tweetStore }
    if path.hasPrefix("~/"), let home = Paths.environment("HOME") { return home + path.dropFirst() }
    return path
  }
}
