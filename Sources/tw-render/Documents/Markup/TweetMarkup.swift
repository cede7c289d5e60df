import TweetCore
import TweetDisplay

/// The content of tweets as HTML: text with links, media, polls, quoted tweets. It is what stands in a page, and what feeds
/// carry. Classes are those of microformats2 (<https://microformats.org/wiki/h-entry>).
///
/// All that comes from the record is escaped, and links lead only where ``SafeAddress`` allows.
struct TweetMarkup: ~Copyable {
  /// Columns after which a link's address is cut where it is shown. The link itself is whole.
  private static let widestAddress = 60

  /// Where the photos are that become part of the markup; `nil` for links to them only.
  var photos: PictureFolder?
  private let parts = TweetParts()
  var decoder = StringDecoder()
  var addresses = ServiceAddresses()
  var address = ByteBuffer()
  var shown = ByteBuffer()
  let locale: ReaderLocale
  private let now: Timestamp

  /// - Parameters:
  ///   - locale: the language of times and of the kit's own words.
  ///   - now: the time that ends of polls are seen from.
  init(_ locale: ReaderLocale, now: Timestamp) { (self.locale, self.now) = (locale, now) }

  /// Takes the service of the tweets that follow, from the record they are in.
  mutating func setService(of record: TweetFields) { addresses.set(record, &decoder) }

  /// Appends a tweet's text, with what stands above and below it.
  /// - Parameter retweet: the retweet that it is shown in.
  mutating func appendContent(_ tweet: TweetFields, in retweet: TweetFields?, to output: inout ByteBuffer) {
    parts.read(tweet, in: retweet)
    appendContent(parts, isQuoted: false, to: &output)
  }

  private mutating func appendContent(_ parts: TweetParts, isQuoted: Bool, to output: inout ByteBuffer) {
    for part in parts.parts {
      switch part {
      case .deleted: appendDeleted(to: &output)
      case .withheld: appendWithheld(parts, to: &output)
      // What follows stands within.
      case .warning: openWarning(parts.tweet, to: &output)
      case .text: appendText(parts, to: &output)
      case .pages: for page in parts.pages { append(card: page.link, title: page.title, page.isInText, to: &output) }
      case .media: append(media: parts.media, isSensitive: parts.tweet.isSensitive, to: &output)
      case .poll: append(parts.poll(now: now), to: &output)
      case .quote: if let quote = parts.readQuote() { append(quote, to: &output) }
      case .reply where isQuoted: appendReplyNote(parts, to: &output)
      // A page has them outside the content. A feed names what is answered in an element of its own, and has no counts, since
      // a changed entry would come as a new one.
      case .reply, .place, .counts: continue
      }
    }
    if parts.tweet.warning != nil { output.append("</details>\n") }
  }

  // MARK: Above the text

  private func appendDeleted(to output: inout ByteBuffer) {
    output.append("<p class=\"note\">⚠ ")
    locale.append(.isDeleted, to: &output)
    output.append("</p>\n")
  }

