import TweetCore

/// Counts the wrong passwords of each name, so that nobody can try many.
///
/// A try counts before its password is checked, and is forgotten if that was right. So tries at the same time count
/// too.
struct SignInTries {
  private struct Window {
    let end: Timestamp
    var used = 0
  }

  /// Tries in a window, which begins with the first.
  private static let limit = 5
  /// In milliseconds.
  private static let length: Int64 = 15 * 60_000
  /// Most names that are remembered; where there are more, all wait until windows end.
  private static let capacity = 10_000

  private var windows: [String: Window] = [:]

  /// Counts a try.
  /// - Throws: ``SignInFault/tooManyTries(seconds:)``.
  mutating func count(_ username: String, now: Timestamp) throws(SignInFault) {
    let name = username.lowercased()
    if let window = windows[name], window.end <= now { windows[name] = nil }
    if windows.count >= Self.capacity { windows = windows.filter { $0.value.end > now } }
    guard windows[name] != nil || windows.count < Self.capacity else {
      throw .tooManyTries(seconds: Int(Self.length / 1000))
    }
    var window = windows[name] ?? Window(end: Timestamp(milliseconds: now.milliseconds + Self.length))
    guard window.used < Self.limit else {
      throw .tooManyTries(seconds: Int((window.end.milliseconds - now.milliseconds + 999) / 1000))
    }
    window.used += 1
    windows[name] = window
  }

  mutating func forget(_ username: String) { windows[username.lowercased()] = nil }
}
