import SQLite
import Services
package import TweetCore

/// Names in a query that nothing in the store has, so that the list is empty: most often they are mistyped.
package struct UnknownNames {
  /// User names without "@".
  package var authors: [String] = []
  /// Hashtags without "#".
  package var tags: [String] = []
  /// Sources as they were given.
  package var feeds: [String] = []
  /// The sources that tweets came from; empty if all that were asked for are known.
  package var knownFeeds: [String] = []
}

extension TweetStore {
  /// The users, hashtags and sources that a query and its parts ask for and that are not in the store at all.
  package func unknownNames(in query: TweetQuery) throws(ToolError) -> UnknownNames {
    var unknown = UnknownNames()
    for part in query.wanted {
      for name in part.authors where try userKeys([name], service: nil).isEmpty { unknown.authors.append(name) }
      for tag in part.tags where try !hasHashtag(tag) { unknown.tags.append(tag) }
      // A source is there in its normal form and as it was given: one of them is enough.
      if !part.feeds.isEmpty, try feedKeys(part.feeds, service: nil).isEmpty {
        unknown.feeds.append(part.feeds.last ?? "")
        try database.forEachRow("SELECT feed FROM feeds") { unknown.knownFeeds.append($0.text(0) ?? "") }
      }
    }
    return unknown
  }

  private func hasHashtag(_ tag: String) throws(ToolError) -> Bool {
    try database.first("SELECT 1 FROM tweet_hashtags WHERE tag = ? LIMIT 1", .text(tag.lowercased())) { _ in true }
      ?? false
  }
}
