import TweetCore
import TweetDisplay

/// The articles of a page, one below the other: tweets, and what else a page shows.
///
/// A tweet that answers the one above it, or that the one above it answers, is joined to it. Tweets further apart are
/// joined by a link.
struct PageArticles: ~Copyable {
  /// A page may be as long as one likes; this many tweets are remembered, so that replies can link to them.
  private static let remembered = 20_000

  let locale: ReaderLocale
  private(set) var markup: TweetMarkup
  /// What stands beside tweets; `nil` for nothing.
  private var pictures: PagePictures?
  private let site: SitePlaces?
  private let isMail: Bool
  private var decoder = StringDecoder()
  private var titles: TweetTitle
  private var anchors = RecentKeys(capacity: remembered)
  /// The tweet above, and what it answers.
  private var above: Int?
  private var aboveAnswers: Int?

  /// - Parameters:
  ///   - locale: the language of the page, but not of what people wrote.
  ///   - pictures: the pictures of authors, or their initials; `nil` for neither.
  ///   - photos: the photos of tweets; `nil` for links to them only.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  ///   - site: where other tweets of the site are; `nil` for a page that stands alone.
  ///   - isMail: whether they are sent, and stay as they are: without counts, which are those of one moment.
  init(
    _ locale: ReaderLocale, pictures: consuming PagePictures?, photos: (any PictureAddresses)?,
    warnings: WarningChoice, in site: SitePlaces? = nil, isMail: Bool = false
  ) {
    self.locale = locale
    self.isMail = isMail
    self.site = site
    markup = TweetMarkup(locale, now: .shown, warnings: warnings, isMail: isMail)
    self.pictures = pictures
    markup.photos = photos
    markup.site = site
    titles = TweetTitle(locale, warnings: warnings)
  }

  /// The next article is the first one of a page.
  mutating func startPage() { (above, aboveAnswers) = (nil, nil) }

  // MARK: Tweets

  /// Appends a tweet.
  /// - Parameter depth: how far its article is indented, in steps.
  mutating func append(_ record: JSONValue, depth: Int = 0, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    let answered = tweet.reply?.tweet?["id"].map { tweetKey(tweet.service, $0) }
    let key = tweetKey(tweet.service, tweet.id)
    let isJoined = above != nil && (answered == above || aboveAnswers == key)
    (above, aboveAnswers) = (key, answered)
    output.append("<article class=\"h-entry")
    if isJoined { output.append(" joined") }
    if depth > 0 {
      output.append(" d")
      output.append(decimal: depth)
    }
    output.append("\" id=\"")
    output.append(anchorOf: tweet.id, service: tweet.service)
    output.append("\">\n")
    _ = anchors.insert(key)
    appendFace(tweet, to: &output)
    output.append("<div>\n")
    appendInside(record, to: &output)
    site?.appendLinks(tweet.service, tweet.id, locale, to: &output)
    output.append("</div>\n</article>\n")
  }

  /// Appends what stands beside a tweet: of a retweet, beside the tweet that it repeats.
  mutating func appendFace(_ tweet: TweetFields, to output: inout ByteBuffer) {
    pictures?.append((tweet.retweeted ?? tweet).author, to: &output)
  }

  /// Appends a tweet without its face.
  mutating func appendInside(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    guard let original = tweet.retweeted else { return append(whole: tweet, in: nil, of: record, to: &output) }
    output.append("<p class=\"note\">↻ ")
    if let (second, others) = tweet.retweeters {
      markup.appendAuthor(tweet, to: &output)
      output.append(", ")
      markup.append(author: second, as: "h-card", to: &output)
      if others > 0 { locale.append(.moreRetweeters, count: others, to: &output) }
    } else {
      locale.append(before: .retweeted, to: &output)
      markup.appendAuthor(tweet, to: &output)
      locale.append(after: .retweeted, to: &output)
    }
    markup.appendTime(tweet, to: &output)
    output.append("</p>\n")
    // It stands whole on the same page.
    if site?.isHere(original.service ?? tweet.service, original.id) == true {
      return append(pointerTo: original, of: tweet, to: &output)
    }
    output.append("<div class=\"u-repost-of h-cite\">\n")
    append(whole: original, in: tweet, of: record, to: &output)
    output.append("</div>\n")
  }

  /// Appends the first words of a tweet of the same page, linked to it.
  private mutating func append(pointerTo original: TweetFields, of tweet: TweetFields, to output: inout ByteBuffer) {
    output.append("<p class=\"text\" dir=\"auto\"><a href=\"")
    _ = appendPlace(original.service ?? tweet.service, original.id, to: &output)
    output.append("\">")
    var words = ByteBuffer(capacity: 256)
    titles.append(original, most: 60, to: &words)
    words.withBytes { output.append(markup: $0) }
    output.append("</a></p>\n")
  }