  private mutating func appendWithheld(_ parts: TweetParts, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">⚠ ")
    parts.withheld?.append(to: &output, locale) { $1.append(markup: decoder.decode($0, limit: 16), newline: " ") }
    output.append("</p>\n")
  }

  /// `replying to @bob`.
  private mutating func appendReplyNote(_ parts: TweetParts, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">")
    if let name = parts.reply?.username {
      locale.append(before: .replyingTo, to: &output)
      output.append("<bdi>@")
      output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
      output.append("</bdi>")
      locale.append(after: .replyingTo, to: &output)
    } else {
      locale.append(.reply, to: &output)
    }
    output.append("</p>\n")
  }

  private mutating func openWarning(_ tweet: TweetFields, to output: inout ByteBuffer) {
    output.append("<details class=\"warning\"><summary dir=\"auto\">")
    output.append(markup: decoder.decode(tweet.warning, limit: .max), newline: " ")
    output.append("</summary>\n")
  }

  // MARK: Text

  private mutating func appendText(_ parts: TweetParts, to output: inout ByteBuffer) {
    let start = output.count
    output.append("<p class=\"text\" dir=\"auto\">")
    let empty = output.count
    for index in parts.text.pieces.indices where parts.text.pieces[index].place != .margin {
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
        isMention ? addresses.appendProfile(name, to: &address) : addresses.appendTag(name, to: &address)
      if isLinked { openLink(isMention ? "" : "p-category", to: &output) }
      output.append(markup: piece.text, newline: " ")
      if isLinked { output.append("</a>") }
    }
  }

  /// Appends a link of the text: where it leads, or the words that link to it and the host where it leads.
  private mutating func append(link piece: TextPieces.Piece, to output: inout ByteBuffer) {
    guard let link = piece.entity, setAddress(target(of: link)) else {
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
  private mutating func target(of link: JSONValue) -> UnsafeBufferPointer<UInt8> {
    decoder.decode(ShownAddress.target(of: link), limit: .max)
  }

  /// Appends a page that a tweet links to: its title and host; without a title, its address.
  /// - Parameter isInText: whether a link to it, with its verdict, stands in the text.
  mutating func append(card link: JSONValue, title: JSONValue?, _ isInText: Bool = false, to output: inout ByteBuffer) {
    guard setAddress(target(of: link)) else { return }
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

  /// What tw-linkcheck found out, unless the link works. It links to the copy that the Internet Archive has.
  private mutating func appendVerdict(of link: JSONValue, to output: inout ByteBuffer) {
    guard let state = LinkState(link), !state.isQuiet else { return }
    output.append(" <span class=\"verdict\">(")
    let hasCopy = state.copy != nil && setAddress(decoder.decode(state.copy, limit: .max))
    if hasCopy { openLink("", to: &output) }
    state.appendWords(to: &output) { word, output in
      output.append(markup: decoder.decode(word, limit: LinkState.longestDetail), newline: " ")
    }
    output.append(hasCopy ? "</a>)</span>" : ")</span>")
  }

  // MARK: Links

  /// Makes `address` that of a link.
  /// - Returns: whether it may be linked.
  mutating func setAddress(_ url: UnsafeBufferPointer<UInt8>) -> Bool {
    address.removeAll()
    return SafeAddress.append(url, to: &address)
  }

  /// Appends the start tag of a link to `address`. The page that it leads to gets neither the referring page nor its window,
  /// and no search engine counts it as our word.
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

  private mutating func appendShort(_ url: UnsafeBufferPointer<UInt8>, to output: inout ByteBuffer) {
    shown.removeAll()
    ShownAddress.appendShort(url, most: Self.widestAddress, ellipsis: "…", to: &shown)
    shown.withBytes { output.append(markup: $0) }
  }

  /// Appends the host of an address, after words that link to it.
  private mutating func appendHost(_ url: UnsafeBufferPointer<UInt8>, to output: inout ByteBuffer) {
    shown.removeAll()
    ShownAddress.appendHost(url, most: Self.widestAddress, ellipsis: "…", to: &shown)
    output.append(" <span class=\"host\">(")
    shown.withBytes { output.append(markup: $0) }
    output.append(")</span>")
  }

  // MARK: Media and polls

  private mutating func append(media: [MediaFields], isSensitive: Bool, to output: inout ByteBuffer) {
    output.append("<ul class=\"media\">\n")
    for item in media {
      output.append("<li>")
      let isLinked = setAddress(decoder.decode(item.address, limit: .max))
      if isLinked { openLink(item.kind.property, to: &output) }
      let isShown = !isSensitive && append(photo: item, to: &output)
      if !isShown { locale.append(item.kind.phrase, to: &output) }
      if isLinked { output.append("</a>") }
      if isSensitive {
        output.append(" (")
        locale.append(.sensitive, to: &output)
        output.append(")")
      }
      if let description = item.description {
        output.append(isShown ? "<bdi>" : ": <bdi>")
        output.append(markup: decoder.decode(description, limit: .max), newline: " ")
        output.append("</bdi>")
      }
      output.append("</li>\n")
    }
    output.append("</ul>\n")
  }

  /// Appends the photo itself.
  /// - Returns: whether it is there.
  private mutating func append(photo item: MediaFields, to output: inout ByteBuffer) -> Bool {
    guard let key = PictureKey(item.picture), let photo = photos?.read(key, .photo) else { return false }
    output.append("<img width=\"")
    output.append(decimal: photo.width)
    output.append("\" height=\"")
    output.append(decimal: photo.height)
    // What it shows stands after it.
    output.append("\" alt=\"")
    locale.append(item.kind.phrase, to: &output)
    output.append("\" decoding=\"async\" src=\"data:image/png;base64,")
    output.append(base64: photo.png)
    output.append("\">")
    return true
  }

  private mutating func append(_ poll: PollFields?, to output: inout ByteBuffer) {
    guard let poll else { return }
    output.append("<ul class=\"poll\">\n")
    for option in poll.options {
      let percent = Int((poll.share(of: option) * 100).rounded())
      output.append("<li><label><bdi>")
      output.append(markup: decoder.decode(option.label), newline: " ")
      output.append("</bdi> <meter max=\"100\" value=\"")
      output.append(decimal: percent)
      output.append("\"></meter></label> ")
      locale.append(percent: percent, to: &output)
      output.append("</li>\n")
    }
    output.append("</ul>\n<p class=\"votes\">")
    poll.appendState(locale, to: &output)
    output.append("</p>\n")
  }

  // MARK: Quotes

  private mutating func append(_ quote: TweetParts, to output: inout ByteBuffer) {
    output.append("<blockquote class=\"u-quotation-of h-cite\">\n<p class=\"head\">")
    appendAuthor(quote.tweet, to: &output)
    appendTime(quote.tweet, to: &output)
    output.append("</p>\n<div class=\"p-content\">\n")
    appendContent(quote, isQuoted: true, to: &output)
    output.append("</div>\n</blockquote>\n")
  }
}

extension MediaFields.Kind {
  /// Its property in microformats2.
  fileprivate var property: StaticString {
    switch self {
    case .photo: "u-photo"
    case .video, .gif: "u-video"
    case .audio: "u-audio"
    case .other: ""
    }
  }
}

extension PollFields {
  /// Appends `12 votes, closes 2021-11-03 21:25`: what stays true.
  func appendState(_ locale: ReaderLocale, to output: inout ByteBuffer) {
    locale.append(.votes, count: count, to: &output)
    if isClosed { locale.append(.closed, to: &output) }
    guard let end else { return }
    if isClosed { output.append(" ") } else { locale.append(before: .closes, to: &output) }
    locale.appendLasting(end, to: &output)
    if !isClosed { locale.append(after: .closes, to: &output) }
  }
}
