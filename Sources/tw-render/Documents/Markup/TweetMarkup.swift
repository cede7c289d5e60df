import TweetCore
import TweetDisplay

/// The content of tweets as HTML: text with links, media, polls, quoted tweets. It is what stands in a page, and what
/// feeds carry. Classes are those of microformats2 (<https://microformats.org/wiki/h-entry>).
///
/// All that comes from the record is escaped, and links lead only where ``SafeAddress`` allows.
struct TweetMarkup: ~Copyable {
  /// Columns after which a link's address is cut where it is shown. The link itself is whole.
  private static let widestAddress = 60

  /// What gives the photos that are shown their addresses; `nil` for links to them only.
  var photos: (any PictureAddresses)?
  /// Where other tweets of the site are; `nil` for no site.
  var site: SitePlaces?
  let parts: TweetParts
  var decoder = StringDecoder()
  var addresses = ServiceAddresses()
  var address = ByteBuffer()
  var shown = ByteBuffer()
  let locale: ReaderLocale
  let warnings: WarningChoice
  private let now: Timestamp
  /// Whether the content is all that a reader sees of a tweet. A page says some of it outside.
  private let isAlone: Bool

  /// - Parameters:
  ///   - locale: the language of times and of the kit's own words.
  ///   - now: the time that ends of polls are seen from.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  ///   - isAlone: whether the content also says whom a tweet answers, where it is from, and that it was edited.
  ///   - isMail: what is folded is left out, since programs for mail cannot open it.
  init(
    _ locale: ReaderLocale, now: Timestamp, warnings: WarningChoice, isAlone: Bool = false, isMail: Bool = false
  ) {
    (self.locale, self.now, self.warnings, self.isAlone) = (locale, now, warnings, isAlone)
    parts = TweetParts(foldsWarnings: isMail && warnings != .show)
  }

  /// Takes the service of the tweets that follow, from the record they are in.
  mutating func setService(of record: TweetFields) { addresses.set(record, &decoder) }

  /// Appends the text of the tweet in `parts`, with what stands above and below it.
  mutating func appendContent(to output: inout ByteBuffer) { appendContent(parts, isQuoted: false, to: &output) }

  private mutating func appendContent(_ parts: TweetParts, isQuoted: Bool, to output: inout ByteBuffer) {
    var place: JSONValue?
    for part in parts.parts {
      switch part {
      case .deleted: appendNote(.isDeleted, "⚠ ", to: &output)
      case .withheld: appendWithheld(parts, to: &output)
      case .audience: appendAudience(parts, to: &output)
      case .edited where isAlone || isQuoted: appendNote(.edited, "✎ ", to: &output)
      // What follows stands within.
      case .warning: openWarning(parts.tweet, to: &output)
      case .text: appendText(parts, to: &output)
      case .pages: for page in parts.pages { append(card: page.link, title: page.title, page.isInText, to: &output) }
      case .media: append(media: parts.media, isSensitive: parts.tweet.isSensitive, to: &output)
      case .poll: append(parts.poll(now: now), to: &output)
      case .quote: if let quote = parts.readQuote() { append(quote, to: &output) }
      case .missingQuote: if let state = parts.tweet.quoteState { appendNote(state.phrase, "⚠ ", to: &output) }
      case .reply where isAlone || isQuoted: appendReplyNote(parts, to: &output)
      case .place where isAlone && !isQuoted: place = parts.tweet.placeName
      // A page has them outside the content. A feed has no counts, since a changed entry would come as a new one.
      case .edited, .reply, .place, .counts: continue
      }
    }
    if parts.tweet.warning != nil { output.append("</details>\n") }
    if let place { append(place: place, to: &output) }
  }

  /// Appends where a tweet is from.
  mutating func append(place: JSONValue, to output: inout ByteBuffer) {
    output.append("<p class=\"note p-location\">⌂ <bdi>")
    output.append(markup: decoder.decode(place), newline: " ")
    output.append("</bdi></p>\n")
  }

  // MARK: Above the text

