import TweetCLI
import TweetCore
import TweetStore

/// What was stored, changed or deleted since a follower began, and has not been printed.
struct FollowedChanges {
  private var changes: [StoreChange] = []
  /// The keys of the tweets among them.
  private(set) var stored: Set<Int> = []
  /// The number of the last change that was looked at.
  private var last: Int
  private var version: Int?

  /// - Parameter number: of the last change that is none of these.
  init(after number: Int) { last = number }

  /// Adds what was stored since the last call, each tweet once. Changes that nobody knows any more are told.
  mutating func find(in store: borrowing TweetStore) throws(ToolError) {
    // Before the changes are read: what comes after is found by the next call.
    let current = try store.version
    guard current != version else { return }
    version = current
    let new = try store.changes(after: last)
    last = new.last
    if !new.isComplete { Diagnostics.note("more was stored at once than can be followed: some tweets are left out") }
    for change in new.changes {
      if case .stored(let key) = change, !stored.insert(key).inserted { continue }
      changes.append(change)
    }
  }

  /// Has the next call look into a store that was opened anew.
  mutating func forgetVersion() { version = nil }

  /// Takes them, in the order of the store.
  mutating func take() -> [StoreChange] {
    defer { (changes, stored) = ([], []) }
    return changes
  }
}
