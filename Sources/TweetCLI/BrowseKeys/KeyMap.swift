package import TweetCore

/// The keys that are in force: the usual ones, and those of the settings `browse.keys.ACTION` in their place.
package struct KeyMap: Sendable {
  /// What a setting says for an action that has no key.
  private static let noKey = "none"

  private var keys: [Action: [Key]] = [:]
  private var actions: [Key: Action] = [:]

  /// - Throws: ``ToolError/configuration(_:)``, with the file and the line, for an action or a key that there is not,
  ///   and for a key that two actions would have.
  package init(_ settings: Settings) throws(ToolError) {
    var positions: [Action: String] = [:]
    for (name, binding) in settings.bindings.sorted(by: { $0.key < $1.key }) {
      func fault(_ text: String) -> ToolError {
        .configuration("\(binding.position): \(Settings.bindingPrefix)\(name): \(text)")
      }
      guard let action = Action(rawValue: name) else {
        let near = Spelling.question(about: name, in: Action.allCases.map(\.rawValue)) ?? ""
        throw fault("tw-browse has no action '\(name)'\(near)")
      }
      var found: [Key] = []
      for word in binding.keys.split(separator: " ").map(String.init) where word != Self.noKey {
        guard let key = Key(name: word) else {
          throw fault(
            "'\(word)' is not a key: a letter or sign, ^X, or one of Space, Enter, Esc, Tab, PgUp and the like")
        }
        if case .character(let digit) = key, ("1"..."9").contains(digit) {
          throw fault("'\(word)' shows a feed, and no action takes its place")
        }
        if !found.contains(key) { found.append(key) }
      }
      if found.isEmpty, action == .quit { throw fault("an action that leaves needs a key") }
      (keys[action], positions[action]) = (found, binding.position)
    }
    for action in Action.allCases {
      let own = keys[action] ?? action.usualKeys
      keys[action] = own
      for key in own {
        guard let other = actions.updateValue(action, forKey: key) else { continue }
        // The one that a setting names is to blame.
        let (blamed, usual) = positions[action] == nil ? (other, action) : (action, other)
        let advice = positions[usual] == nil ? "; give '\(usual.rawValue)' another key, or 'none'" : ""
        throw .configuration(
          "\(positions[blamed] ?? ""): \(Settings.bindingPrefix)\(blamed.rawValue): key '\(key.name)' is that of "
            + "'\(usual.rawValue)' too\(advice)")
      }
    }
  }

  /// The keys of an action, the one that is shown first; none for one that only `:` does.
  package func keys(of action: Action) -> [Key] { keys[action] ?? [] }

  /// What is shown as the key of an action: its first key, or its name after `:`.
  package func name(of action: Action) -> String { keys[action]?.first?.name ?? ":\(action.rawValue)" }

  /// The action of a key; `nil` if it has none.
  package subscript(key: Key) -> Action? { actions[key] }
}
