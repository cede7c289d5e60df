import TweetCore

/// The long posts of an X archive. `tweets.js` has their beginning, `note-tweet.js` the whole text under an id of its
/// own. Which note belongs to a tweet is told by the text, and by the second in which both were made.
///
/// The beginning differs from the whole text: it has before it the names that a reply answers, a link may have another
/// `t.co` address, and after it come an ellipsis and a link to the post.
struct ArchiveNotes: Equatable, Sendable {
  private struct Note: Equatable, Sendable {
    /// As ``comparable(_:)`` has it.
    let text: String
    /// Seconds since 1970.
    let time: Int64?
    /// The JSON of `core`: the text and its entities.
    let core: [UInt8]
  }

  /// Scalars by which notes are found. The beginning in `tweets.js` is longer.
  private static let keyLength = 48
  /// The shortest beginning that names a note of another time: less may be another post with the same first words.
  private static let shortest = 100

  private var notes: [Note] = []
  private var byTime: [Int64: [Int]] = [:]
  private var byText: [String: [Int]] = [:]

  var isEmpty: Bool { notes.isEmpty }

  /// Adds the value of `noteTweet`. Returns what is wrong with it.
  mutating func add(_ note: JSONValue) -> String? {
    guard let core = note["core"], let text = core["text"], text.isString else { return "a long post without a text" }
    let time = note["createdAt"]?.string.flatMap { Timestamp(parsing: $0) }.map { $0.milliseconds / 1000 }
    let plain = Self.comparable(Self.decoded(text))
    if let time { byTime[time, default: []].append(notes.count) }
    byText[Self.key(plain), default: []].append(notes.count)
    notes.append(Note(text: plain, time: time, core: Array(core.raw)))
    return nil
  }

  /// The tweet with the whole text of its note; `nil` for one that has none.
  func completed(_ tweet: JSONValue) -> [UInt8]? {
    guard !isEmpty, let text = tweet["full_text"] ?? tweet["text"], text.isString else { return nil }
    let decoded = Self.decoded(text)
    let names = Self.answeredNames(decoded)
    let time = tweet["created_at"]?.string.flatMap { Timestamp(parsing: $0) }.map { $0.milliseconds / 1000 }
    for skipped in names.isEmpty ? [""] : ["", names] {
      let beginning = Self.comparable(Self.beginning(String(decoded.dropFirst(skipped.count))))
      guard let note = note(beginning, time) else { continue }
      return Self.completed(tweet, with: note, after: skipped)
    }
    return nil
  }

  private func note(_ beginning: String, _ time: Int64?) -> Note? {
    if beginning.isEmpty { return nil }
    func isWhole(_ note: Note) -> Bool {
      note.text.utf8.count > beginning.utf8.count && note.text.utf8.starts(with: beginning.utf8)
    }
    if let time, let found = (byTime[time] ?? []).lazy.map({ notes[$0] }).first(where: isWhole) { return found }
    guard beginning.unicodeScalars.count >= Self.shortest else { return nil }
    return (byText[Self.key(beginning)] ?? []).lazy.map { notes[$0] }.first(where: isWhole)
  }

  /// The tweet with an object `extended_tweet`, as v1.1 would have sent it.
  ///
  /// - Parameter names: what the tweet has before the text of the note: ASCII, without what JSON escapes.
  private static func completed(_ tweet: JSONValue, with note: Note, after names: String) -> [UInt8]? {
    guard let core = try? JSONDocument(note.core) else { return nil }
    var json = ByteBuffer(capacity: tweet.raw.count + note.core.count + 256)
    json.object { out in
      for (key, value) in tweet.members {
        out.key(key)
        out.append(value)
      }
      out.key("extended_tweet")
      out.object { out in
        core.read { append(core: $0, after: names, answered: tweet["entities"]?["user_mentions"], to: &out) }
      }
    }
    return json.array
  }

  private static func append(core: JSONValue, after names: String, answered: JSONValue?, to out: inout ByteBuffer) {
    let shift = names.unicodeScalars.count
    out.key("full_text")
    out.append("\"")
    out.append(Array(names.utf8))
    if let text = core["text"] { out.append(text.rawString) }
    out.append("\"")
    out.key("entities")
    out.object { out in
      Self.append("hashtags", core["hashtags"], [("text", "text")], shift, to: &out)
      out.array("user_mentions") { out in
        for mention in answered.map({ Array($0.elements) }) ?? [] {
          let end = mention["indices"].map { Array($0.elements) }?.last?.looseInteger
          if let end, end <= shift { out.element(mention) }
        }
        Self.append(core["mentions"], [("screen_name", "screenName"), ("id_str", "id")], shift, to: &out)
      }
      Self.append("symbols", core["cashtags"], [("text", "text")], shift, to: &out)
      Self.append(
        "urls", core["urls"], [("url", "shortUrl"), ("expanded_url", "expandedUrl"), ("display_url", "displayUrl")],
        shift, to: &out)
    }
  }

  /// Appends a list of entities as v1.1 has them, if there are some.
  private static func append(
    _ key: StaticString, _ list: JSONValue?, _ names: [(StaticString, StaticString)], _ shift: Int,
    to out: inout ByteBuffer
  ) {
    out.array(key) { append(list, names, shift, to: &$0) }
  }

  private static func append(
    _ list: JSONValue?, _ names: [(StaticString, StaticString)], _ shift: Int, to out: inout ByteBuffer
  ) {
    guard let list else { return }
    for entity in list.elements {
      guard let from = entity["fromIndex"]?.looseInteger, let end = entity["toIndex"]?.looseInteger else { continue }
      out.element { out in
        for (name, source) in names { out.member(name, entity[source]) }
        out.array("indices") { out in
          out.element(from &+ shift)
          out.element(end &+ shift)
        }
      }
    }
  }

  /// The names that a reply begins with, and the space after each: `@one @two `.
  private static func answeredNames(_ text: String) -> String {
    var end = text.startIndex
    while text[end...].hasPrefix("@"), let space = text[end...].firstIndex(of: " "),
      text[end..<space].dropFirst().utf8.allSatisfy({
        $0.isASCIIDigit || $0 == 0x5F || (0x61...0x7A).contains($0 | 0x20)
      })
    {
      end = text.index(after: space)
    }
    return String(text[..<end])
  }

  /// What of a cut text is the beginning of the whole one: X puts an ellipsis and a link to the post after it.
  private static func beginning(_ text: String) -> String {
    var rest = Substring(text)
    while let link = rest.ranges(of: address).last, !rest[link.upperBound...].contains(where: \.isWhitespace) {
      rest = rest[..<link.lowerBound]
      while rest.last?.isWhitespace == true { rest.removeLast() }
    }
    while let last = rest.last, last.isWhitespace || last == "…" { rest.removeLast() }
    return String(rest)
  }

  private static let address = "https://t.co/"

  /// A text without what differs between the two files: the ends of links, which X shortens again for each.
  private static func comparable(_ text: String) -> String {
    guard text.contains(address) else { return text }
    var parts = text.split(separator: address, omittingEmptySubsequences: false)
    for index in parts.indices.dropFirst() {
      parts[index] = parts[index].drop { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }
    return parts.joined(separator: address)
  }

  private static func key(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(keyLength)))
  }

  private static func decoded(_ text: JSONValue) -> String {
    var json = ByteBuffer(capacity: text.raw.count)
    _ = json.append(tweetText: text.rawString)
    var plain = ByteBuffer(capacity: json.count)
    json.withBytes { plain.append(unescaping: $0) }
    return plain.string
  }
}
