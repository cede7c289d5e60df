import ArgumentParser
import TweetCLI
package import TweetCore
package import TweetStore

/// Options that name a label.
package enum LabelOption {
  /// Parses the value.
  package static func parse(_ text: String) throws -> TweetLabel {
    guard let label = TweetLabel(text) else { throw ValidationError("'\(text)': \(TweetLabel.rule)") }
    return label
  }

  /// Says which of the labels no tweet ever had: a list with one of them is empty.
  package static func noteUnknown(_ labels: [TweetLabel], in store: borrowing TweetStore) throws(ToolError) {
    if labels.isEmpty { return }
    let known = try store.labelCounts().map(\.label)
    for label in labels where !known.contains(label.text) {
      let near = Spelling.question(about: label.text, in: known)
      let advice = label == .unread ? "; 'tw config set new-labels unread' gives it to new tweets" : ""
      Diagnostics.note("no tweet has had the label '\(label.text)'\(near ?? advice)")
    }
  }
}