  /// A sign, and words of the kit.
  private func appendNote(_ phrase: Phrase, _ sign: StaticString, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">")
    output.append(sign)
    locale.append(phrase, to: &output)
    output.append("</p>\n")
  }

  private func appendAudience(_ parts: TweetParts, to output: inout ByteBuffer) {
    if let phrase = parts.audience.phrase { appendNote(phrase, "🔒 ", to: &output) }
  }

  private mutating func appendWithheld(_ parts: TweetParts, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">⚠ ")
    parts.withheld?.append(to: &output, locale) { $1.append(markup: decoder.decode($0, limit: 16), newline: " ") }
    output.append("</p>\n")
  }

  /// `replying to @bob, @cat`.
  private mutating func appendReplyNote(_ parts: TweetParts, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">")
    if let name = parts.reply?.username {
      locale.append(before: .replyingTo, to: &output)
      append(handle: name, to: &output)
      appendOthers(parts, to: &output)
      locale.append(after: .replyingTo, to: &output)
    } else {
      locale.append(.reply, to: &output)
    }
    output.append("</p>\n")
  }

  /// Appends to whom an answer is addressed besides the person whom it answers: `, @cat, @dan, @eve +2`.
  mutating func appendOthers(_ parts: TweetParts, to output: inout ByteBuffer) {
    let (named, counted) = parts.addressees
    for name in named.dropFirst() {
      output.append(", ")
      append(handle: name, to: &output)
    }
    if counted.isEmpty { return }
    output.append(" <span title=\"")
    for (position, name) in counted.enumerated() {
      output.append(position > 0 ? ", @" : "@")
      output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
    }
    output.append("\">+")
    output.append(decimal: counted.count)
    output.append("</span>")
  }

  /// Appends `@bob`.
  /// - Parameter isLinked: whether it is linked to the profile.
  mutating func append(handle name: JSONValue, isLinked: Bool = true, to output: inout ByteBuffer) {
    address.removeAll()
    let isLinked = isLinked && addresses.appendProfile(decoder.decode(name), to: &address)
    if isLinked { openLink("", to: &output) }
    output.append("<bdi>@")
    output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
    output.append(isLinked ? "</bdi></a>" : "</bdi>")
  }

  private mutating func openWarning(_ tweet: TweetFields, to output: inout ByteBuffer) {
    output.append(warnings == .show ? "<details open" : "<details")
    output.append(" class=\"warning\"><summary dir=\"auto\">")
    output.append(markup: decoder.decode(tweet.warning, limit: .max), newline: " ")
    output.append("</summary>\n")
  }

  // MARK: Text

  private mutating func appendText(_ parts: TweetParts, to output: inout ByteBuffer) {
    let start = output.count
    output.append("<p class=\"text\" dir=\"auto\">")
    let empty = output.count
    for index in parts.text.pieces.indices where parts.text.pieces[index].place == .content {
      append(parts.text.pieces[index], to: &output)
    }
    if output.count > empty { output.append("</p>\n") } else { output.truncate(to: start) }
  }

  private mutating func append(_ piece: TextPieces.Piece, to output: inout ByteBuffer) {
    switch piece.kind {
    case .plain: output.append(markup: piece.text, newline: "<br>\n")
    case .link: append(link: piece, to: &output)
    case .mention, .tag:
      address.removeAll()
      let isMention = piece.kind == .mention
      let name = decoder.decode(isMention ? piece.entity?["username"] : piece.entity?["tag"])
      let isLinked =
        isMention
        ? addresses.appendProfile(name, to: &address)
        : addresses.appendTag(name, isCash: piece.text.first == UInt8(ascii: "$"), to: &address)
      if isLinked { openLink(isMention ? "" : "p-category", to: &output) }
      output.append(markup: piece.text, newline: " ")
      if isLinked { output.append("</a>") }
    }
  }

  /// Appends a link of the text: where it leads, or the words that link to it and the host where it leads.
  private mutating func append(link piece: TextPieces.Piece, to output: inout ByteBuffer) {
    guard let link = piece.entity, setLink(target(of: link)) else {
      return output.append(markup: piece.text, newline: " ")
    }
    openLink("", to: &output)
    if piece.isAddress {
      appendShort(target(of: link), to: &output)
    } else {
      output.append(markup: piece.text, newline: " ")
    }
    output.append("</a>")
    if !piece.isAddress { appendHost(target(of: link), to: &output) }
    appendVerdict(of: link, to: &output)
  }

  /// Where a link leads, as text. It is decoded each time, since one decoder holds one text.
  private mutating func target(of link: JSONValue) -> ByteView {
    decoder.decode(ShownAddress.target(of: link), limit: .max)
  }

  /// Appends a page that a tweet links to: its title and host; without a title, its address.
  /// - Parameter isInText: whether a link to it, with its verdict, stands in the text.
  mutating func append(card link: JSONValue, title: JSONValue?, _ isInText: Bool = false, to output: inout ByteBuffer) {
    guard setLink(target(of: link)) else { return }
    output.append("<p class=\"card\">")
    openLink("", to: &output)
    if let title {
      output.append("<bdi>")
      output.append(markup: decoder.decode(title, limit: 1000), newline: " ")
      output.append("</bdi></a>")
      appendHost(target(of: link), to: &output)
    } else {
      appendShort(target(of: link), to: &output)
      output.append("</a>")
    }
    if !isInText { appendVerdict(of: link, to: &output) }
    output.append("</p>\n")
  }

  /// What tw-linkcheck found out: a sign for music, and what is wrong with a link that does not work. This links to the
  /// copy that the Internet Archive has.
  private mutating func appendVerdict(of link: JSONValue, to output: inout ByteBuffer) {
    guard let state = LinkState(link) else { return }
    if state.kind == .music {
      output.append(" <span role=\"img\" aria-label=\"")
      locale.append(.music, to: &output)
      output.append("\">♫</span>")
    }
    if state.isQuiet { return }
    output.append(" <span class=\"verdict\">(")
    let hasCopy = state.copy != nil && setAddress(decoder.decode(state.copy, limit: .max))
    if hasCopy { openLink("", to: &output) }
    state.appendWords(locale, to: &output) { word, output in
      output.append(markup: decoder.decode(word, limit: LinkState.longestDetail), newline: " ")
    }
    output.append(hasCopy ? "</a>)</span>" : ")</span>")
  }

  // MARK: Links

  /// Makes `address` that of a link.
  /// - Returns: whether it may be linked.
  mutating func setAddress(_ url: ByteView) -> Bool {
    address.removeAll()
    return SafeAddress.append(url, to: &address)
  }

  /// The same of a link to a page, which may be a tweet of the site.
  mutating func setLink(_ url: ByteView) -> Bool {
    address.removeAll()
    return site?.appendPlace(at: url, to: &address) == true || setAddress(url)
  }

  /// Appends the start tag of a link to `address`. The page that it leads to gets neither the referring page nor its
  /// window, and no search engine counts it as our word.
  mutating func openLink(_ name: StaticString, to output: inout ByteBuffer) {
    output.append("<a ")
    if name.utf8CodeUnitCount > 0 {
      output.append("class=\"")
      output.append(name)
      output.append("\" ")
    }
    output.append("href=\"")
    address.withBytes { output.append(markup: $0) }
    output.append("\" rel=\"nofollow noopener noreferrer\">")
  }

  private mutating func appendShort(_ url: ByteView, to output: inout ByteBuffer) {
    shown.removeAll()
    ShownAddress.appendShort(url, most: Self.widestAddress, ellipsis: "…", to: &shown)
    shown.withBytes { output.append(markup: $0) }
  }

  /// Appends the host of an address, after words that link to it.
  private mutating func appendHost(_ url: ByteView, to output: inout ByteBuffer) {
    shown.removeAll()
    ShownAddress.appendHost(url, most: Self.widestAddress, ellipsis: "…", to: &shown)
    output.append(" <span class=\"host\">(")
    shown.withBytes { output.append(markup: $0) }
    output.append(")</span>")
  }

  // MARK: Quotes

  private mutating func append(_ quote: TweetParts, to output: inout ByteBuffer) {
    output.append("<blockquote class=\"u-quotation-of h-cite\">\n<p class=\"head\">")
    appendAuthor(quote.tweet, to: &output)
    appendTime(quote.tweet, isElsewhere: false, to: &output)
    output.append("</p>\n<div class=\"p-content\">\n")
    appendContent(quote, isQuoted: true, to: &output)
    output.append("</div>\n</blockquote>\n")
  }
}

