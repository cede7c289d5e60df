import TweetCore

/// What happened to a feed that a person or a store must know; written as a `notice` record.
package struct Notice {
  package enum Level: String, Sendable {
    case info, warning, error
  }

  package var level: Level
  package var code: String
  package var message: String
  /// Further members, in order: name and JSON value.
  package var members: [(String, String)] = []

  package init(_ level: Level, _ code: String, _ message: String) {
    self.level = level
    self.code = code
    self.message = message
  }

  /// Adds a text member, unless the text is `nil`.
  package mutating func add(_ name: String, text: String?) {
    guard let text else { return }
    var value = ByteBuffer(capacity: text.utf8.count + 2)
    value.appendJSONString(text)
    members.append((name, value.string))
  }

  /// Adds a duration in seconds.
  package mutating func add(_ name: String, milliseconds: Int) {
    members.append((name, seconds(milliseconds)))
  }
}

extension Notice {
  /// When a request is made again, and why.
  static func retry(_ wait: RetriedRequest.Wait) -> Notice { retry(wait, wait.reason) }

  /// - Parameter reason: `nil` if another notice says it.
  static func retry(_ wait: RetriedRequest.Wait, _ reason: String?) -> Notice {
    let milliseconds = wait.milliseconds
    // Nobody reads the milliseconds of a long pause.
    let rounded = milliseconds < 10_000 ? milliseconds : (milliseconds + 999) / 1000 * 1000
    let when = milliseconds == 0 ? "at once" : "in \(seconds(rounded)) s"
    let prefix = (wait.cause.text.map { $0 + ": " } ?? "") + (reason.map { $0 + "; " } ?? "")
    var notice = Notice(milliseconds == 0 ? .info : .warning, wait.cause.code, "\(prefix)trying again \(when)")
    notice.add("wait", milliseconds: milliseconds)
    return notice
  }
}

extension RetryPolicy.Cause {
  /// The code of its notice.
  fileprivate var code: String {
    switch self {
    case .network, .server: "reconnect"
    case .rateLimit: "rate-limit"
    case .connectionLimit: "connection-limit"
    }
  }

  /// What a person must know beside what the service says.
  var text: String? {
    switch self {
    case .network, .server: nil
    case .rateLimit: "rate limit"
    case .connectionLimit: "another program, or a lost connection of this one, holds the account's stream"
    }
  }
}
