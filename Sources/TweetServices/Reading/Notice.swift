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
  package private(set) var members: [(String, String)] = []

  package init(_ level: Level, _ code: String, _ message: String) {
    self.level = level
    self.code = code
    self.message = message
  }

  /// The same with a further member of text, unless the text is `nil`.
  package func with(_ name: String, _ text: String?) -> Notice {
    guard let text else { return self }
    var value = ByteBuffer(capacity: text.utf8.count + 2)
    value.appendJSONString(text)
    return with(name, json: value.string)
  }

  /// The same with a duration in seconds, unless it is `nil`.
  package func with(_ name: String, milliseconds: Int?) -> Notice { with(name, json: milliseconds.map(seconds)) }

  package func with(_ name: String, json: String?) -> Notice {
    var notice = self
    if let json { notice.members.append((name, json)) }
    return notice
  }
}