/// Who wrote a tweet, and when: names, profiles, times, the tweet's own address.
extension TweetMarkup {
  /// Appends the author's name, linked to the profile, and the user name: an h-card.
  mutating func appendAuthor(_ tweet: TweetFields, to output: inout ByteBuffer) {
    append(author: tweet.author, as: "p-author h-card", to: &output)
  }

  /// - Parameter role: classes for the h-card.
  mutating func append(author: AuthorFields, as role: StaticString, to output: inout ByteBuffer) {
    output.append("<span class=\"")
    output.append(role)
    output.append("\">")
    let isLinked = setProfile(author)
    if isLinked { openLink("p-name u-url", to: &output) } else { output.append("<span class=\"p-name\">") }
    output.append("<bdi>")
    appendName(author, to: &output)
    output.append("</bdi>")
    output.append(isLinked ? "</a>" : "</span>")
    if author.isVerified {
      output.append("<span class=\"verified\" title=\"")
      locale.append(.verified, to: &output)
      output.append("\">\u{A0}✓</span>")
    }
    if let username = author.username, !username.rawString.isEmpty {
      output.append(" <bdi class=\"handle\">@<span class=\"p-nickname\">")
      appendName(username, to: &output)
      output.append("</span></bdi>")
    }
    output.append("</span>")
  }

  /// Makes `address` that of the profile.
  private mutating func setProfile(_ author: AuthorFields) -> Bool {
    address.removeAll()
    return addresses.appendProfile(decoder.decode(author.username), to: &address)
  }

