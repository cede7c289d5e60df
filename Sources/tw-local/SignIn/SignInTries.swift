import TweetCore

/// Counts the wrong passwords of each name, so that nobody can try many.
///
/// A try counts before its password is checked, and is forgotten if that was right. So tries at the same time count
/// too.
struct SignInTries {
  private struct Key: Hashable {
    let name: String
    /// `nil` for all addresses together.
    let address: String?
  }

  /// Tries of a name in a window: from one address, and from all, since this machine has many.
  private static let (limit, limitOfAll) = (5, 50)
  /// New accounts in a window from one address: they cost as much as a try, and a service has only so many.
  private static let limitOfNew = 100

  private var windows = TimeWindows<Key>(length: 15 * 60_000)

  /// Counts a try.
  /// - Throws: ``SignInFault/tooManyTries(seconds:)``.
  mutating func count(_ username: String, from address: String, now: Timestamp) throws(SignInFault) {
    for key in Self.keys(username, address) {
      try count(key, limit: key.address == nil ? Self.limitOfAll : Self.limit, now: now)
    }
  }

  /// Counts a new account; no name is empty.
  mutating func countAccount(from address: String, now: Timestamp) throws(SignInFault) {
    try count(Key(name: "", address: address), limit: Self.limitOfNew, now: now)
  }

  private mutating func count(_ key: Key, limit: Int, now: Timestamp) throws(SignInFault) {
    let (window, isExceeded) = windows.count(key, limit: limit, now: now)
    if isExceeded {
      throw .tooManyTries(seconds: Int((window.end.milliseconds - now.milliseconds + 999) / 1000))
    }
  }

  /// Takes a try back whose password was not checked.
  mutating func uncount(_ username: String, from address: String) {
    for key in Self.keys(username, address) { windows.uncount(key) }
  }

  mutating func forget(_ username: String, from address: String) {
    for key in Self.keys(username, address) { windows.forget(key) }
  }

  private static func keys(_ username: String, _ address: String) -> [Key] {
    [address, nil].map { Key(name: username.lowercased(), address: $0) }
  }
}
