import TweetCore
import TweetDisplay

/// Commands that run while the screen goes on.
extension Browser {
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
        if ending != .exited(0) { screen.message = command.lastWords ?? "the refresh ended \(ending)" }
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
    if record["tw"]?.equals("refresh") == true { record.read { status.record(refresh: $0) } }
    if record["tw"]?.equals("notice") == true { note(notice: record) }
  }

  private func note(notice: JSONDocument) {
    if !notice.read({ status.record(notice: $0) }), let message = notice["message"]?.string { screen.message = message }
  }
}
