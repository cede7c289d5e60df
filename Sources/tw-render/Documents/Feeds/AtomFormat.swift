import TweetCore
import TweetDisplay

/// `atom`: a feed by RFC 4287, an entry for each tweet, with links between replies by RFC 4685.
///
/// What stands before the entries is written before any of them is read, so `updated` of the feed is the time at which
/// it is written (§4.2.15 leaves to the publisher what changes a feed). Notices, profiles and links are no entries; nor
/// can an entry be taken back, so deletions are not shown.
struct AtomFormat: PostFormat, ~Copyable {
  private static let longestTitle = 80

  private let title: String
  private let now: Timestamp
  private var markup: TweetMarkup
  private var decoder = StringDecoder()
  private var content = ByteBuffer()
  private var words = ByteBuffer()
  private var titles: TweetTitle

  /// - Parameters:
  ///   - now: `updated` of the feed.
  ///   - photos: where the photos are that become part of the entries; `nil` for links to them only.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  init(title: String, now: Timestamp, photos: PictureFolder?, warnings: WarningChoice) {
    (self.title, self.now) = (title, now)
    titles = TweetTitle(ReaderLocale(nil), warnings: warnings)
    markup = TweetMarkup(ReaderLocale(nil), now: now, warnings: warnings, isAlone: true)
    markup.photos = photos.map { InlinePictures($0) }
  }

  mutating func begin(_ output: inout ByteBuffer) {
    output.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">
      <id>tag:tw.invalid,2026:feed:
      """)
    title.withBytes { output.append(feedName: $0) }
    output.append("</id>\n<title>")
    title.withBytes { output.append(markup: $0, newline: " ") }
    output.append("</title>\n<updated>")
    output.append(now)
    output.append("</updated>\n<generator version=\"")
    output.append(Version.number)
    output.append("\">tw-render</generator>\n")
  }

  mutating func finish(_ output: inout ByteBuffer) { output.append("</feed>\n") }

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    output.append("<entry>\n<id>")
    output.append(feedIDOf: tweet.id, service: tweet.service)
    output.append("</id>\n<title>")
    words.removeAll()
    titles.append(tweet, most: Self.longestTitle, to: &words)
    words.withBytes { output.append(markup: $0) }
    output.append("</title>\n<updated>")
    output.append(TweetTimes(tweet).updated)
    output.append("</updated>\n")
    if let time = tweet.createdAt {
      output.append("<published>")
      output.append(time)
      output.append("</published>\n")
    }
    appendAuthor(tweet, to: &output)
    appendLinks(tweet, to: &output)
    output.append("<content type=\"html\"")
    if let language = TweetLanguage(record["lang"]) {
      output.append(" xml:lang=\"")
      output.append(language.tag)
      output.append("\"")
    }
    output.append(">")
    content.removeAll()
    markup.appendEntry(tweet, to: &content)
    // Markup within markup (§3.1.1.2).
    content.withBytes { output.append(markup: $0) }
    output.append("</content>\n</entry>\n")
  }

  private mutating func appendAuthor(_ tweet: TweetFields, to output: inout ByteBuffer) {
    output.append("<author><name>")
    markup.appendFullName(tweet.author, to: &output)
    output.append("</name>")
    let start = output.count
    output.append("<uri>")
    if markup.appendProfile(tweet.author, to: &output) { output.append("</uri>") } else { output.truncate(to: start) }
    output.append("</author>\n")
  }

  private mutating func appendLinks(_ tweet: TweetFields, to output: inout ByteBuffer) {
    var start = output.count
    output.append("<link rel=\"alternate\" href=\"")
    if markup.appendAddress(of: tweet, to: &output) { output.append("\"/>\n") } else { output.truncate(to: start) }
    let shown = tweet.retweeted ?? tweet
    if let media = shown.attachments?["media"] {
      for item in media.elements { appendEnclosure(MediaFields(item).address, to: &output) }
    }
    for tag in tweet.tags() {
      output.append("<category term=\"")
      output.append(markup: decoder.decode(tag), newline: " ")
      output.append("\"/>\n")
    }
    guard let parent = tweet.reference("replied_to").map({ TweetFields($0) }) else { return }
    output.append("<thr:in-reply-to ref=\"")
    output.append(feedIDOf: parent.id, service: tweet.service)
    start = output.count
    output.append("\" href=\"")
    if !markup.appendAddress(of: parent, to: &output) { output.truncate(to: start) }
    output.append("\"/>\n")
  }

  private mutating func appendEnclosure(_ url: JSONValue?, to output: inout ByteBuffer) {
    let url = decoder.decode(url, limit: .max)
    guard let type = MediaType(url) else { return }
    content.removeAll()
    guard SafeAddress.append(url, to: &content) else { return }
    output.append("<link rel=\"enclosure\" type=\"")
    output.append(type.name)
    output.append("\" href=\"")
    content.withBytes { output.append(markup: $0) }
    output.append("\"/>\n")
  }
}

extension TweetFields {
  /// The names of its hashtags, each once.
  func tags() -> [JSONValue] {
    var tags: [JSONValue] = []
    guard let list = entities?["hashtags"] else { return [] }
    for entity in list.elements.prefix(100) {
      guard let tag = entity["tag"], tag.isString, !tag.rawString.isEmpty else { continue }
      if !tags.contains(where: { $0.hasBytes(of: tag) }) { tags.append(tag) }
    }
    return tags
  }
}
