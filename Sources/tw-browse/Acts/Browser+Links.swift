import Libc
import TweetCLI
import TweetCore

/// Addresses: links, pages, music.
extension Browser {
  private var subjects: TweetSubjects? { selected?.document.map { TweetSubjects($0) } }

  func chooseLink() {
    guard let links = subjects?.links.map(\.url) else { return }
    if links.isEmpty { return screen.message = "the tweet has no links" }
    if links.count == 1 { return open(links[0]) }
    screen.prompt = LinePrompt(.link(links))
  }

  func openPage() {
    guard let address = selected?.document?["url"]?.string, TweetTarget.isWebAddress(address) else {
      return screen.message = screen.message ?? "the tweet has no page"
    }
    open(address)
  }

  /// Opens a page in the person's browser, or with the command of the setting.
  func open(_ address: String) {
    if let opener = settings.opener {
      let isOpen = detach(opener.split(separator: " ").map(String.init) + [address])
      return screen.message = isOpen ? address : "cannot run '\(opener)'"
    }
    screen.message = WebBrowser.open(address) ? address : "no browser is known: $BROWSER or browse.opener names one"
  }

  /// Starts a program that goes on by itself.
  private func detach(_ command: [String]) -> Bool {
    let null = Libc.open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return false }
    defer { close(null) }
    return ChildProcess.spawn(command, input: null, output: null, errors: null, leadsGroup: true) != nil
  }

  func copyAddress() {
    guard let address = selected?.document?["url"]?.string else { return }
    terminal.copy(address)
    screen.message = "copied: \(address)"
  }

  // MARK: Music

  /// Plays the first link to music of the tweet under the cursor, in place of what plays now; stops it if it is what
  /// plays.
  func play() {
    if let playing, subjects?.music == nil || subjects?.music?.url == playing.address {
      stopPlaying()
      return screen.message = "stopped"
    }
    guard let link = subjects?.music else { return screen.message = screen.message ?? "the tweet has no link to music" }
    guard let player = settings.player else {
      return screen.message = "no player is set: tw config set browse.player 'mpv --no-video'"
    }
    stopPlaying()
    let command = Tools.Command(words: player.split(separator: " ").map(String.init) + [link.url], isOfKit: false)
    do throws(ToolError) {
      playing = (link.url, try BackgroundCommand([command]))
      screen.message = "plays \(link.url)"
    } catch {
      screen.message = error.message
    }
  }

  /// Ends what plays.
  /// - Parameter waits: whether until it has ended: the screen is gone already.
  func stopPlaying(waits: Bool = false) {
    if let command = playing?.command {
      command.end()
      stoppedPlayers.append((command, MonotonicClock.milliseconds + Self.stopTime))
    }
    playing = nil
    if waits { for (command, _) in stoppedPlayers { command.stop() } }
  }

  /// Milliseconds that a player has to end.
  private static let stopTime = 2_000

  /// Notes that a player has ended.
  func readPlayers() {
    let now = MonotonicClock.milliseconds
    stoppedPlayers = stoppedPlayers.filter { command, deadline in
      if now >= deadline { command.kill() }
      return command.read() == nil
    }
    guard let (address, command) = playing, let ending = command.read() else { return }
    playing = nil
    screen.message =
      ending == .exited(0) ? "played \(address)" : "the player: \(command.lastWords ?? "it ended \(ending)")"
  }
}
