import SQLite
import TweetCore

/// The columns of a row that follow from its record.
enum StoredColumns {
  /// Whether a row's record is JSON, and names the tweet and has the text that the columns have. For rows without a
  /// checksum.
  static func isRecord(_ row: Row, service: Int32, id: Int32, text: Int32, json: Int32) -> Bool {
    guard let document = parse(row.bytes(json)) else { return false }
    return document.read { record in
      has(record["service"], row.bytes(service)) && has(record["id"], row.bytes(id))
        && has(record["text"], row.bytes(text))
    }
  }

  /// Whether a row of `users` has a record that is JSON, and names the user that the column names. For rows without a
  /// checksum. Where the head of a row is damaged, each column may have the value of the next one: then the checksum is
  /// missing, too, and stands where the record should be.
  static func isProfile(_ row: Row, id: Int32, json: Int32) -> Bool {
    guard let document = parse(row.bytes(json)) else { return false }
    return document.read { has($0["id"], row.bytes(id)) }
  }

  /// A column of a tweet that differs from what its record says.
  struct Difference {
    var column: String
    var stored: String
    var expected: String
  }

  /// The columns of `tweets` that ``differences(_:record:)`` compares, in this order.
  static let tweets = [
    "service", "id", "text", "created_at", "lang", "conversation_id", "like_count", "retweet_count", "reply_count",
    "quote_count", "media", "viewer", "has_links", "address", "retrieved_at", "indexed",
    "quote", "alt", "more",
  ]

  private static let counts: [StaticString] = ["like_count", "retweet_count", "reply_count", "quote_count"]

  /// Compares the columns ``tweets`` of a row with its record.
  static func differences(_ row: Row, record: JSONValue) -> [Difference] {
    let fields = TweetColumns(record)
    let metrics = fields.publicMetrics
    let expected: [String?] =
      [fields.service, fields.id].map(text)
      + [fields.text.map(unescaped) ?? "", time(fields.createdAt), text(fields.lang), text(fields.conversationID)]
      + counts.map { metrics?[$0]?.integer.map { "\($0)" } }
      + [
        fields.flags.media.map { "\($0)" }, fields.flags.viewer.map { "\($0)" }, fields.flags.hasLinks ? "1" : nil,
        fields.flags.address, time(fields.retrievedAt),
        indexed(fields),
      ] + parts(fields)
    return zip(tweets, expected).enumerated().compactMap { column, pair in
      let stored = row.text(Int32(column))
      // By bytes: to Swift, texts that look the same are equal.
      if stored.map({ Array($0.utf8) }) == pair.1.map({ Array($0.utf8) }) { return nil }
      return Difference(column: pair.0, stored: stored ?? "NULL", expected: pair.1 ?? "NULL")
    }
  }

  /// A document, if the bytes are one.
  static func parse(_ json: ByteView) -> JSONDocument? { parse(Array(json)) }

  /// A document, if the bytes are one.
  static func parse(_ json: [UInt8]) -> JSONDocument? {
    do throws(JSONFault) { return try JSONDocument(json) } catch { return nil }
  }

  /// Whether a string has these bytes.
  private static func has(_ value: JSONValue?, _ column: ByteView) -> Bool {
    guard let value, value.isString else { return false }
    var text = ByteBuffer()
    text.append(unescaping: value.rawString)
    return text.withBytes { $0 == column }
  }

  /// What ``Statement/bind(_:text:)`` stores.
  private static func text(_ value: JSONValue?) -> String? {
    guard let value, value.isText else { return nil }
    return unescaped(value)
  }

  /// What is indexed in place of a tweet's text; `nil` for the text itself.
  private static func indexed(_ tweet: TweetColumns) -> String? {
    var text = ByteBuffer()
    var indexed = ByteBuffer()
    if let value = tweet.text { text.append(unescaping: value.rawString) }
    return text.withBytes { SearchText.append($0, to: &indexed) } ? indexed.string : nil
  }

  private static func parts(_ tweet: TweetColumns) -> [String?] {
    let parts = SearchedParts(tweet)
    return [parts.quote, parts.alt, parts.more].map { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
  }

  private static func unescaped(_ value: JSONValue) -> String {
    var text = ByteBuffer()
    text.append(unescaping: value.rawString)
    return text.string
  }

  /// What ``Statement/bind(_:time:)`` stores.
  private static func time(_ value: JSONValue?) -> String? {
    guard let value, value.isString, let time = value.time else { return nil }
    let raw = value.rawString
    return raw.count == 24 && raw[23] == UInt8(ascii: "Z") ? value.string : time.rfc3339
  }
}
