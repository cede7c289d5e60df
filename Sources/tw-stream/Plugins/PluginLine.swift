import Services
import TweetCore

/// What a line of a plugin says to tw-stream (tw-source(7)). Its other lines are only copied.
enum PluginLine {
  /// Where to continue from when all lines before are delivered.
  case checkpoint(cursor: String)
  /// What the service bills for each post.
  case price(Money)
  /// Not to be asked again for this many milliseconds.
  case wait(Int)
  /// A record or a message without such a meaning.
  case other
  case bad(reason: String)

  /// Bytes of a cursor. It becomes a variable of the environment, which Linux bounds to 128 KiB each.
  static let longestCursor = 64 << 10
  /// Seconds. A longer wait is a fault of the plugin, or of its clock.
  private static let longestWait = 86_400.0
  /// Dollars a post. Nobody asks for more.
  private static let highestPrice = 1e6

  init(_ line: JSONValue) {
    self = .other
    switch line["tw"]?.string {
    case "checkpoint": self = Self.checkpoint(line["cursor"])
    case "context":
      guard let price = line["price"] else { return }
      guard let dollars = price.double, dollars > 0, dollars < Self.highestPrice else {
        self = .bad(reason: "'price' is not a number of dollars")
        return
      }
      // Less than a millionth counts as one: what costs something is counted.
      self = .price(Money(millionths: max(1, Int((dollars * 1e6).rounded()))))
    case "notice":
      guard let seconds = line["wait"]?.double, seconds >= 0 else { return }
      self = .wait(Int(min(seconds, Self.longestWait) * 1000))
    default: break
    }
  }

  private static func checkpoint(_ cursor: JSONValue?) -> PluginLine {
    guard let cursor = cursor?.nonEmptyString else { return .bad(reason: "a checkpoint without a 'cursor' of text") }
    if cursor.utf8.count > longestCursor {
      return .bad(reason: "a cursor of \(cursor.utf8.count) bytes, and \(longestCursor) is the most")
    }
    // An environment has no such character.
    if cursor.utf8.contains(0) { return .bad(reason: "a cursor with a zero character") }
    return .checkpoint(cursor: cursor)
  }
}
