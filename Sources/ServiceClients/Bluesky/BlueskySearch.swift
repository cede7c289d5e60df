import Services
import TweetCore
import TweetNet
import TweetServices

/// What has words, newest first: what the AppView is asked with, and what leads from page to page.
///
/// A search gives ten thousand posts by its cursors, whatever there is. What is older is asked for by the time of the
/// last page.
struct BlueskySearch: Sendable {
  /// The posts that cursors lead to: a limit that the service does not write down, and that all its clients meet.
  static let mostPosts = 10_000

  let words: String
  /// Whether the method of older servers is asked for.
  var isOld = false

  init(_ words: String) { self.words = words }

  var endpoint: String { isOld ? "app.bsky.feed.searchPosts" : "app.bsky.feed.searchPostsV2" }

  /// Whether an answer says that the server does not know the newer method. An account's server passes on what it does
  /// not know, and the one that answers may be older than it.
  func isUnknown(_ answer: HTTPResponse) -> Bool {
    guard !isOld else { return false }
    let error = (try? JSONDocument(answer.body))?["error"]
    return [404, 405, 501].contains(answer.status) || error?.equals("MethodNotImplemented") == true
      || error?.equals("XRPCNotSupported") == true
  }

  func parameters(_ range: PageRange) -> [(String, String)] {
    var place = Place(range.token)
    if range.token == nil, let id = range.untilID { place.until = Self.time(of: id).map { Self.text(after: $0) } }
    var parameters =
      isOld
      ? [("q", words), ("sort", "latest")]
      // Without it only some last days are searched.
      : [("query", words), ("sort", "recent"), ("allTime", "true")]
    if let until = place.until { parameters.append(("until", until)) }
    parameters.append(("limit", String(range.size)))
    if let cursor = place.cursor { parameters.append(("cursor", cursor)) }
    return parameters
  }

  /// What asks for the page after an answer; `nil` if that was the last.
  func token(after document: JSONDocument, _ range: PageRange) -> String? {
    var place = Place(range.token)
    place.position += range.size
    let cursor = document["cursor"]?.nonEmptyString
    if place.position < Self.mostPosts { return cursor.map { place.at($0).text } }
    let times = document.list("posts").compactMap { time(of: $0) }
    // The newest time of the page, since its posts are not quite in the order of their times. Those that come again are
    // left out.
    for time in [times.max(), times.min()].compactMap({ $0 }) {
      let until = Self.text(after: time)
      if place.until.map({ until < $0 }) ?? true { return Place(until: until).text }
    }
    // A page without posts, or a server that turns in a circle.
    return times.isEmpty ? cursor.map { place.at($0).text } : nil
  }

  /// The time by which a post is found: when it was indexed; at older servers the earlier one of that and what its
  /// author says.
  private func time(of post: JSONDocument) -> Timestamp? {
    let times = [post["indexedAt"]?.string, post["record"]?["createdAt"]?.string].compactMap {
      $0.flatMap { Timestamp(parsing: $0) }
    }
    return isOld ? times.min() : times.first
  }

  private static func time(of id: PostID) -> Timestamp? {
    guard case .text(_, let key?) = id else { return nil }
    return TimeKey.time(of: key)
  }

  /// The millisecond after a time: bounds are exclusive.
  private static func text(after time: Timestamp) -> String {
    Timestamp(milliseconds: time.milliseconds + 1).rfc3339
  }

  /// Where a search is, as page tokens have it: `POSITION UNTIL CURSOR`.
  private struct Place {
    /// Posts that were asked for since the search began, or began anew at a time.
    var position = 0
    var until: String?
    var cursor: String?

    init(until: String) { self.until = until }

    /// Those of earlier versions are cursors.
    init(_ token: String?) {
      let parts = token?.split(separator: " ", maxSplits: 2) ?? []
      guard parts.count == 3, let position = Int(parts[0]), position >= 0 else {
        cursor = token
        return
      }
      self.position = position
      until = parts[1] == "-" ? nil : String(parts[1])
      cursor = parts[2] == "-" ? nil : String(parts[2])
    }

    func at(_ cursor: String) -> Place {
      var place = self
      place.cursor = cursor
      return place
    }

    var text: String { "\(position) \(until ?? "-") \(cursor ?? "-")" }
  }
}
