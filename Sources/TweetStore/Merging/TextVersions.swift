import TweetCore

/// Which of two versions of a tweet has the text, and whether the newer one is an edit.
///
/// Services send one text in several forms: cut after 140 or 280 characters with an ellipsis, of a retweet the first
/// words only, with character references of HTML, with other white space. None of these is an edit.
struct TextVersions {
  /// Whether the text is the newer version's.
  let isNewer: Bool
  /// Whether both texts have the same bytes.
  let isSame: Bool
  /// Whether the author changed the post between the two versions.
  let isEdit: Bool

  /// - Parameter olderTime: when the older version was read.
  init(newer: JSONValue, older: JSONValue, olderTime: Timestamp?) {
    let (new, old) = (newer["text"], older["text"])
    let isDated = Self.isEditedSince(newer, older, olderTime)
    isSame = new.map { new in old?.hasBytes(of: new) ?? false } ?? (old == nil)
    guard !isSame, let new, new.isText || isDated else {
      (isNewer, isEdit) = (isSame, isSame && isDated)
      return
    }
    guard let old, old.isText, !isDated else {
      (isNewer, isEdit) = (true, old != nil && isDated)
      return
    }
    switch Self.relation(newer, new, older, old) {
    case .newer: (isNewer, isEdit) = (true, false)
    case .older: (isNewer, isEdit) = (false, false)
    // The offsets of entities are those of one form.
    case .either: (isNewer, isEdit) = (newer["entities"] != nil || older["entities"] == nil, false)
    case nil: (isNewer, isEdit) = (true, true)
    }
  }

  /// A value that belongs to the text.
  /// - Parameter orOther: whether the other version's is taken if there is none.
  func chosen(_ new: JSONValue?, _ old: JSONValue?, orOther: Bool = true) -> JSONValue? {
    let (one, other) = isNewer ? (new, old) : (old, new)
    return one ?? (orOther ? other : nil)
  }

  /// Whether the service says that the post was edited after the older version was read. Mastodon does.
  private static func isEditedSince(_ newer: JSONValue, _ older: JSONValue, _ olderTime: Timestamp?) -> Bool {
    guard let edited = newer["extra"]?["edited_at"]?.time else { return false }
    guard let before = older["extra"]?["edited_at"]?.time ?? olderTime else { return false }
    return edited > before
  }

  private enum Fuller { case newer, older, either }

  /// Which of two forms of one text is the fuller one; `nil` if they are two texts.
  private static func relation(
    _ newer: JSONValue, _ newText: JSONValue, _ older: JSONValue, _ oldText: JSONValue
  ) -> Fuller? {
    let isRetweet = hasReference(newer) || hasReference(older)
    if isRetweet {
      // The text of a retweet comes from the tweet that it retweets.
      let (new, old) = (hasOriginal(newer), hasOriginal(older))
      if new != old { return new ? .newer : .older }
    }
    let new = TextForm(newText, isRetweet: isRetweet)
    let old = TextForm(oldText, isRetweet: isRetweet)
    if new.words == old.words { return .either }
    if new.isCut(of: old) { return .older }
    if old.isCut(of: new) { return .newer }
    let (newIsCut, oldIsCut) = (isTruncated(newer), isTruncated(older))
    if newIsCut != oldIsCut { return newIsCut ? .older : .newer }
    // A link to its own picture or to what it quotes, which not every answer has.
    if new.withoutLinks == old.withoutLinks { return new.words.count > old.words.count ? .newer : .older }
    return nil
  }

  private static func references(_ tweet: JSONValue) -> LazyFilterSequence<JSONValue.Elements>? {
    tweet["referenced_tweets"]?.elements.lazy.filter { $0["type"]?.equals("retweeted") == true }
  }

  private static func hasReference(_ tweet: JSONValue) -> Bool { references(tweet)?.first { _ in true } != nil }

  private static func hasOriginal(_ tweet: JSONValue) -> Bool { references(tweet)?.first { $0["text"] != nil } != nil }

  /// Whether X API v1.1 says that it has cut the text.
  private static func isTruncated(_ tweet: JSONValue) -> Bool {
    (tweet["truncated"] ?? tweet["extra"]?["truncated"])?.bool == true
  }
}

/// A text in the form in which texts are compared: without character references, white space as single spaces.
struct TextForm {
  private static let ellipsis: [UInt8] = Array("…".utf8)
  private static let dots: [UInt8] = Array("...".utf8)
  /// X shortens every link to one of these.
  private static let links = ["https://t.co/", "http://t.co/"].map { Array($0.utf8) }

  /// A retweet's without `RT @name: `: the name may change.
  let words: ArraySlice<UInt8>
  /// Without X's links at its end.
  let withoutLinks: ArraySlice<UInt8>
  private let isRetweet: Bool

  /// - Parameter text: a string.
  init(_ text: JSONValue, isRetweet: Bool) {
    let words = Self.words(of: text, isRetweet: isRetweet)
    (self.words, withoutLinks, self.isRetweet) = (words, Self.withoutLinks(words), isRetweet)
  }

  /// Whether it is the beginning of the other text, as X cuts it: an ellipsis, and, unless it is a retweet, a link.
  func isCut(of other: TextForm) -> Bool {
    guard isRetweet || withoutLinks.count < words.count else { return false }
    var start = withoutLinks
    if start.hasSuffix(Self.ellipsis) {
      start.removeLast(Self.ellipsis.count)
    } else if start.hasSuffix(Self.dots) {
      start.removeLast(Self.dots.count)
    } else {
      return false
    }
    // A character reference may be cut as well.
    if let ampersand = start.suffix(8).lastIndex(of: UInt8(ascii: "&")) { start = start[..<ampersand] }
    start = Self.trimmed(start)
    return !start.isEmpty && start.count < other.words.count && other.words.starts(with: start)
  }

  private static func words(of text: JSONValue, isRetweet: Bool) -> ArraySlice<UInt8> {
    var plain = ByteBuffer(capacity: text.rawString.count)
    plain.append(unescaping: text.rawString)
    var words = ByteBuffer(capacity: plain.count)
    plain.withBytes { bytes in
      var at = 0
      while at < bytes.count {
        if bytes[at] == UInt8(ascii: "&") {
          let length = HTMLReference.append(bytes, at: at, to: &words)
          at += length
          if length > 0 { continue }
        }
        words.append(bytes[at])
        at += 1
      }
    }
    var spaced: [UInt8] = []
    words.withBytes { bytes in
      spaced.reserveCapacity(bytes.count)
      for byte in bytes {
        if byte > 0x20 { spaced.append(byte) } else if let last = spaced.last, last != 0x20 { spaced.append(0x20) }
      }
    }
    let all = trimmed(spaced[...])
    guard isRetweet, all.starts(with: "RT @".utf8), let colon = all.firstIndex(of: UInt8(ascii: ":")),
      !all[all.startIndex.advanced(by: 4)..<colon].contains(0x20)
    else { return all }
    return trimmed(all[(colon + 1)...])
  }

  private static func withoutLinks(_ words: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = words
    while let space = rest.lastIndex(of: 0x20), links.contains(where: { rest[(space + 1)...].starts(with: $0) }) {
      rest = trimmed(rest[..<space])
    }
    return rest
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while bytes.last == 0x20 { bytes.removeLast() }
    while bytes.first == 0x20 { bytes.removeFirst() }
    return bytes
  }
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ bytes: [UInt8]) -> Bool {
    count >= bytes.count && suffix(bytes.count).elementsEqual(bytes)
  }
}
