import TweetCore

/// The first row of a tweet: name, sign of a verified account, handle, time, marks.
///
/// It is one row. What does not fit is left out: first the handle, then the end of the name, then marks, then the time.
struct HeaderRow: ~Copyable {
  /// A name is cut no shorter.
  private static let narrowestName = 4

  private let style: TerminalStyle
  private let locale: ReaderLocale
  private let times: TimeForm
  private var names: AuthorText
  private var decoder = StringDecoder()
  private var handle = StyledText()
  private var end = StyledText()

  init(_ style: TerminalStyle, locale: ReaderLocale, times: TimeForm) {
    self.style = style
    self.locale = locale
    self.times = times
    names = AuthorText(style)
  }

  /// Appends the row of a tweet.
  /// - Parameters:
  ///   - now: the time that its own is seen from.
  ///   - room: the columns of a row.
  ///   - isEdited: whether it has the mark of an edited tweet, whatever the record says.
  mutating func append(
    _ tweet: TweetFields, now: Timestamp, room: Int, isEdited: Bool = false, to text: inout StyledText
  ) {
    let verifiedEnd = appendVerified(tweet.author)
    appendTime(tweet, now)
    let timeEnd = end.count
    appendAudience(of: tweet)
    if isEdited || tweet.isEdited { appendMark(.edited) }
    if tweet.isDeleted { appendMark(.isDeleted) }
    cutEnd(to: room - Self.narrowestName, timeEnd, verifiedEnd)
    appendFitted(tweet.author, verifiedEnd: verifiedEnd, room: room, to: &text)
    append(verifiedEnd..<min(timeEnd, end.count), .dim, linkingTo: tweet.url, to: &text)
    append(min(timeEnd, end.count)..<end.count, .dim, to: &text)
    end.removeAll()
  }

  /// Leaves out what is after `marks`, and then what is after `time`, if the end of the row is wider than `most`.
  private mutating func cutEnd(to most: Int, _ marks: Int, _ time: Int) {
    // No letter takes more columns than bytes.
    if end.count <= most || DisplayWidth.widest(of: end.view(from: 0)) <= most { return }
    end.bytes.truncate(to: marks)
    if DisplayWidth.widest(of: end.view(from: 0)) > most { end.bytes.truncate(to: time) }
  }

  /// Appends the row of a profile.
  mutating func append(_ user: AuthorFields, room: Int, to text: inout StyledText) {
    let verifiedEnd = appendVerified(user)
    if user.isProtected { appendMark(.protected) }
    appendFitted(user, verifiedEnd: verifiedEnd, room: room, to: &text)
    append(verifiedEnd..<end.count, .dim, to: &text)
    end.removeAll()
  }

  /// Appends the sign of a verified account to the end of the row.
  /// - Returns: where it ends.
  private mutating func appendVerified(_ author: AuthorFields) -> Int {
    if author.isVerified {
      end.bytes.append(" ")
      end.bytes.append(style.glyphs.verified)
    }
    return end.count
  }

  /// Appends name, sign and handle, so far as they fit before the end of the row.
  private mutating func appendFitted(
    _ author: AuthorFields, verifiedEnd: Int, room: Int, to text: inout StyledText
  ) {
    if let username = author.username {
      handle.bytes.append(" ")
      names.appendHandle(username, to: &handle)
    }
    let start = text.count
    names.appendName(author, to: &text)
    var showsHandle = true
    if text.count - start + handle.count + end.count > room {
      let endWidth = DisplayWidth.widest(of: end.view(from: 0))
      let handleWidth = DisplayWidth.widest(of: handle.view(from: 0))
      let nameWidth = DisplayWidth.widest(of: text.view(from: start))
      showsHandle = nameWidth + handleWidth + endWidth <= room
      if !showsHandle, nameWidth + endWidth > room {
        text.bytes.truncate(to: start)
        names.appendName(author, most: max(room - endWidth, Self.narrowestName), to: &text)
      }
    }
    text.mark(.name)
    append(0..<verifiedEnd, .verified, to: &text)
    if showsHandle {
      text.bytes.append(handle.view(from: 0))
      text.mark(.dim)
    }
    handle.removeAll()
  }

