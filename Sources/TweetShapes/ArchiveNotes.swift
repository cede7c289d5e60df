import Synchronization
import TweetCore

/// The long posts of an X archive. `tweets.js` has their beginning, `note-tweet.js` the whole text under an id of its
/// own. Which note belongs to a tweet is told by the text, and by the second in which both were made.
///
/// The beginning differs from the whole text: it has before it the names that a reply answers, a link may have another
/// `t.co` address, and after it come an ellipsis and a link to the post.
///
/// The texts wait on disk; memory has about a hundred bytes for each.
final class ArchiveNotes: Equatable, Sendable {
  fileprivate struct Note {
    /// Where in the spool its text is, as ``comparable(_:)`` has it, and after that the JSON of `core`: the text and
    /// its entities.
    let offset: Int
    let textCount, coreCount: Int32
    /// The next note of the same second, and the next that begins with the same words; -1 for none.
    var nextOfTime: Int32 = -1
    var nextOfText: Int32 = -1
  }

  /// Notes that have something in common, in the order of the archive.
  fileprivate struct Chain {
    let first: Int32
    var last: Int32
    var count: Int32
  }

  fileprivate struct Book {
    var spool: RecordSpool?
    var notes: [Note] = []
    /// By seconds since 1970, and by the hash of the first words.
    var byTime: [Int64: Chain] = [:]
    var byText: [Int: Chain] = [:]
  }

  /// The shortest beginning that names a note of another time: less may be another post with the same first words.
  fileprivate static let shortest = 100
  /// More notes are bad records: nobody has written so many long posts.
  private static let most = 90_000
  /// Of one second, or with the same first words, this many are compared.
  fileprivate static let mostAlike = 16

  private let book = Mutex(Book())

  /// Each archive has notes of its own.
  static func == (one: ArchiveNotes, other: ArchiveNotes) -> Bool { one === other }

  /// Adds the value of `noteTweet`. Returns what is wrong with it.
  func add(_ note: JSONValue) -> String? {
    guard let core = note["core"], let text = core["text"], text.isString else { return "a long post without a text" }
    let time = Self.seconds(note["createdAt"])
    let (plain, raw) = (Self.comparable(Self.decoded(text)), Array(core.raw))
    return book.withLock { book in
      guard book.notes.count < Self.most else { return "more than \(Self.most) long posts" }
      do throws(ToolError) {
        try book.add(plain, raw, time)
        return nil
      } catch {
        return "a long post that cannot be kept: \(error.message ?? "")"
      }
    }
  }

  /// The tweet with the whole text of its note; `nil` for one that has none.
  func completed(_ tweet: JSONValue) throws(ToolError) -> [UInt8]? {
    guard let text = tweet["full_text"] ?? tweet["text"], text.isString, !book.withLock({ $0.notes.isEmpty }) else {
      return nil
    }
    let decoded = Self.decoded(text)
    let names = Self.answeredNames(decoded)
    let time = Self.seconds(tweet["created_at"])
    for skipped in names.isEmpty ? [""] : ["", names] {
      let beginning = Self.comparable(Self.beginning(String(decoded.dropFirst(skipped.count))))
      if beginning.isEmpty { continue }
      let core = try book.withLock { (book) throws(ToolError) in try book.core(beginning, time) }
      if let core { return Self.completed(tweet, with: core, after: skipped) }
    }
    return nil
  }

  private static func seconds(_ time: JSONValue?) -> Int64? {
    time?.string.flatMap { Timestamp(parsing: $0) }.map { $0.milliseconds / 1000 }
  }

  /// The tweet with an object `extended_tweet`, as v1.1 would have sent it.
  ///
  /// - Parameter names: what the tweet has before the text of the note: ASCII, without what JSON escapes.
  private static func completed(_ tweet: JSONValue, with bytes: [UInt8], after names: String) -> [UInt8]? {
    guard let core = try? JSONDocument(bytes) else { return nil }
    var json = ByteBuffer(capacity: tweet.raw.count + bytes.count + 256)
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
    var rest = Substring(text).unicodeScalars
    while true {
      while rest.last?.properties.isWhitespace == true { rest.removeLast() }
      let word = rest.lastIndex(where: \.properties.isWhitespace).map(rest.index(after:)) ?? rest.startIndex
      guard let link = Substring(rest[word...]).firstRange(of: address) else { break }
      rest = rest[..<link.lowerBound]
      if link.lowerBound > word { break }
    }
    while let last = rest.last, last.properties.isWhitespace || last == "…" { rest.removeLast() }
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

  private static func decoded(_ text: JSONValue) -> String {
    var json = ByteBuffer(capacity: text.raw.count)
    _ = json.append(tweetText: text.rawString)
    var plain = ByteBuffer(capacity: json.count)
    json.withBytes { plain.append(unescaping: $0) }
    return plain.string
  }
}

extension ArchiveNotes.Book {
  fileprivate mutating func add(_ text: String, _ core: [UInt8], _ time: Int64?) throws(ToolError) {
    let spool = if let spool { spool } else { try RecordSpool(in: Paths.temporary) }
    self.spool = spool
    let offset = spool.count
    try spool.append {
      $0.append(text)
      $0.append(core)
    }
    let number = Int32(notes.count)
    notes.append(
      ArchiveNotes.Note(offset: offset, textCount: Int32(text.utf8.count), coreCount: Int32(core.count)))
    if let time, let last = Self.extend(&byTime[time], with: number) { notes[Int(last)].nextOfTime = number }
    if let key = Self.key(text), let last = Self.extend(&byText[key], with: number) {
      notes[Int(last)].nextOfText = number
    }
  }

  /// Adds a note to a chain. Returns the one that it follows; `nil` for the first, and when there are enough.
  private static func extend(_ chain: inout ArchiveNotes.Chain?, with number: Int32) -> Int32? {
    guard var longer = chain else {
      chain = ArchiveNotes.Chain(first: number, last: number, count: 1)
      return nil
    }
    guard longer.count < ArchiveNotes.mostAlike else { return nil }
    let last = longer.last
    (longer.last, longer.count) = (number, longer.count + 1)
    chain = longer
    return last
  }

  /// The `core` of the note whose text goes on from a beginning.
  fileprivate func core(_ beginning: String, _ time: Int64?) throws(ToolError) -> [UInt8]? {
    try spool?.finish()
    if let found = try first(in: time.flatMap { byTime[$0] }, \.nextOfTime, beginning) { return found }
    return try first(in: Self.key(beginning).flatMap { byText[$0] }, \.nextOfText, beginning)
  }

  private func first(
    in chain: ArchiveNotes.Chain?, _ next: KeyPath<ArchiveNotes.Note, Int32>, _ beginning: String
  ) throws(ToolError) -> [UInt8]? {
    guard let spool, var number = chain?.first else { return nil }
    let length = beginning.utf8.count
    while number >= 0 {
      let note = notes[Int(number)]
      if Int(note.textCount) > length,
        try spool.read(at: note.offset, count: length).elementsEqual(beginning.utf8)
      {
        return try spool.read(at: note.offset + Int(note.textCount), count: Int(note.coreCount))
      }
      number = note[keyPath: next]
    }
    return nil
  }

  /// Of the first words of a text; `nil` if they are too few.
  private static func key(_ text: String) -> Int? {
    let words = text.unicodeScalars.prefix(ArchiveNotes.shortest)
    return words.count < ArchiveNotes.shortest ? nil : String(words).hashValue
  }
}
