import TweetCore
import TweetDisplay

/// Commands that run while the screen goes on.
extension Browser {
  /// Milliseconds for which a message is shown, if no key comes before.
  private static let messageTime = 15_000

  /// Starts commands in the background, joined by pipes.
  /// - Parameters:
  ///   - readsOutput: whether what they print is kept.
  ///   - finish: is called when they have ended.
  /// - Returns: whether they run; the message says why not.
  @discardableResult
  func start(
    _ commands: [Tools.Command], input: [UInt8]? = nil, readsOutput: Bool = false,
    finish: @escaping (ChildProcess.Ending, BackgroundCommand) -> Void
  ) -> Bool {
    do throws(ToolError) {
      try running.start(commands, input: input, readsOutput: readsOutput, finish: finish)
      return true
    } catch {
      screen.message = error.message
      return false
    }
  }

  /// Starts to refresh the sources anew: all are asked at once.
  func startRefresh() {
    guard let refreshed else { return }
    refresh?.stop()
    screen.trouble = nil
    do throws(ToolError) {
      refresh = try BackgroundCommand(tools.following(refreshed), readsOutput: true)
    } catch {
      screen.message = error.message
    }
  }

  /// Whether sources are refreshed.
  var isRefreshing: Bool { refreshed != nil }

  /// Reads what they say, and does what is to be done when one has ended.
  func readChildren() {
    if let command = refresh {
      let ending = command.read()
      for line in command.takeLines() { note(line) }
      if let ending {
        refresh = nil
        let reason = screen.trouble ?? (ending == .exited(0) ? nil : command.lastWords ?? "the refresh ended \(ending)")
        let since = refreshed?.isLive == true ? .shown : refreshedAt
        let age = since.map { "stale since \(status.clock($0)): R asks again" } ?? "R asks again"
        screen.trouble = [reason, age].compactMap { $0 }.joined(separator: " \(look.style.glyphs.separator) ")
      }
    }
    if let command = collecting, let ending = command.read() {
      collecting = nil
      if ending != .exited(0) { screen.message = command.lastWords ?? "the records ended \(ending)" }
    }
    for finish in running.takeEnded() { finish() }
  }

  /// Takes a line of tw-cache refresh: what it says of the feeds. The tweets come from the store.
  private func note(_ line: [UInt8]) {
    // Its lines are records of the kit.
    guard let record = try? JSONDocument(line) else { return }
    if record["tw"]?.equals("refresh") == true {
      record.read { status.record(refresh: $0) }
      // A round that failed has a status, and a notice says why, the first time.
      if record["status"] == nil { (screen.trouble, refreshedAt) = (nil, .shown) }
      isSignedOut = record["status"]?.integer.map { $0 == Int(ExitStatus.notAllowed.rawValue) } ?? false
    }
    if record["tw"]?.equals("notice") == true { note(notice: record) }
  }

  /// Nobody may press a key for long, and the row below is what a message hides.
  func forgetMessage(_ now: Int) {
    if screen.message != said.message { said = (screen.message, now) }
    if screen.message != nil, now - said.since >= Self.messageTime { screen.message = nil }
  }

  private func note(notice: JSONDocument) {
    let code = notice["code"]
    if notice.read({ status.record(notice: $0) }) {
      if code?.equals("connect") == true { screen.trouble = nil }
      return
    }
    guard let message = notice["message"]?.string else { return }
    guard code?.equals("refresh") == true || code?.equals("budget") == true else {
      return screen.message = message
    }
    // It stays until the sources answer.
    screen.trouble = isSignedOut ? "signed out, read only: run 'tw-auth login'" : message
  }
}
