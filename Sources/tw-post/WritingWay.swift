import TweetCLI
import TweetCore

/// How the writes of a run are made.
struct WritingWay {
  /// Whether it waits for rate limits and a lost service.
  let waits: Bool
  let isLater: Bool
  /// When what is for later is to be sent; `nil` for as soon as can be.
  var dueAt: Timestamp?
  let isDryRun: Bool
  var needsNoQuestion: Bool
  /// Whether pictures and videos are posted with what they say about their owner.
  let keepsMetadata: Bool
  /// Whether a post is made without its card if the page cannot be read.
  var needsNoCard = false
  /// After this time what is for later is not sent any more.
  var notAfter: Timestamp?
  /// Whether a list is done again that was done before.
  var repeats = false

  /// Asks a person before something is changed, unless nobody wants to be asked.
  func mayChange(_ what: String) throws(ToolError) -> Bool {
    if needsNoQuestion { return true }
    if try Question.ask(what) { return true }
    Diagnostics.note("nothing was changed")
    return false
  }

  /// When it is sent, as a line of ``DryRun``.
  var sendingWords: String { "sent: " + (isLater ? "by 'tw-post flush'\(dueWords)" : "at once") }

  /// What a message about what is for later ends with.
  var dueWords: String {
    (dueAt.map { " from \(LocalMoment.text($0)) on" } ?? "")
      + (notAfter.map { ", and not after \(LocalMoment.text($0))" } ?? "")
  }
}
