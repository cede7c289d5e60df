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
  private var pieces = TweetPieces()
  var decoder = StringDecoder()
  var addresses = ServiceAddresses()
  var address = ByteBuffer()
  var shown = ByteBuffer()
  let locale: ReaderLocale

  /// - Parameter locale: the language of times and of the kit's own words.
  init(_ locale: ReaderLocale) { self.locale = locale }

  /// Takes the service of the tweets that follow, from the record they are in.
  mutating func setService(of record: TweetFields) { addresses.set(record, &decoder) }

  /// Appends a tweet's text, media, poll and quoted tweet.
  mutating func appendContent(_ tweet: TweetFields, to output: inout ByteBuffer) {
    if let warning = tweet.warning {
      output.append("<details class=\"warning\"><summary dir=\"auto\">")
      output.append(markup: decoder.decode(warning, limit: .max), newline: " ")
      output.append("</summary>\n")
    }
    appendText(tweet, to: &output)
    if let media = tweet.attachments?["media"] { append(media: media, isSensitive: tweet.isSensitive, to: &output) }
    append(pollOf: tweet, to: &output)
    if let quoted = tweet.quoted { append(quoted: quoted, to: &output) }
    if tweet.warning != nil { output.append("</details>\n") }
  }

  // MARK: Text

  private mutating func appendText(_ tweet: TweetFields, to output: inout ByteBuffer) {
    pieces.read(tweet)
    if !pieces.pieces.isEmpty {
      output.append("<p class=\"text\" dir=\"auto\">")
      for index in pieces.pieces.indices { append(pieces.pieces[index], to: &output) }
      output.append("</p>\n")
    }
    for index in pieces.cards.indices { append(card: pieces.cards[index], to: &output) }
  }

  private mutating func append(_ piece: TweetPieces.Piece, to output: inout ByteBuffer) {
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
  private mutating func append(link piece: TweetPieces.Piece, to output: inout ByteBuffer) {
    guard let link = piece.entity, setAddress(target(of: link)) else {
      return output.append(markup: piece.text, newline: " ")
    }
    openLink("", title: link["title"], to: &output)
    if piece.isAddress {
      appendShort(target(of: link), to: &output)
    } else {
      output.append(markup: piece.text, newline: " ")
    }
    output.append("</a>")
    if !piece.isAddress, !ShownAddress.isSpelled(by: piece.text, target(of: link)) {
      appendHost(target(of: link), to: &output)
    }
    appendVerdict(of: link, to: &output)
  }

  /// Where a link leads, as text. It is decoded each time, since one decoder holds one text.
  private mutating func target(of link: JSONValue) -> UnsafeBufferPointer<UInt8> {
    decoder.decode(ShownAddress.target(of: link), limit: .max)
  }

  /// Appends a link that is not in the text, such as the page that a Bluesky post shows below it.
  mutating func append(card link: JSONValue, to output: inout ByteBuffer) {
    guard setAddress(target(of: link)) else { return }
    output.append("<p class=\"card\">")
    openLink("", to: &output)
    if let title = link["title"], title.isString, !title.rawString.isEmpty {
      output.append("<bdi>")
      output.append(markup: decoder.decode(title, limit: 1000), newline: " ")
      output.append("</bdi></a>")
      appendHost(target(of: link), to: &output)
    } else {
      appendShort(target(of: link), to: &output)
      output.append("</a>")
    }
    appendVerdict(of: link, to: &output)
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
  mutating func openLink(
    _ name: StaticString, title: JSONValue? = nil, to output: inout ByteBuffer
  ) {
    output.append("<a ")
    if name.utf8CodeUnitCount > 0 {
      output.append("class=\"")
      output.append(name)
      output.append("\" ")
    }
    output.append("href=\"")
    address.withBytes { output.append(markup: $0) }
    if let title, title.isString {
      output.append("\" title=\"")
      output.append(markup: decoder.decode(title, limit: 1000), newline: " ")
    }
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

  private mutating func append(media: JSONValue, isSensitive: Bool, to output: inout ByteBuffer) {
    guard media.elements.contains(where: { $0.isObject }) else { return }
    output.append("<ul class=\"media\">\n")
    for item in media.elements where item.isObject {
      output.append("<li>")
      let kind = MediaKind(item)
      let isLinked = setAddress(decoder.decode(item["url"] ?? item["preview_image_url"], limit: .max))
      if isLinked { openLink(kind.property, to: &output) }
      let isShown = !isSensitive && append(photo: item, to: &output)
      if !isShown { locale.append(kind.word, to: &output) }
      if isLinked { output.append("</a>") }
      if isSensitive {
        output.append(" (")
        locale.append(.sensitive, to: &output)
        output.append(")")
      }
      if let description = item["alt_text"], description.isString, !description.rawString.isEmpty {
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
  private mutating func append(photo item: JSONValue, to output: inout ByteBuffer) -> Bool {
    guard let key = PictureKey(item["picture"]?["key"]), let photo = photos?.read(key, .photo) else { return false }
    output.append("<img width=\"")
    output.append(decimal: photo.width)
    output.append("\" height=\"")
    output.append(decimal: photo.height)
    // What it shows stands after it.
    output.append("\" alt=\"")
    locale.append(MediaKind(item).word, to: &output)
    output.append("\" decoding=\"async\" src=\"data:image/png;base64,")
    output.append(base64: photo.png)
    output.append("\">")
    return true
  }

  private mutating func append(pollOf tweet: TweetFields, to output: inout ByteBuffer) {
    guard let poll = tweet.attachments?["poll"].flatMap({ PollFields($0) }), !poll.options.isEmpty else { return }
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
    locale.append(.votes, count: poll.count, to: &output)
    if poll.isClosed { locale.append(.closed, to: &output) }
    output.append("</p>\n")
  }

  // MARK: Quotes

  private mutating func append(quoted: TweetFields, to output: inout ByteBuffer) {
    output.append("<blockquote class=\"u-quotation-of h-cite\">\n<p class=\"head\">")
    appendAuthor(quoted, to: &output)
    appendTime(quoted, to: &output)
    output.append("</p>\n<div class=\"p-content\">\n")
    appendText(quoted, to: &output)
    // Quotes in a quote are left out, as the services do.
    if let media = quoted.attachments?["media"] { append(media: media, isSensitive: quoted.isSensitive, to: &output) }
    append(pollOf: quoted, to: &output)
    output.append("</div>\n</blockquote>\n")
  }
}

/// What a medium of a tweet is.
struct MediaKind {
  let word: Phrase
  /// Its property in microformats2.
  let property: StaticString

  init(_ item: JSONValue) {
    let type = item["type"]
    (word, property) =
      if type?.equals("photo") == true || type?.equals("image") == true {
        (.photo, "u-photo")
      } else if type?.equals("video") == true {
        (.video, "u-video")
      } else if type?.equals("animated_gif") == true || type?.equals("gifv") == true {
        (.gif, "u-video")
      } else if type?.equals("audio") == true {
        (.audio, "u-audio")
      } else {
        (.medium, "")
      }
  }
}
