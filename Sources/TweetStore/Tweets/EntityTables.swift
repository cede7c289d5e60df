import SQLite
import TweetCore

/// The tables of a tweet's entities: `tweet_hashtags`, `tweet_mentions`, `tweet_urls`.
///
/// Their primary keys begin with the hashtag, name or URL. They have no index by tweet: which rows to remove follows
/// from the tweet's record.
///
/// New rows are collected until ``insertPending()``; see ``SortedRows``.
struct EntityTables: ~Copyable {
  /// The most bytes of rows that are collected. A batch has fewer; a transaction may have more.
  private static let mostPending = 16 << 20

  private var tags: SortedRows
  private var mentions: SortedRows
  private var urls: SortedRows
  private let removeTag: Statement
  private let removeMention: Statement
  private let removeURL: Statement

  /// Adds rows for a tweet's `entities`.
  mutating func add(_ entities: JSONValue?, of tweet: Int) throws(ToolError) {
    guard let entities else { return }
    for (key, list) in entities.members {
      if key.equals("hashtags") {
        for element in list.elements {
          if let tag = Self.tag(element) { tags.append(tag, tweet) }
        }
      } else if key.equals("mentions") {
        for element in list.elements {
          if let name = Self.username(element) { mentions.append(name, tweet, element["id"]) }
        }
      } else if key.equals("urls") {
        for element in list.elements {
          if let url = Self.url(element) { urls.append(url, tweet, element["url"], element["link_kind"]) }
        }
      }
    }
    if tags.size + mentions.size + urls.size > Self.mostPending { try insertPending() }
  }

  /// Inserts the rows that were collected. To be called at the end of each transaction.
  mutating func insertPending() throws(ToolError) {
    try tags.insertAll()
    try mentions.insertAll()
    try urls.insertAll()
  }

  /// Discards what was collected in a transaction that was rolled back.
  mutating func discardPending() {
    tags.discardAll()
    mentions.discardAll()
    urls.discardAll()
  }

  /// Removes the rows that ``add(_:of:)`` added for the same `entities`.
  mutating func remove(_ entities: JSONValue?, of tweet: Int) throws(ToolError) {
    guard let entities else { return }
    // Some of them may still be among the collected ones.
    try insertPending()
    for (key, list) in entities.members {
      if key.equals("hashtags") {
        for element in list.elements { try run(removeTag, tag: element, tweet) }
      } else if key.equals("mentions") {
        for element in list.elements { try run(removeMention, Self.username(element), tweet) }
      } else if key.equals("urls") {
        for element in list.elements { try run(removeURL, Self.url(element), tweet) }
      }
    }
  }

  private func run(_ statement: borrowing Statement, tag element: JSONValue, _ tweet: Int) throws(ToolError) {
    guard let tag = Self.tag(element) else { return }
    statement.bind(1, tag)
    statement.bind(2, tweet)
    try statement.run()
  }

  private func run(_ statement: borrowing Statement, _ text: JSONValue?, _ tweet: Int) throws(ToolError) {
    guard let text else { return }
    statement.bind(1, text: text)
    statement.bind(2, tweet)
    try statement.run()
  }

  private static func tag(_ hashtag: JSONValue) -> String? { hashtag["tag"]?.nonEmptyString?.lowercased() }

  private static func username(_ mention: JSONValue) -> JSONValue? { text(mention["username"]) }

  private static func url(_ link: JSONValue) -> JSONValue? { text(link["expanded_url"] ?? link["url"]) }

  private static func text(_ value: JSONValue?) -> JSONValue? { value?.isText == true ? value : nil }
}

extension EntityTables {
  init(_ database: borrowing Database) throws(ToolError) {
    self.init(
      tags: SortedRows(
        try database.prepare("INSERT OR IGNORE INTO tweet_hashtags (tag, tweet) VALUES (?, ?)")),
      mentions: SortedRows(
        try database.prepare("INSERT OR IGNORE INTO tweet_mentions (username, tweet, user_id) VALUES (?, ?, ?)"),
        .noCase),
      urls: SortedRows(
        try database.prepare(
          """
          INSERT OR IGNORE INTO tweet_urls (url, tweet, short_url, kind)
          VALUES (?1, ?2, ?3, coalesce(?4, (SELECT kind FROM link_kinds WHERE url = ?1)))
          """)),
      removeTag: try database.prepare("DELETE FROM tweet_hashtags WHERE tag = ? AND tweet = ?"),
      removeMention: try database.prepare("DELETE FROM tweet_mentions WHERE username = ? AND tweet = ?"),
      removeURL: try database.prepare("DELETE FROM tweet_urls WHERE url = ? AND tweet = ?"))
  }
}
