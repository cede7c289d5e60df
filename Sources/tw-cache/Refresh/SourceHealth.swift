import TweetCore
import TweetStore

/// How the refreshes of a source go, as `source list` and `status` tell it.
struct SourceHealth {
  enum State: String {
    case ok, due, failing, paused
    /// It has no interval: only who names it refreshes it.
    case byName = "by name"
  }

  let source: RefreshedSource
  let state: State
  /// What went wrong the last time; `nil` if the last refresh succeeded.
  let error: String?

  /// Of all sources, by service, account and source.
  static func all(in store: borrowing TweetStore) throws(ToolError) -> [SourceHealth] {
    let signInChange = try SignInChange.time()
    return try store.sources().map { (source) throws(ToolError) in
      let isDue = try store.isDue(source, at: .shown, signInChange: signInChange)
      let failure = source.failingSince == nil ? nil : try store.lastFailure(of: source)
      return SourceHealth(
        source: source, state: state(of: source, isDue: isDue),
        error: failure.map { $0.message ?? "status \($0.status.rawValue)" })
    }
  }

  private static func state(of source: RefreshedSource, isDue: Bool) -> State {
    if source.isPaused { return .paused }
    if source.failingSince != nil { return .failing }
    return source.every == nil ? .byName : isDue ? .due : .ok
  }

  /// When it is refreshed next; `nil` if nothing says so, and for a source that was never refreshed, which is due now.
  var next: Timestamp? { source.dueAt.flatMap { $0.milliseconds > 0 ? $0 : nil } }
}
