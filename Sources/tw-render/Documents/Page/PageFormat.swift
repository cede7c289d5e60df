import TweetCore
import TweetDisplay

/// `html`: one page, whole in itself, that needs no script and loads nothing.
///
/// A tweet that answers the one above it, or that the one above it answers, is joined to it. Tweets further apart are joined
/// by a link, if the one that is answered came first.
struct PageFormat: DocumentFormat, ~Copyable {
  /// A page may be as long as one likes; this many tweets are remembered, so that replies can link to them.
  private static let remembered = 20_000

  private let title: String
  private let locale: ReaderLocale
  private var markup: TweetMarkup
  /// What stands beside tweets; `nil` for nothing.
  private var pictures: PagePictures?
  private var decoder = StringDecoder()
  private var anchors = RecentKeys(capacity: remembered)
  /// The tweet above, and what it answers.
  private var above: Int?
  private var aboveAnswers: Int?

  /// - Parameters:
  ///   - locale: the language of the page, but not of what people wrote.
  ///   - photos: whether the photos of tweets are in the page, and not only links to them.
  ///   - hasAvatars: whether the pictures of authors, or their initials, stand beside tweets.
  ///   - folder: where the pictures are; `nil` for initials only.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  init(
    title: String, _ locale: ReaderLocale, hasAvatars: Bool, photos: Bool, folder: PictureFolder?,
    warnings: WarningChoice
  ) {
    self.title = title
    self.locale = locale
    markup = TweetMarkup(locale, now: .shown, warnings: warnings)
    pictures = hasAvatars ? PagePictures(folder) : nil
    if photos { markup.photos = folder }
  }

  mutating func begin(_ output: inout ByteBuffer) {
    output.append(
      """
      <!DOCTYPE html>
      <html lang="\(locale.wordsLanguage)"\(locale.isRightToLeft ? " dir=\"rtl\"" : "")>
      <head>
      <meta charset="utf-8">
      <title>
      """)
    append(text: title, to: &output)
    // A reader's browser would keep to this policy even if a tweet could bring a tag into the page.
    output.append(
      """
      </title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="tw-render">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <style>

      """)
    PageStyle.append(to: &output)
    if markup.photos != nil { PageStyle.appendForPhotos(to: &output) }
    if pictures == nil { PageStyle.appendWithoutAvatars(to: &output) }
    output.append(
      """
      </style>
      </head>
      <body>
      <main class="h-feed">
      <h1 class="p-name" dir="auto">
      """)
    append(text: title, to: &output)
    output.append("</h1>\n")
  }

  mutating func finish(_ output: inout ByteBuffer) { output.append("</main>\n</body>\n</html>\n") }

  private func append(text: String, to output: inout ByteBuffer) {
    var text = text
    text.withUTF8 { output.append(markup: $0, newline: " ") }
  }

  // MARK: Tweets

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    let parent = tweet.reply?.tweet?["id"]
    let key = tweetKey(tweet.service, tweet.id)
    let answered = parent.map { tweetKey(tweet.service, $0) }
    let isJoined = above != nil && (answered == above || aboveAnswers == key)
    (above, aboveAnswers) = (key, answered)
    output.append("<article class=\"h-entry")
    if isJoined { output.append(" joined") }
    output.append("\" id=\"")
    appendAnchor(tweet.service, tweet.id, to: &output)
    output.append("\">\n")
    _ = anchors.insert(key)
    let shown = tweet.retweeted ?? tweet
    pictures?.append(shown.author, to: &output)
    output.append("<div>\n")
    if tweet.retweeted != nil {
      output.append("<p class=\"note\">↻ ")
      locale.append(before: .retweeted, to: &output)
      markup.appendAuthor(tweet, to: &output)
      locale.append(after: .retweeted, to: &output)
      markup.appendTime(tweet, to: &output)
      output.append("</p>\n<div class=\"u-repost-of h-cite\">\n")
    }
    append(whole: shown, in: tweet.retweeted == nil ? nil : tweet, of: record, to: &output)
    output.append(tweet.retweeted == nil ? "</div>\n</article>\n" : "</div>\n</div>\n</article>\n")
  }

  private mutating func append(
    whole tweet: TweetFields, in retweet: TweetFields?, of record: JSONValue, to output: inout ByteBuffer
  ) {
    output.append("<h2>")
    markup.appendAuthor(tweet, to: &output)
    markup.appendTime(tweet, to: &output)
    output.append("</h2>\n")
    appendReplyNote(tweet, to: &output)
    output.append("<div class=\"e-content\"")
    if let language = TweetLanguage(record["lang"]) {
      output.append(" lang=\"")
      output.append(language.tag)
      output.append("\"")
    }
    output.append(">\n")
    markup.appendContent(tweet, in: retweet, to: &output)
    output.append("</div>\n")
    if let place = tweet.placeName { markup.append(place: place, to: &output) }
    appendCounts(tweet, to: &output)
  }

  /// `replying to @bob`, linked to the tweet that is answered: in this page, if it is there.
  private mutating func appendReplyNote(_ tweet: TweetFields, to output: inout ByteBuffer) {
    guard let reply = tweet.reply else { return }
    let parent = reply.tweet.map { TweetFields($0) }
    let name = reply.username
    output.append("<p class=\"note\">")
    if name != nil { locale.append(before: .replyingTo, to: &output) }
    let isHere = parent.map { anchors.contains(tweetKey(tweet.service, $0.id)) } ?? false
    let start = output.count
    var isLinked = false
    if let parent, isHere {
      output.append("<a href=\"#")
      appendAnchor(tweet.service, parent.id, to: &output)
      output.append("\">")
      isLinked = true
    } else if let parent {
      output.append("<a class=\"u-in-reply-to\" href=\"")
      isLinked = markup.appendAddress(of: parent, to: &output)
      if isLinked { output.append("\" rel=\"nofollow noopener noreferrer\">") } else { output.truncate(to: start) }
    }
    if let name {
      output.append("<bdi>@")
      output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
      output.append("</bdi>")
    } else {
      locale.append(.reply, to: &output)
    }
    if isLinked { output.append("</a>") }
    if name != nil { locale.append(after: .replyingTo, to: &output) }
    if let parent, isHere {
      let data = output.count
      output.append("<data class=\"u-in-reply-to\" value=\"")
      if markup.appendAddress(of: parent, to: &output) {
        output.append("\"></data>")
      } else {
        output.truncate(to: data)
      }
    }
    output.append("</p>\n")
  }

  private func appendCounts(_ tweet: TweetFields, to output: inout ByteBuffer) {
    append(counts: tweet.counts.words, isEdited: tweet.isEdited, to: &output)
  }

  private func append(counts: [(count: Int, phrase: Phrase)], isEdited: Bool = false, to output: inout ByteBuffer) {
    guard isEdited || !counts.isEmpty else { return }
    output.append("<ul class=\"counts\">\n")
    for (count, phrase) in counts {
      output.append("<li>")
      locale.append(phrase, count: count, to: &output)
      output.append("</li>\n")
    }
    if isEdited {
      output.append("<li>")
      locale.append(.edited, to: &output)
      output.append("</li>\n")
    }
    output.append("</ul>\n")
  }

  // MARK: Other records

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    (above, aboveAnswers) = (nil, nil)
    switch kind {
    case .user: append(user: record, to: &output)
    case .link:
      output.append("<div class=\"notice\">\n")
      markup.append(card: record, title: record["title"]?.nonEmpty, to: &output)
      output.append("</div>\n")
    case .notice:
      guard let message = record["message"] ?? record["code"], message.isString else { return }
      output.append("<div class=\"notice\">\n<p dir=\"auto\">")
      output.append(markup: decoder.decode(message), newline: " ")
      output.append("</p>\n</div>\n")
    case .deletion:
      output.append("<div class=\"notice\">\n<p>")
      locale.append(before: .deleted, to: &output)
      output.append("<a href=\"#")
      appendAnchor(record["service"], record["id"], to: &output)
      output.append("\">")
      locale.append(.tweets, count: 1, to: &output)
      output.append("</a>")
      locale.append(after: .deleted, to: &output)
      output.append("</p>\n</div>\n")
    }
  }

  private mutating func append(user record: JSONValue, to output: inout ByteBuffer) {
    markup.setService(of: TweetFields(record))
    let author = AuthorFields(record)
    output.append("<article class=\"profile h-card\">\n")
    pictures?.append(author, to: &output)
    output.append("<div>\n<h2>")
    markup.append(author: author, as: "who", to: &output)
    output.append("</h2>\n")
    if let description = record["description"], description.isString, !description.rawString.isEmpty {
      output.append("<p class=\"p-note text\" dir=\"auto\">")
      output.append(markup: decoder.decode(description, limit: .max), newline: "<br>\n")
      output.append("</p>\n")
    }
    let metrics = record["public_metrics"]
    let counts: [(count: Int, phrase: Phrase)] = [
      (metrics?["followers_count"]?.looseInteger ?? 0, .followers),
      (metrics?["following_count"]?.looseInteger ?? 0, .following),
    ]
    append(counts: counts.filter { $0.count > 0 }, to: &output)
    output.append("</div>\n</article>\n")
  }

  // MARK: Anchors

  /// Appends the id of a tweet's element, in which each byte that is no letter or digit is `_5F`: so it is valid in an
  /// attribute and in an address, and different for different tweets.
  private func appendAnchor(_ service: JSONValue?, _ id: JSONValue?, to output: inout ByteBuffer) {
    output.append("t")
    if let service, !service.equals("x") {
      appendEncoded(service, to: &output)
      output.append(".")
    }
    if let id { appendEncoded(id, to: &output) }
  }

  private func appendEncoded(_ value: JSONValue, to output: inout ByteBuffer) {
    for byte in value.rawString.prefix(512) {
      if byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") {
        output.append(byte)
      } else {
        output.append("_")
        output.append(hex: byte)
      }
    }
  }
}
