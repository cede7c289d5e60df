import TweetCore

/// The long posts of an X archive. `tweets.js` has their beginning, `note-tweet.js` the whole text under an id of its own, so the
/// text itself says which note belongs to a tweet.
struct ArchiveNotes: Equatable, Sendable {
  private struct Note: Equatable, Sendable {
    let text: String
    /// The object `extended_tweet` that v1.1 would have sent.
    let extended: [UInt8]
  }

  /// Scalars by which notes are found. The beginning in `tweets.js` is longer.
  private static let keyLength = 48
  /// The shortest beginning that names a note: less may be another post with the same first words.
  private static let shortest = 100

  private var notes: [String: [Note]] = [:]

  var isEmpty: Bool { notes.isEmpty }

  /// Adds the value of `noteTweet`. Returns what is wrong with it.
  mutating func add(_ note: JSONValue) -> String? {
    guard let core = note["core"], let text = core["text"], text.isString else { return "a long post without a text" }
    var extended = ByteBuffer(capacity: text.raw.count + 256)
    extended.object { out in
      out.member("full_text", json: text.raw)
      out.key("entities")
      out.object { out in
        Self.append("hashtags", core["hashtags"], [("text", "text")], to: &out)
        Self.append("user_mentions", core["mentions"], [("screen_name", "screenName"), ("id_str", "id")], to: &out)
        Self.append("symbols", core["cashtags"], [("text", "text")], to: &out)
        Self.append(
          "urls", core["urls"], [("url", "shortUrl"), ("expanded_url", "expandedUrl"), ("display_url", "displayUrl")],
          to: &out)
      }
    }
    let decoded = Self.decoded(text)
    notes[String(decoded.prefix(Self.keyLength)), default: []].append(Note(text: decoded, extended: extended.array))
    return nil
  }

  /// Appends a list of entities as v1.1 has them.
  private static func append(
    _ key: StaticString, _ list: JSONValue?, _ names: [(StaticString, StaticString)], to out: inout ByteBuffer
  ) {
    guard let list else { return }
    out.array(key) { out in
      for entity in list.elements {
        guard let from = entity["fromIndex"], let end = entity["toIndex"] else { continue }
        out.element { out in
          for (name, source) in names { out.member(name, entity[source]) }
          out.key("indices")
          out.append("[")
          out.append(from)
          out.append(",")
          out.append(end)
          out.append("]")
        }
      }
    }
  }

  /// The tweet with the whole text of its note; `nil` for one that has none.
  func completed(_ tweet: JSONValue) -> [UInt8]? {
    guard !isEmpty, let text = tweet["full_text"] ?? tweet["text"], text.isString else { return nil }
    let beginning = Self.beginning(Self.decoded(text))
    guard beginning.unicodeScalars.count >= Self.shortest,
      let note = notes[String(beginning.prefix(Self.keyLength))]?.first(where: { $0.text.hasPrefix(beginning) })
    else { return nil }
    var json = ByteBuffer(capacity: tweet.raw.count + note.extended.count + 32)
    json.object { out in
      for (key, value) in tweet.members {
        out.key(key)
        out.append(value)
      }
      out.key("extended_tweet")
      out.append(note.extended)
    }
    return json.array
  }

  /// What of a cut text is the beginning of the whole one: X puts an ellipsis and a link to the post after it.
  private static func beginning(_ text: String) -> String {
    var rest = Substring(text)
    if let link = rest.ranges(of: "https://t.co/").last, !rest[link.upperBound...].contains(where: \.isWhitespace) {
      rest = rest[..<link.lowerBound]
    }
    while let last = rest.last, last.isWhitespace || last == "…" { rest.removeLast() }
    return String(rest)
  }

  private static func decoded(_ text: JSONValue) -> String {
    var json = ByteBuffer(capacity: text.raw.count)
    _ = json.append(tweetText: text.rawString)
    var plain = ByteBuffer(capacity: json.count)
    json.withBytes { plain.append(unescaping: $0) }
    return plain.string
  }
}
