import TweetCLI
import TweetCore

/// The list of keys: first what can be done with the tweet under the cursor, then the rest.
enum HelpRows {
  private static let keyColumns = 18

  /// - Parameter tweet: the record under the cursor.
  static func lines(_ screen: ScreenState, _ tweet: RecordCache.Entry?) -> [String] {
    let subjects = tweet?.document.map { TweetSubjects($0) }
    var here: [Action] = []
    var list: [Action] = []
    var others: [Action] = []
    for action in Action.allCases {
      let applies =
        switch action.subject {
        case .tweet: subjects != nil
        // Whose tweet it is only the service knows for sure.
        case .ownTweet: subjects != nil
        case .link: subjects?.hasLinks == true
        case .music: subjects?.hasMusic == true
        case .picture: subjects?.hasPictures == true
        case .act: screen.undo != nil
        case .list, .program: false
        }
      if applies {
        here.append(action)
      } else if action.subject == .list {
        list.append(action)
      } else {
        others.append(action)
      }
    }
    let number = "1 to 9" + String(repeating: " ", count: keyColumns - 6) + "a feed by its number"
    var rows = section("the tweet under the cursor", here, screen)
    rows += section("the list", list, screen).dropLast()
    rows += [number, ""]
    rows += section("more", others, screen)
    return rows
  }

  private static func section(_ title: String, _ actions: [Action], _ screen: ScreenState) -> [String] {
    if actions.isEmpty { return [] }
    let rows = actions.map { action in
      let keys = screen.keys.keys(of: action).map(\.name).joined(separator: " ")
      return keys + String(repeating: " ", count: max(keyColumns - keys.count, 1)) + action.help + "  :"
        + action.rawValue
    }
    return ["— \(title)"] + rows + (title == "more" ? [] : [""])
  }
}
