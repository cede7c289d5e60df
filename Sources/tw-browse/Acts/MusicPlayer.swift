import TweetCLI
import TweetCore

/// Plays the links to music of tweets, one at a time.
final class MusicPlayer {
  private unowned let model: BrowseModel
  private var playing: (address: String, command: BackgroundCommand)?

  init(_ model: BrowseModel) { self.model = model }

  /// Plays the first link to music of the tweet under the cursor, in place of what plays now; stops it if it is what
  /// plays.
  /// - Parameter player: the command of the setting.
  func play(with player: String?) {
    let tweet = model.selected
    let link = tweet?.document.flatMap { TweetSubjects($0).music }
    if let playing, link == nil || link?.url == playing.address {
      stop()
      return model.say("stopped")
    }
    if tweet == nil { return }
    guard let link else { return model.say("the tweet has no link to music") }
    guard let player else { return model.say("no player is set: tw config set browse.player 'mpv --no-video'") }
    stop()
    let words = player.split(separator: " ").map(String.init) + [link.url]
    let command = model.start([Tools.Command(words: words, isOfKit: false)]) { [weak self] in
      self?.finish(link.url, $0, $1)
    }
    guard let command else { return }
    command.isExpendable = true
    playing = (link.url, command)
    model.say("plays \(link.url)")
  }

  /// Ends what plays. It has a moment for that.
  private func stop() {
    playing?.command.end()
    playing = nil
  }

  private func finish(_ address: String, _ ending: ChildProcess.Ending, _ command: BackgroundCommand) {
    guard command === playing?.command else { return }
    playing = nil
    model.tell(ending == .exited(0) ? "played \(address)" : "the player: \(command.lastWords ?? "it ended \(ending)")")
  }
}