  /// Appends a profile's address, as markup.
  /// - Returns: whether there is one that may be linked; if not, nothing was appended.
  mutating func appendProfile(_ author: AuthorFields, to output: inout ByteBuffer) -> Bool {
    guard setProfile(author) else { return false }
    address.withBytes { output.append(markup: $0) }
    return true
  }

  /// The same as plain text.
  mutating func appendPlainProfile(_ author: AuthorFields, to output: inout ByteBuffer) -> Bool {
    guard setProfile(author) else { return false }
    address.withBytes { output.append($0) }
    return true
  }

  /// Appends the display name; without one, the user name or the id.
  mutating func appendName(_ author: AuthorFields, to output: inout ByteBuffer) {
    for name in [author.name, author.username, author.id] {
      guard let name, name.rawString.contains(where: { $0 > 0x20 }) else { continue }
      return appendName(name, to: &output)
    }
    output.append("unknown")
  }

  /// Appends `Jane Smith (@jane)`, as markup.
  mutating func appendFullName(_ author: AuthorFields, to output: inout ByteBuffer) {
    var name = ByteBuffer(capacity: 128)
    appendPlainFullName(author, to: &name)
    name.withBytes { output.append(markup: $0) }
  }

  /// The same as plain text on one line.
  mutating func appendPlainFullName(_ author: AuthorFields, to output: inout ByteBuffer) {
    let start = output.count
    output.append(visible: decoder.decode(author.name, limit: 1024))
    if output.withBytes({ bytes in bytes[start...].allSatisfy { $0 <= 0x20 } }) { output.truncate(to: start) }
    guard let username = author.username, !username.rawString.isEmpty else {
      if output.count == start { output.append("unknown") }
      return
    }
    let hasName = output.count > start
    output.append(hasName ? " (@" : "@")
    output.append(visible: decoder.decode(username, limit: 1024))
    if hasName { output.append(")") }
  }

  private mutating func appendName(_ name: JSONValue, to output: inout ByteBuffer) {
    output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
  }

  /// Appends the tweet's time, linked to the tweet.
  /// - Parameter isElsewhere: whether it is linked to its service, also if the site has it.
  mutating func appendTime(_ tweet: TweetFields, isElsewhere: Bool = true, to output: inout ByteBuffer) {
    guard let time = tweet.createdAt, time.date.year > 0 else { return }
    output.append(" ")
    var isLinked = setTweet(tweet)
    if !isElsewhere, isLinked {
      let elsewhere = address.array
      isLinked = elsewhere.withBytes { setLink($0) }
    }
    if isLinked { openLink("u-url", to: &output) }
    output.append("<time class=\"dt-published\" datetime=\"")
    output.append(time)
    output.append("\">")
    locale.appendLasting(time, to: &output)
    output.append("</time>")
    if isLinked { output.append("</a>") }
  }

  /// Makes `address` that of a tweet: its own, else the one that its service gives such ids.
  private mutating func setTweet(_ tweet: TweetFields) -> Bool {
    if let url = tweet.url, setAddress(decoder.decode(url, limit: .max)) { return true }
    return setTweet(tweet.id, by: tweet.author.username)
  }

  private mutating func setTweet(_ id: JSONValue?, by username: JSONValue?) -> Bool {
    address.removeAll()
    // One decoder holds one text.
    shown.removeAll()
    shown.append(decoder.decode(username))
    let name = shown.withBytes { $0 }
    return addresses.appendTweet(decoder.decode(id), by: name, to: &address)
  }

  /// Appends a tweet's address, as markup.
  /// - Returns: whether it has one that may be linked; if not, nothing was appended.
  mutating func appendAddress(of tweet: TweetFields, to output: inout ByteBuffer) -> Bool {
    guard setTweet(tweet) else { return false }
    address.withBytes { output.append(markup: $0) }
    return true
  }

  /// The same as plain text.
  mutating func appendPlainAddress(of tweet: TweetFields, to output: inout ByteBuffer) -> Bool {
    guard setTweet(tweet) else { return false }
    address.withBytes { output.append($0) }
    return true
  }

  /// Appends what a feed shows of a tweet: its content; of a retweet whom it repeats, and that tweet's content.
  mutating func appendEntry(_ tweet: TweetFields, to output: inout ByteBuffer) {
    guard let original = tweet.retweeted else {
      parts.read(tweet)
      return appendContent(to: &output)
    }
    output.append("<p>↻ ")
    appendAuthor(original, to: &output)
    appendTime(original, to: &output)
    output.append("</p>\n")
    parts.read(original, in: tweet)
    appendContent(to: &output)
  }
}
