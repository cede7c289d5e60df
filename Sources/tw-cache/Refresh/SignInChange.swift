import TweetCore
import TweetStore

/// When a person last changed who signs in: a source that failed because nobody was signed in is due again after that.
enum SignInChange {
  /// The time of the last change of the files that tw-auth, `tw config` and the person write; `nil` if there are none.
  static func time() throws(ToolError) -> Timestamp? {
    let files = [Paths.credentials, Settings.path] + (try Settings.load().tokenPaths.map(\.path))
    return files.compactMap(Paths.lastChange).max()
  }

  /// The fingerprint of the token that the environment has; `nil` if it has none.
  static var token: String? { Paths.environment("TW_TOKEN").map { Secret($0).fingerprint } }
}

extension TweetStore {
  /// Whether a source is to be refreshed now, as far as its interval, its failures and the sign-in say.
  /// - Parameter signInChange: ``SignInChange/time()``
  func isDue(_ source: RefreshedSource, at now: Timestamp, signInChange: Timestamp?) throws(ToolError) -> Bool {
    if source.isDue(at: now) { return true }
    guard source.dueAt != nil, source.retryAt != nil, let tried = source.refreshedAt else { return false }
    let isChanged = signInChange.map { $0 > tried } ?? false
    guard isChanged || source.refusedToken != SignInChange.token else { return false }
    return try lastFailure(of: source)?.status == .notAllowed
  }
}
