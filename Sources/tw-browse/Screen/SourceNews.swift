import TweetCore
import TweetDisplay

/// What those say of the feeds who refresh the sources, for the row below the list.
struct SourceNews {
  private(set) var status: FeedStatus
  /// When a source was refreshed last.
  private(set) var refreshedAt: Timestamp?
  /// Whether the last round failed since nobody is signed in.
  private(set) var isSignedOut = false

  init(_ look: ScreenStyle) { status = FeedStatus(look.style, look.locale) }

  /// Takes a record of tw-cache refresh.
  mutating func take(_ record: JSONDocument, _ state: inout BrowseState) {
    if record["tw"]?.equals("refresh") == true {
      record.read { status.record(refresh: $0) }
      // A round that failed has a status, and a notice says why, the first time.
      if record["status"] == nil { (state.trouble, refreshedAt) = (nil, .shown) }
      isSignedOut = record["status"]?.integer.map { $0 == Int(ExitStatus.notAllowed.rawValue) } ?? false
    }
    if record["tw"]?.equals("notice") == true { take(notice: record, &state) }
  }

  private mutating func take(notice: JSONDocument, _ state: inout BrowseState) {
    let code = notice["code"]
    if notice.read({ status.record(notice: $0) }) {
      if code?.equals("connect") == true { state.trouble = nil }
      return
    }
    guard let message = notice["message"]?.string else { return }
    guard code?.equals("refresh") == true || code?.equals("budget") == true else { return state.message = message }
    // It stays until the sources answer.
    state.trouble = isSignedOut ? "signed out, read only: run 'tw-auth login'" : message
  }

  /// What is wrong when nobody refreshes them any more.
  /// - Parameters:
  ///   - trouble: what was wrong before.
  ///   - separator: stands between what is said.
  func trouble(
    after trouble: String?, _ ending: ChildProcess.Ending, _ command: BackgroundCommand, isLive: Bool,
    separator: StaticString
  ) -> String {
    let reason = trouble ?? (ending == .exited(0) ? nil : command.lastWords ?? "the refresh ended \(ending)")
    let since = isLive ? .shown : refreshedAt
    let age = since.map { "stale since \(status.clock($0)): R asks again" } ?? "R asks again"
    return [reason, age].compactMap { $0 }.joined(separator: " \(separator) ")
  }
}
