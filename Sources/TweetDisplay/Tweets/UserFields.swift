package import TweetCore

/// The fields of a `user` record that are shown.
package struct UserFields {
  package let author: AuthorFields
  package let description: JSONValue?
  /// The entities of the description.
  package let entities: JSONValue?
  package let location: JSONValue?
  /// The user's own page, as far as it is known where its short address leads.
  package let page: JSONValue?
  package let createdAt: Timestamp?
  package let followers, following, tweets: Int?

  package init(_ user: JSONValue) {
    author = AuthorFields(user)
    description = user["description"]?.nonEmpty
    let entities = user["entities"]
    self.entities = entities?["description"]
    location = user["location"]?.nonEmpty
    page = (entities?["url"]?["urls"]?.elements.first { _ in true })?["expanded_url"]?.nonEmpty ?? user["url"]?.nonEmpty
    createdAt = user["created_at"].flatMap { Timestamp(ascii: $0.rawString) }
    let metrics = user["public_metrics"]
    followers = metrics?["followers_count"]?.looseInteger
    following = metrics?["following_count"]?.looseInteger
    tweets = metrics?["tweet_count"]?.looseInteger
  }
}
