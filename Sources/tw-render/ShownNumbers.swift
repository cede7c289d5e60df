import TweetCLI
import TweetCore

/// Numbers of tweets, as this run gives and reads them.
extension RenderCommand {
  /// What gives tweets numbers: where they are asked for, and by the setting if standard output is a terminal.
  func shownNumbers(on screen: Screen) throws(ToolError) -> TweetNumbers? {
    if numbers == nil, !screen.isTerminal { return nil }
    let isWanted = if let numbers { numbers } else { try Settings.load().hasNumbers }
    guard isWanted else { return nil }
    let made = TweetNumbers()
    if made == nil { Diagnostics.note("there is no terminal here, so tweets get no numbers") }
    return made
  }

  /// The tweet that was asked for, which may be named by its number.
  var asked: AskedTweet? {
    get throws(ToolError) {
      guard let tweet else { return nil }
      var numbers = ShortNumbers()
      guard let target = try numbers.target(tweet) else { return AskedTweet(tweet) }
      return AskedTweet(target.service == "x" ? target.id : "\(target.service):\(target.id)")
    }
  }
}
