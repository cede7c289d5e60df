import TweetCore

/// What the tweets of an archive repeat and quote. X's archives since 2018 say neither: a retweet has only its text,
/// and a quote only a link.
extension TweetMapper {
  /// The tweet that a tweet of an archive repeats: who wrote it, by the mention that X puts before its text,
  /// `RT @name: `. What people typed themselves only begins like it: without that mention, as an answer, liked by
  /// others, or before X had retweets.
  func archivedRetweet(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>) -> ArchivedRetweet? {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    guard let text = value(.fullText) ?? value(.text), text.rawString.hasPrefix("RT @"),
      let colon = text.rawString.firstIndex(of: UInt8(ascii: ":")), text.rawString[colon...].starts(with: ": ".utf8),
      value(.favoriteCount)?.looseInteger ?? 0 == 0, value(.replyStatusIDString) ?? value(.replyStatusID) == nil
    else { return nil }
    if let time = value(.createdAt).flatMap({ Timestamp(of: $0) }), time.milliseconds < Self.firstRetweet { return nil }
    let name = text.rawString.extracting(4..<colon)
    let mention = value(.entities)?["user_mentions"]?.elements.first { mention in
      let ends = mention["indices"].map { $0.elements.map(\.looseInteger) }
      return ends == [3, 4 + name.count] && mention["screen_name"]?.hasName(name) ?? false
    }
    guard let mention else { return nil }
    let media = (value(.extendedEntities) ?? value(.entities))?["media"]?.elements.first { _ in true }
    return ArchivedRetweet(
      author: mention, id: media?["source_status_id_str"] ?? media?["source_status_id"])
  }

  /// 2009-11-05, when X began to offer retweets to all.
  private static var firstRetweet: Int64 { 1_257_379_200_000 }

  /// Appends the tweet that an archived one repeats. Its id is known only if it has a picture.
  mutating func append(_ retweet: ArchivedRetweet, to out: inout ByteBuffer) {
    out.element { out in
      out.member("type", "retweeted")
      if let id = readID(retweet.id) { out.member("id", id: id) }
      guard let author = v1ID(retweet.author) else { return }
      out.member("author_id", id: author)
      out.object("author") { out in
        out.member("id", id: author)
        out.member("username", retweet.author["screen_name"])
        out.member("name", retweet.author["name"])
      }
    }
  }

  /// The id of the tweet that an archived one quotes: X shows the tweet to which the last link leads, if only links to
  /// its own pictures come after it.
  func archivedQuote(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>) -> String? {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    let last = value(.entities)?["urls"].flatMap { $0.elements.reduce(nil) { $1 } }
    guard let last, let address = last["expanded_url"]?.string, let id = Self.statusID(address),
      value(.idString)?.string != id, let link = last["url"]?.nonEmptyString,
      let text = (value(.fullText) ?? value(.text))?.string, let place = text.lastRange(of: link)
    else { return nil }
    let words = text[place.upperBound...].split(whereSeparator: \.isWhitespace)
    return words.allSatisfy { $0.hasPrefix("https://t.co/") } ? id : nil
  }

  /// The id in the address of a tweet's page; `nil` for another address, a picture's of a tweet too.
  private static func statusID(_ address: String) -> String? {
    let path = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst()
    guard address.hasPrefix("http"), var host = path.first, path.count == 4 else { return nil }
    for prefix in ["www.", "mobile.", "m."] where host.hasPrefix(prefix) { host = host.dropFirst(prefix.count) }
    let parts = Array(path)
    guard host == "twitter.com" || host == "x.com", parts[2] == "status" || parts[2] == "statuses" else { return nil }
    return String(parts[3]).withBytes { $0.isNumericID } ? String(parts[3]) : nil
  }
}

/// What an archived retweet says of the tweet that it repeats.
struct ArchivedRetweet {
  /// The mention of its author.
  let author: JSONValue
  let id: JSONValue?
}

extension JSONValue {
  /// Whether it is this name, in whatever case.
  fileprivate func hasName(_ name: ByteView) -> Bool {
    rawString.count == name.count && zip(rawString, name).allSatisfy { $0.asASCIILowercase == $1.asASCIILowercase }
  }
}

extension String {
  fileprivate func lastRange(of other: String) -> Range<Index>? {
    var found: Range<Index>?
    var rest = self[...]
    while let range = rest.firstRange(of: other) {
      found = range
      rest = rest[range.upperBound...]
    }
    return found
  }
}
