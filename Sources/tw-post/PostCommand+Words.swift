import TweetCLI
import TweetCore
import TweetServices

/// What the operands of `tw-post` ask for.
extension PostCommand {
  /// What the first word asks for, and the words after it. After `--` all words are text.
  func command() throws(ToolError) -> (Verb?, [String]) {
    guard words.isEmpty || wordsOfText < words.count, let first = words.first else { return (nil, words) }
    if let verb = Verb(rawValue: first) { return (verb, Array(words.dropFirst())) }
    // A word by itself is rather a command that there is not than a post. In an editor it is seen before it is posted,
    // and with an option for texts it is one.
    guard words.count == 1, Self.isBareWord(first), !textOptions.contains(where: \.isGiven) else { return (nil, words) }
    let near = Spelling.nearest(to: first.lowercased(), in: Verb.allCases.map(\.rawValue))
    let hint = near.map { "; did you mean '\($0)'?" } ?? "; --help lists them."
    throw .usage("'\(first)' is not a command\(hint) To post the word: tw-post -- '\(first)'")
  }

  /// How many words stand after `--`.
  private var wordsOfText: Int {
    let arguments = ProgramWords.texts
    return arguments.firstIndex(of: "--").map { arguments.count - 1 - $0 } ?? 0
  }

  /// Whether a text could be the name of a command: letters of ASCII, digits and hyphens.
  private static func isBareWord(_ text: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let others = Array("0123456789-_".utf8)
    return (1...20).contains(text.utf8.count) && text != "-"
      && text.utf8.allSatisfy { letters ~= $0 | 0x20 || others.contains($0) }
  }

  /// - Parameter draft: what the text is for; `nil` if it is only measured.
  func source(_ words: [String], of draft: PostDraft? = nil) throws(ToolError) -> PostText.Source {
    guard words.count < 2 else {
      throw .usage("the text must be one word to the shell: quote it (tw-post 'two words')")
    }
    guard let text = words.first else {
      if edit { return .editor("") }
      // Pictures need no text.
      if !media.isEmpty { return .none }
      if let draft, draft.editOf != nil, textOptions.contains(where: \.isGiven) || !descriptions.isEmpty {
        return .none
      }
      throw .usage("no text; 'tw-post -' reads it from standard input, --edit opens an editor")
    }
    let isInput = text == "-" && wordsOfText == 0
    if edit { return isInput ? .editor(try PostText.readInput()) : .editor(text) }
    return isInput ? .input : .word(text)
  }

  /// Refuses options that a word does not use: `--dry-run outbox drop` must not drop.
  func refuseUnused(_ verb: Verb?, _ rest: [String]) throws(ToolError) {
    guard let verb else { return }
    let isEdited = verb == .outbox && rest.first == "edit"
    let (makes, isCopied, asks) =
      switch verb {
      case .reply, .quote: (true, true, true)
      case .edit: (true, false, true)
      case .change(let change): (true, change == .delete, true)
      case .undo, .length: (false, true, true)
      case .flush: (false, false, true)
      case .outbox: (false, isEdited, false)
      }
    let unused = [
      ("--at", at != nil && !makes), ("--not-after", waiting.notAfter != nil && !makes), ("--later", later && !makes),
      ("--dry-run", dryRun && !makes && verb != .undo),
      ("--to", destinations != nil && !isCopied), ("--wait", wait && !asks),
      ("--account", service.identity.account != nil && !asks),
      ("--cacert", service.caFile != nil && !asks && !isEdited),
    ]
    if let option = unused.first(where: \.1)?.0 {
      throw .usage(
        "\(option) is not for '\(([verb.rawValue] + rest.prefix(verb == .outbox ? 1 : 0)).joined(separator: " "))'")
    }
  }
}
