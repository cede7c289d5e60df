import StoreCLI
import TweetCore
import TweetStore

/// Lists that a person names.
enum NamedLists {
  /// What a saved query finds.
  /// - Throws: `ToolError.noInput` if none is called so, with those that are there; what is wrong with its text.
  static func query(_ name: String, of saved: [SavedQuery]) throws(ToolError) -> TweetQuery {
    if let text = saved.first(where: { $0.name == name })?.text { return try QueryText(text).query }
    let names = saved.map(\.name).joined(separator: ", ")
    throw .noInput(
      names.isEmpty ? "no query is saved: tw-cache query" : "no saved query is called '\(name)' (\(names))")
  }

  /// The tweets with a label.
  /// - Throws: `ToolError.usage` for what cannot be a label.
  static func label(_ text: String) throws(ToolError) -> TweetQuery {
    guard let label = TweetLabel(text) else { throw .usage("'\(text)' is not a label: \(TweetLabel.rule)") }
    var query = TweetQuery()
    query.labels = [label]
    return query
  }
}
