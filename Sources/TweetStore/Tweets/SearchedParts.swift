import SQLite
import TweetCore

/// What a search finds besides a tweet's own text: what else a reader sees of it, in the form in which it is indexed.
struct SearchedParts: Equatable {
  /// The texts of the tweets that it quotes.
  private(set) var quote: [UInt8] = []
  /// The descriptions of pictures and videos.
  private(set) var alt: [UInt8] = []
  /// Warnings, the options of polls, the titles of cards and the texts of saved pages.
  private(set) var more: [UInt8] = []

  /// Nothing.
  init() {}

  init(_ tweet: TweetColumns) {
    add(tweet.attachments, tweet.extra)
    if let urls = tweet.entities?["urls"] {
      for link in urls.elements {
        // A saved page begins with its title.
        Self.append(link["page_text"] ?? link["title"] ?? link["card"]?["title"], to: &more)
      }
    }
    if tweet.extra?["quote"]?["state"].map({ $0.equals("accepted") }) ?? true { addQuotes(in: tweet.referencedTweets) }
    // A retweet shows all of what it retweets; of the entities it has its own.
    if let references = tweet.referencedTweets {
      for original in references.elements where original["type"]?.equals("retweeted") == true {
        add(original["attachments"], original["extra"])
        addQuotes(in: original["referenced_tweets"])
      }
    }
    quote = Self.indexed(quote)
    alt = Self.indexed(alt)
    more = Self.indexed(more)
  }

  /// - Parameter first: the column of the first part; the others follow.
  init(_ row: Row, from first: Int32) {
    (quote, alt, more) = (Array(row.bytes(first)), Array(row.bytes(first + 1)), Array(row.bytes(first + 2)))
  }

  /// Binds the parts to three parameters; what there is none of is NULL.
  func bind(to statement: borrowing Statement, from first: Int32) {
    for (index, part) in [quote, alt, more].enumerated() {
      if part.isEmpty {
        statement.bindNull(first + Int32(index))
      } else {
        part.withBytes { statement.bind(first + Int32(index), copying: $0) }
      }
    }
  }

  private mutating func addQuotes(in references: JSONValue?) {
    guard let references else { return }
    for quoted in references.elements where quoted["type"]?.equals("quoted") == true {
      Self.append(quoted["text"], hasShortLinks: true, to: &quote)
      add(quoted["attachments"], quoted["extra"])
    }
  }

  private mutating func add(_ attachments: JSONValue?, _ extra: JSONValue?) {
    if let media = attachments?["media"] { for item in media.elements { Self.append(item["alt_text"], to: &alt) } }
    if let options = attachments?["poll"]?["options"] {
      for option in options.elements { Self.append(option["label"], to: &more) }
    }
    Self.append(extra?["spoiler_text"], to: &more)
    Self.append(extra?["card"]?["title"], to: &more)
  }

  /// - Parameter hasShortLinks: whether X's short links are left out, which no reader sees and which make a word each.
  private static func append(_ text: JSONValue?, hasShortLinks: Bool = false, to part: inout [UInt8]) {
    guard let text, text.isText else { return }
    var plain = ByteBuffer(capacity: text.rawString.count)
    plain.append(unescaping: text.rawString)
    if !part.isEmpty { part.append(UInt8(ascii: "\n")) }
    if !hasShortLinks { return plain.withBytes { part += $0 } }
    let words = plain.array.split(separator: UInt8(ascii: " ")).filter { !$0.starts(with: "https://t.co/".utf8) }
    part += words.joined(separator: [UInt8(ascii: " ")])
  }

  private static func indexed(_ part: [UInt8]) -> [UInt8] {
    if part.isEmpty { return part }
    var buffer = ByteBuffer(capacity: part.count)
    return part.withBytes { SearchText.append($0, to: &buffer) } ? buffer.array : part
  }
}

/// What of a tweet a search may be narrowed to: a column of the full-text index.
package enum SearchPlace: String, CaseIterable, Sendable {
  case text, quote, alt, more
}
