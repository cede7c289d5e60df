import TweetCLI
import TweetCore

/// The list of keys: first what can be done with the tweet under the cursor, then the rest.
enum HelpRows {
  private static let keyColumns = 18

  /// - Parameter tweet: the record under the cursor.
  static func lines(_ screen: BrowseState, _ tweet: RecordCache.Entry?) -> [String] {
    let subjects = tweet?.document.map { TweetSubjects($0) }
    func applies(_ action: Action) -> Bool {
      switch action.subject {
      // Whose tweet it is only the service knows for sure.
      case .tweet, .ownTweet: subjects != nil
      case .link: subjects?.hasLinks == true
      case .music: subjects?.hasMusic == true
      case .picture: subjects?.hasPictures == true
      case .act: screen.undo != nil
      case .list, .program: false
      }
    }
    let others = Action.allCases.filter { !applies($0) }
    let number = "1 to 9" + String(repeating: " ", count: keyColumns - 6) + "a feed by its number"
    return section("the tweet under the cursor", Action.allCases.filter(applies), screen)
      + section("the list", others.filter { $0.subject == .list }, screen).dropLast() + [number, ""]
      + section("more", others.filter { $0.subject != .list }, screen)
  }

  private static func section(_ title: String, _ actions: [Action], _ screen: BrowseState) -> [String] {
    if actions.isEmpty { return [] }
    let rows = actions.map { action in
      let keys = screen.keys.keys(of: action).map(\.name).joined(separator: " ")
      return keys + String(repeating: " ", count: max(keyColumns - keys.count, 1)) + action.help + "  :"
        + action.rawValue
    }
    return ["— \(title)"] + rows + (title == "more" ? [] : [""])
  }
}
