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