  private mutating func append(
    whole tweet: TweetFields, in retweet: TweetFields?, of record: JSONValue, to output: inout ByteBuffer
  ) {
    markup.parts.read(tweet, in: retweet)
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
    markup.appendContent(to: &output)
    output.append("</div>\n")
    if let place = tweet.placeName { markup.append(place: place, to: &output) }
    append(counts: isMail ? [] : tweet.counts.words, isEdited: tweet.isEdited, to: &output)
  }

  /// `replying to @bob, @cat`: the first is linked to the tweet that is answered, in this page if it is there; the
  /// others, and the first if that tweet is not known, to their profiles.
  private mutating func appendReplyNote(_ tweet: TweetFields, to output: inout ByteBuffer) {
    guard let reply = tweet.reply else { return }
    let parent = reply.tweet.map { TweetFields($0) }
    let name = reply.username
    output.append("<p class=\"note\">")
    if name != nil { locale.append(before: .replyingTo, to: &output) }
    let start = output.count
    output.append("<a href=\"")
    let isHere = parent.map { appendPlace(tweet.service, $0.id, to: &output) } ?? false
    var isLinked = isHere
    if isHere {
      output.append("\">")
    } else {
      output.truncate(to: start)
    }
    if let parent, !isHere {
      output.append("<a class=\"u-in-reply-to\" href=\"")
      isLinked = markup.appendAddress(of: parent, to: &output)
      if isLinked { output.append("\" rel=\"nofollow noopener noreferrer\">") } else { output.truncate(to: start) }
    }
    if let name {
      markup.append(handle: name, isLinked: !isLinked, to: &output)
    } else {
      locale.append(.reply, to: &output)
    }
    if isLinked { output.append("</a>") }
    if name != nil {
      markup.appendOthers(markup.parts, to: &output)
      locale.append(after: .replyingTo, to: &output)
    }
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

  /// Appends the address of a tweet in this page, or in this site.
  /// - Returns: whether it is there; if not, nothing was appended.
  private func appendPlace(_ service: JSONValue?, _ id: JSONValue?, to output: inout ByteBuffer) -> Bool {
    if let site { return site.appendPlace(service, id, to: &output) }
    guard anchors.contains(tweetKey(service, id)) else { return false }
    output.append("#")
    output.append(anchorOf: id, service: service)
    return true
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
    case .notification: append(notification: record, to: &output)
    case .deletion:
      output.append("<div class=\"notice\">\n<p>")
      locale.append(before: .deleted, to: &output)
      output.append("<a href=\"#")
      output.append(anchorOf: record["id"], service: record["service"])
      output.append("\">")
      locale.append(.tweets, count: 1, to: &output)
      output.append("</a>")
      locale.append(after: .deleted, to: &output)
      output.append("</p>\n</div>\n")
    }
  }

  private mutating func append(notification record: JSONValue, to output: inout ByteBuffer) {
    var text = ByteBuffer(capacity: 256)
    NotificationFields(record).append(locale, most: 300, to: &text)
    output.append("<div class=\"notice\">\n<p dir=\"auto\">")
    let start = output.count
    output.append("<a href=\"")
    let tweet = record["tweet"].map { TweetFields($0) }
    if let tweet { markup.setService(of: tweet) }
    let hasAddress = tweet.map { markup.appendAddress(of: $0, to: &output) } == true
    if hasAddress { output.append("\">") } else { output.truncate(to: start) }
    text.withBytes { output.append(markup: $0) }
    output.append(hasAddress ? "</a></p>\n</div>\n" : "</p>\n</div>\n")
  }

  private mutating func append(user record: JSONValue, to output: inout ByteBuffer) {
    append(profile: record, of: record, to: &output)
  }

  /// Appends a profile.
  /// - Parameters:
  ///   - person: a `user` record, or the `author` of a tweet.
  ///   - record: the one that says the service.
  mutating func append(profile person: JSONValue, of record: JSONValue, to output: inout ByteBuffer) {
    markup.setService(of: TweetFields(record))
    let author = AuthorFields(person)
    let record = person
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
}

extension ByteBuffer {
  /// Appends the id of a tweet's element, in which each byte that is no letter or digit is `_5F`: so it is valid in an
  /// attribute and in an address, and different for different tweets.
  mutating func append(anchorOf id: JSONValue?, service: JSONValue?) {
    append("t")
    if service?.equals("x") != true {
      if let service { append(anchor: service) }
      append(".")
    }
    if let id { append(anchor: id) }
  }

  private mutating func append(anchor value: JSONValue) {
    for byte in value.rawString.prefix(512) {
      if byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") {
        append(byte)
      } else {
        append("_")
        append(hex: byte)
      }
    }
  }
}
