import TweetCore
import TweetDisplay

/// What the search of a site reads: a script for each page, since a page that was opened from a file may not read other
/// files. ``SiteScript`` searches them, the newest first.
struct SiteSearch: ~Copyable {
  private let locale: ReaderLocale
  private let parts: TweetParts
  private var markup: TweetMarkup
  private var decoder = StringDecoder()
  private var text = ByteBuffer()
  private var hasTweets = false

  /// - Parameter warnings: what stands behind a warning is found only where it is shown.
  init(_ locale: ReaderLocale, warnings: WarningChoice) {
    self.locale = locale
    parts = TweetParts(foldsWarnings: warnings != .show)
    markup = TweetMarkup(locale, now: .shown, warnings: warnings)
  }

  /// Appends the list of the pages whose tweets can be searched, the newest first.
  static func append(listOf plan: SitePlan, to output: inout ByteBuffer) {
    output.append("tweetPages([")
    let pages = plan.pages.prefix { $0.isMonth }
    for (index, page) in pages.reversed().enumerated() {
      output.append(index == 0 ? "\"" : ",\"")
      output.append(page.name)
      output.append("\"")
    }
    output.append("]);\n")
  }

  mutating func begin(_ page: SitePlan.Page, to output: inout ByteBuffer) {
    output.append("tweetsOf(\"\(page.name)\",[\n")
    hasTweets = false
  }

  mutating func finish(to output: inout ByteBuffer) { output.append("]);\n") }

  /// Appends a tweet: its anchor, the author's name, the user name, when it was posted, its words, and the addresses
  /// that are not among them: its own, and those that words link to.
  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    let shown = tweet.retweeted ?? tweet
    output.append(hasTweets ? ",[\"" : "[\"")
    hasTweets = true
    output.append(anchorOf: tweet.id, service: tweet.service)
    output.append("\",")
    append(name: shown.author.name ?? shown.author.username, to: &output)
    output.append(",")
    append(name: shown.author.username, to: &output)
    output.append(",\"")
    text.removeAll()
    if let time = tweet.createdAt { locale.appendLasting(time, to: &text) }
    text.withBytes { output.appendJSONEscaped($0) }
    output.append("\",\"")
    text.removeAll()
    parts.read(shown, in: tweet.retweeted == nil ? nil : tweet)
    appendWords(of: parts)
    if let quote = parts.readQuote() {
      text.append(" ")
      appendWords(of: quote)
    }
    text.withBytes { output.appendJSONEscaped($0) }
    output.append("\",\"")
    text.removeAll()
    appendAddresses(of: tweet, shown)
    text.withBytes { output.appendJSONEscaped($0) }
    output.append("\"]\n")
  }

  private mutating func appendAddresses(of tweet: TweetFields, _ shown: TweetFields) {
    for fields in [tweet, shown, shown.quoted].compactMap({ $0 }) {
      markup.setService(of: tweet)
      text.append(" ")
      _ = markup.appendPlainAddress(of: fields, to: &text)
      guard let links = fields.entities?["urls"] else { continue }
      for link in links.elements { append(word: link["unwound_url"] ?? link["expanded_url"] ?? link["url"]) }
    }
  }

  private mutating func append(name: JSONValue?, to output: inout ByteBuffer) {
    text.removeAll()
    text.append(visible: decoder.decode(name, limit: 1024))
    output.append("\"")
    text.withBytes { output.appendJSONEscaped($0) }
    output.append("\"")
  }

  /// Appends the text as it is shown, the titles of pages, and what pictures show.
  private mutating func appendWords(of parts: TweetParts) {
    if let warning = parts.tweet.warning {
      append(word: warning)
      if parts.isFolded { return }
      text.append(" ")
    }
    for index in parts.text.pieces.indices where parts.text.pieces[index].place != .margin {
      let piece = parts.text.pieces[index]
      if piece.kind == .link, piece.isAddress, let link = piece.entity {
        text.append(visible: decoder.decode(ShownAddress.target(of: link), limit: .max))
      } else {
        text.append(visible: piece.text)
      }
    }
    for page in parts.pages { append(word: page.title) }
    for item in parts.media { append(word: item.description) }
    for option in parts.poll(now: .shown)?.options ?? [] { append(word: option.label) }
  }

  private mutating func append(word: JSONValue?) {
    guard let word else { return }
    text.append(" ")
    text.append(visible: decoder.decode(word, limit: .max))
  }
}
