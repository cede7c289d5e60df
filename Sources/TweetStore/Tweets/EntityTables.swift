import TweetCore

/// The tables of a tweet's entities: `tweet_hashtags`, `tweet_mentions`, `tweet_urls`.
///
/// Their primary keys begin with the hashtag, name or URL. They have no index by tweet: which rows to remove follows
/// from the tweet's record.
struct EntityTables: ~Copyable {
  private let addTag: Statement
  private let addMention: Statement
  private let addURL: Statement
  private let removeTag: Statement
  private let removeMention: Statement
  private let removeURL: Statement

  /// Adds rows for a tweet's `entities`.
  func add(_ entities: JSONValue?, of tweet: Int) throws(ToolError) {
    guard let entities else { return }
    for (key, list) in entities.members {
      if key.equals("hashtags") {
        for element in list.elements { try run(addTag, tag: element, tweet) }
      } else if key.equals("mentions") {
        for element in list.elements {
          addMention.bind(3, text: element["id"])
          try run(addMention, mention: element, tweet)
        }
      } else if key.equals("urls") {
        for element in list.elements {
          addURL.bind(3, text: element["url"])
          addURL.bind(4, text: element["link_kind"])
          try run(addURL, url: element, tweet)
        }
      }
    }
  }

  /// Removes the rows that ``add(_:of:)`` added for the same `entities`.
  func remove(_ entities: JSONValue?, of tweet: Int) throws(ToolError) {
    guard let entities else { return }
    for (key, list) in entities.members {
      if key.equals("hashtags") {
        for element in list.elements { try run(removeTag, tag: element, tweet) }
      } else if key.equals("mentions") {
        for element in list.elements { try run(removeMention, mention: element, tweet) }
      } else if key.equals("urls") {
        for element in list.elements { try run(removeURL, url: element, tweet) }
      }
    }
  }

  private func run(_ statement: borrowing Statement, tag element: JSONValue, _ tweet: Int) throws(ToolError) {
    guard let tag = element["tag"]?.nonEmptyString else { return }
    statement.bind(1, tag.lowercased())
    statement.bind(2, tweet)
    try statement.run()
  }

  private func run(_ statement: borrowing Statement, mention element: JSONValue, _ tweet: Int) throws(ToolError) {
    guard let username = element["username"], username.isText else { return }
    statement.bind(1, text: username)
    statement.bind(2, tweet)
    try statement.run()
  }

  private func run(_ statement: borrowing Statement, url element: JSONValue, _ tweet: Int) throws(ToolError) {
    guard let url = element["expanded_url"] ?? element["url"], url.isText else { return }
    statement.bind(1, text: url)
    statement.bind(2, tweet)
    try statement.run()
  }
}

extension EntityTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      addTag: try database.prepare("INSERT OR IGNORE INTO tweet_hashtags (tag, tweet) VALUES (?, ?)"),
      addMention: try database.prepare(
        "INSERT OR IGNORE INTO tweet_mentions (username, tweet, user_id) VALUES (?, ?, ?)"),
      addURL: try database.prepare(
        """
        INSERT OR IGNORE INTO tweet_urls (url, tweet, short_url, kind)
        VALUES (?1, ?2, ?3, coalesce(?4, (SELECT kind FROM link_kinds WHERE url = ?1)))
        """),
      removeTag: try database.prepare("DELETE FROM tweet_hashtags WHERE tag = ? AND tweet = ?"),
      removeMention: try database.prepare("DELETE FROM tweet_mentions WHERE username = ? AND tweet = ?"),
      removeURL: try database.prepare("DELETE FROM tweet_urls WHERE url = ? AND tweet = ?"))
  }
}
