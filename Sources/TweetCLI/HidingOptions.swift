import ArgumentParser
import Libc
package import TweetCore

/// The options that say which tweets are not shown.
package struct HidingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Do not show retweets, replies, or both.", valueName: "retweets,replies"),
    completion: CompletionOffers.completion(ofListsOf: HiddenTweets.Kind.allCases.map(\.rawValue)),
    transform: HidingOptions.kinds)
  var hide: [HiddenTweets.Kind]?

  @Flag(help: "Also show what the setting 'mute' hides.")
  var noMute = false

  package init() {}

  /// What the options and the setting hide.
  package var hidden: HiddenTweets {
    get throws(ToolError) { HiddenTweets(mute: noMute ? nil : try Settings.load().mute, kinds: hide ?? []) }
  }

  private static func kinds(_ text: String) throws -> [HiddenTweets.Kind] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      if let kind = HiddenTweets.Kind(rawValue: String(word)) { return kind }
      let all = HiddenTweets.Kind.allCases.map(\.rawValue)
      let near = Spelling.question(about: String(word), in: all) ?? ""
      throw ValidationError("'\(word)' is not one of \(all.joined(separator: ", "))\(near)")
    }
  }

  /// Whether a person would read how many tweets are muted.
  package static var tellsMuted: Bool { isatty(2) == 1 && !Diagnostics.isQuiet }

  /// Tells a person at a terminal how many copies of posts were left out.
  package static func note(copies count: Int) {
    guard count > 0, tellsMuted else { return }
    Diagnostics.note(
      count == 1
        ? "1 copy of a post that is shown was left out; --all-copies shows it"
        : "\(count) copies of posts that are shown were left out; --all-copies shows them")
  }

  /// Tells a person at a terminal how many tweets are muted.
  package static func note(muted count: Int) {
    guard count > 0, tellsMuted else { return }
    let (are, them) = count == 1 ? (" is", "it") : ("s are", "them")
    Diagnostics.note("\(count) muted tweet\(are) not shown; --no-mute shows \(them)")
  }
}
