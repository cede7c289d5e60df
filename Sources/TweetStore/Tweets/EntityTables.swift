import TweetCore

/// The tables of what stands in a tweet: `tweet_hashtags`, `tweet_mentions`, `tweet_urls`.
struct EntityTables: ~Copyable {
  private let addTag: Statement
  private let addMention: Statement
  private let addURL: Statement
  private let removeTags: Statement
  private let removeMentions: Statement
  private let removeURLs: Statement

  /// Adds what a tweet's `entities` hold.
  func add(_ entities: JSONValue?, of tweet: Int) throws(ToolError) {
    guard let entities else { return }
    for (key, list) in entities.members {
      if key.equals("hashtags") {
        for element in list.elements { try add(tag: element, of: tweet) }
      } else if key.equals("mentions") {
        for element in list.elements { try add(mention: element, of: tweet) }
      } else if key.equals("urls") {
        for element in list.elements { try add(url: element, of: tweet) }
      }
    }
  }

  private func add(tag element: JSONValue, of tweet: Int) throws(ToolError) {
    guard let tag = element["tag"]?.nonEmptyString else { return }
    addTag.bind(1, tag.lowercased())
    addTag.bind(2, tweet)
    try addTag.run()
  }

  private func add(mention element: JSONValue, of tweet: Int) throws(ToolError) {
    guard let username = element["username"], username.isText else { return }
    addMention.bind(1, text: username)
    addMention.bind(2, tweet)
    addMention.bind(3, text: element["id"])
    try addMention.run()
  }

  private func add(url element: JSONValue, of tweet: Int) throws(ToolError) {
    let short = element["url"]
    guard let long = element["expanded_url"] ?? short, long.isText else { return }
    addURL.bind(1, text: long)
    addURL.bind(2, tweet)
    addURL.bind(3, text: short)
    try addURL.run()
  }

  /// Takes all out that a tweet had.
  func removeAll(of tweet: Int) throws(ToolError) {
    removeTags.bind(1, tweet)
    try removeTags.run()
    removeMentions.bind(1, tweet)
    try removeMentions.run()
    removeURLs.bind(1, tweet)
    try removeURLs.run()
  }
}

extension EntityTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      addTag: try database.prepare("INSERT OR IGNORE INTO tweet_hashtags (tag, tweet) VALUES (?, ?)"),
      addMention: try database.prepare(
        "INSERT OR IGNORE INTO tweet_mentions (username, tweet, user_id) VALUES (?, ?, ?)"),
      addURL: try database.prepare("INSERT OR IGNORE INTO tweet_urls (url, tweet, short_url) VALUES (?, ?, ?)"),
      removeTags: try database.prepare("DELETE FROM tweet_hashtags WHERE tweet = ?"),
      removeMentions: try database.prepare("DELETE FROM tweet_mentions WHERE tweet = ?"),
      removeURLs: try database.prepare("DELETE FROM tweet_urls WHERE tweet = ?"))
  }
}