  /// Appends `↻ name retweeted · time`; of several people `↻ name, name and 3 others · time`.
  mutating func append(retweeter tweet: TweetFields, now: Timestamp, room: Int, to text: inout StyledText) {
    let start = text.count
    text.bytes.append(style.glyphs.retweet)
    text.bytes.append(" ")
    let crowd = tweet.retweeters
    if let crowd {
      if crowd.others > 0 { locale.append(.moreRetweeters, count: crowd.others, to: &end.bytes) }
    } else {
      locale.append(before: .retweeted, to: &text.bytes)
      locale.append(after: .retweeted, to: &end.bytes)
    }
    let wordsEnd = end.count
    appendTime(tweet, now)
    appendAudience(of: tweet)
    if tweet.isDeleted { appendMark(.isDeleted) }
    let left = room - DisplayWidth.widest(of: text.view(from: start))
    cutEnd(to: left - Self.narrowestName, wordsEnd, 0)
    let most = left - DisplayWidth.widest(of: end.view(from: 0))
    if let second = crowd?.second {
      names.appendName(tweet.author, most: max(most / 2, Self.narrowestName), to: &text)
      text.bytes.append(", ")
      let used = DisplayWidth.widest(of: text.view(from: start)) + DisplayWidth.widest(of: end.view(from: 0))
      names.appendName(second, most: max(room - used, Self.narrowestName), to: &text)
    } else {
      names.appendName(tweet.author, most: max(most, Self.narrowestName), to: &text)
    }
    append(0..<min(wordsEnd, end.count), .dim, to: &text)
    append(min(wordsEnd, end.count)..<end.count, .dim, linkingTo: tweet.url, to: &text)
    end.removeAll()
  }

  private mutating func appendTime(_ tweet: TweetFields, _ now: Timestamp) {
    guard let time = tweet.createdAt else { return }
    appendSeparator()
    let start = end.count
    locale.append(time, as: times, now: now, to: &end.bytes)
    if style.isolates { Bidi.isolate(&end.bytes, from: start) }
  }

  /// Appends who may see the tweet, behind a lock; or that its author approves followers.
  private mutating func appendAudience(of tweet: TweetFields) {
    if let phrase = tweet.audience.phrase {
      appendMark(phrase, sign: style.glyphs.lock)
    } else if tweet.author.isProtected {
      appendMark(.protected)
    }
  }

  private mutating func appendMark(_ mark: Phrase, sign: StaticString? = nil) {
    appendSeparator()
    if let sign {
      end.bytes.append(sign)
      end.bytes.append(style.glyphs.glue)
    }
    let start = end.count
    locale.append(mark, to: &end.bytes)
    if style.isolates { Bidi.isolate(&end.bytes, from: start) }
  }

  private mutating func appendSeparator() {
    end.bytes.append(" ")
    end.bytes.append(style.glyphs.separator)
    end.bytes.append(" ")
  }

  /// Appends a part of the row's end. A link begins after the separator.
  private mutating func append(
    _ range: Range<Int>, _ ink: Ink, linkingTo url: JSONValue? = nil, to text: inout StyledText
  ) {
    if range.isEmpty { return }
    guard let url else {
      text.bytes.append(end.view(range))
      text.mark(ink)
      return
    }
    let separator = style.glyphs.separator.utf8CodeUnitCount + 2
    text.bytes.append(end.view(range.lowerBound..<range.lowerBound + separator))
    text.mark(ink)
    text.bytes.append(end.view(range.lowerBound + separator..<range.upperBound))
    text.mark(ink, linkingTo: decoder.decode(url, limit: AddressText.longest))
  }
}
