package import Services
package import TweetCore
import TweetServices

/// X's ids are numbers that tell the time.
extension PostID {
  /// The oldest id that a post of that time can have; `nil` for a time that no id contains.
  package static func first(at time: Timestamp) -> PostID? {
    Snowflake.tells(of: time) ? .number(Snowflake.first(at: time)) : nil
  }

  /// The newest id that a post from before that time can have; `nil` for a time that no id contains.
  package static func last(before time: Timestamp) -> PostID? {
    Snowflake.tells(of: time) ? .number(max(0, Snowflake.first(at: time) - 1)) : nil
  }

  /// What v1.1's `max_id` is for the posts before this one: it is inclusive.
  var inclusiveEnd: String? {
    guard case .number(let number) = self else { return nil }
    return String(max(0, number - 1))
  }
}
