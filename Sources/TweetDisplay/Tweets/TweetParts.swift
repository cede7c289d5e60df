package import TweetCore

/// The parts of a tweet's content, in the order in which every form of it has them.
///
/// Each form that shows tweets has a `switch` over all of them, without `default`: so none can forget a part.
package enum TweetPart {
  /// The service has reported that it was deleted.
  case deleted
  /// The service does not show it everywhere.
  case withheld
  /// Not everybody may see it.
  case audience
  /// Its text was changed after it was posted.
  case edited
  /// What the author warns of.
  case warning
  /// What it answers.
  case reply
  case text
  /// What is known of the pages that it links to.
  case pages
  case media
  case poll
  case quote
  /// That it quotes a tweet which is not shown, and why.
  case missingQuote
  case place
  case counts
}

/// A tweet as every form shows it: its fields, the parts that it has, its text in pieces, the pages that it links to.
///
/// One value serves many tweets and keeps its memory. What it gives is valid as long as the record is, and until
/// another tweet is read.
package final class TweetParts {
  /// A page that a tweet links to.
  package struct Page {
    /// An object with `url`, and with what else is known.
    package let link: JSONValue
    /// `nil` if the page has none, or it is not known.
    package let title: JSONValue?
    /// Whether a link to it stands in the text.
    package let isInText: Bool
  }

  /// More pages, and more pictures and videos, are not shown: services allow four.
  private static let mostPages = 20
  private static let mostMedia = 20
  /// More people whom an answer is addressed to, besides the one whom it answers, are only counted.
  private static let mostOthers = 3
  /// A quote and the quote in it are shown; a link leads to what that one quotes.
  private static let mostQuotes = 2

  package private(set) var tweet = TweetFields()
  /// The parts that it has, each once.
  package private(set) var parts: [TweetPart] = []
  package private(set) var text: TextPieces
  package private(set) var pages: [Page] = []
  /// What it answers: the tweet, and the user name of the person, as far as they are known.
  package private(set) var reply: (tweet: JSONValue?, username: JSONValue?)?
  /// Where the tweet is withheld, and why.
  package private(set) var withheld: WithheldFields?
  package private(set) var audience = TweetAudience.everybody
  /// Whether what stands behind a warning is left out.
  package private(set) var isFolded = false
  private let longest: Int
  /// Whether of a tweet with a warning only the warning is shown.
  var foldsWarnings: Bool
  /// How many tweets it is quoted in.
  private let depth: Int
  private var quoted: TweetParts?

  /// - Parameters:
  ///   - longest: more bytes of a text are left out.
  ///   - foldsWarnings: whether of a tweet with a warning only the warning is shown.
  package convenience init(longest: Int = .max, foldsWarnings: Bool = false) {
    self.init(longest, foldsWarnings, depth: 0)
  }

  private init(_ longest: Int, _ foldsWarnings: Bool, depth: Int) {
    (self.longest, self.foldsWarnings, self.depth) = (longest, foldsWarnings, depth)
    text = TextPieces(longest: longest)
  }

  /// Reads a tweet.
  /// - Parameters:
  ///   - retweet: the retweet that it is shown in. If that is deleted or withheld, this says so.
  ///   - keepsLinks: whether links to media and to the tweet that it quotes, which are shown below the text, stay in
  ///     it.
  package func read(_ tweet: TweetFields, in retweet: TweetFields? = nil, keepsLinks: Bool = false) {
    // Each use of a member is checked at run time, so they are few.
    let withheld = (tweet.withheld ?? retweet?.withheld).map { WithheldFields($0) }
    var audience = tweet.audience
    if audience == .everybody, let retweet { audience = retweet.audience }
    let reply = tweet.reply
    let isFolded = foldsWarnings && tweet.warning != nil
    let quoteState = tweet.quoteState
    let showsQuote = depth < Self.mostQuotes && quoteState == nil
    let quote = showsQuote ? tweet.reference("quoted").flatMap { $0["text"] == nil ? nil : $0 } : nil
    let hasMedia = tweet.attachments?["media"]?.elements.contains { $0.isObject } == true
    let below = keepsLinks ? .nothing : ShownBelow(hasMedia: hasMedia, quote: quote?["id"])
    text.read(tweet.text, tweet.entities, answering: reply?.username, below: below)
    let pieces = text.pieces
    readPages(of: tweet, pieces, below)
    var parts = self.parts
    self.parts = []
    parts.removeAll(keepingCapacity: true)
    if tweet.isDeleted || retweet?.isDeleted == true { parts.append(.deleted) }
    if withheld != nil { parts.append(.withheld) }
    if audience != .everybody { parts.append(.audience) }
    if tweet.isEdited { parts.append(.edited) }
    if tweet.warning != nil { parts.append(.warning) }
    if reply != nil { parts.append(.reply) }
    if !isFolded {
      if !pieces.isEmpty { parts.append(.text) }
      if !pages.isEmpty { parts.append(.pages) }
      if hasMedia { parts.append(.media) }
      if tweet.attachments?["poll"]?["options"]?.elements.contains(where: { _ in true }) == true { parts.append(.poll) }
      if quoteState != nil { parts.append(.missingQuote) } else if quote != nil { parts.append(.quote) }
    }
    if tweet.placeName != nil { parts.append(.place) }
    if tweet.metrics != nil { parts.append(.counts) }
    (self.tweet, self.parts, self.withheld) = (tweet, parts, withheld)
    (self.audience, self.reply, self.isFolded) = (audience, reply, isFolded)
  }

  /// The pages with a title, then those whose link is not in the text, then the one that the service shows (a card).
  private func readPages(of tweet: TweetFields, _ pieces: [TextPieces.Piece], _ below: ShownBelow) {
    pages.removeAll(keepingCapacity: true)
    for index in pieces.indices where pieces[index].kind == .link {
      guard let link = pieces[index].entity, let title = link["title"]?.nonEmpty else { continue }
      append(Page(link: link, title: title, isInText: true), below)
    }
    for link in text.unplaced {
      append(Page(link: link, title: link["title"]?.nonEmpty, isInText: false), below)
    }
    guard let card = tweet.card else { return }
    let link = tweet.link(of: card)
    let title = card["title"]?.nonEmpty
    // It would say no more than the text.
    if link != nil, title == nil || link?["title"]?.nonEmpty != nil { return }
    pages.append(Page(link: card, title: title, isInText: link != nil))
  }

  private func append(_ page: Page, _ below: ShownBelow) {
    if pages.count < Self.mostPages, !text.isShown(page.link, below: below) { pages.append(page) }
  }

  /// The pictures and videos, in order.
  package var media: [MediaFields] {
    guard let media = tweet.attachments?["media"] else { return [] }
    let objects: [JSONValue] = media.elements.filter { $0.isObject }
    return objects.prefix(Self.mostMedia).map { MediaFields($0) }
  }

  /// - Parameter now: the time that its end is seen from.
  package func poll(now: Timestamp) -> PollFields? {
    tweet.attachments?["poll"].flatMap { PollFields($0, now: now) }
  }

  /// Whom an answer is addressed to, as user names: the person whom it answers, then those whom mentions at the start
  /// of its text name. The text is shown without these mentions. Nobody, if it is not known whom it answers.
  package var addressees: (named: [JSONValue], counted: [JSONValue]) {
    guard let name = reply?.username else { return ([], []) }
    let others = text.others(than: name)
    return ([name] + others.prefix(Self.mostOthers), Array(others.dropFirst(Self.mostOthers)))
  }

  /// The tweet that it quotes, and the one that this quotes, for forms that show no parts of them.
  var quotedTweets: [TweetFields] {
    var quotes: [TweetFields] = []
    while quotes.count < Self.mostQuotes - depth, let quote = (quotes.last ?? tweet).quoted { quotes.append(quote) }
    return quotes
  }

  /// The tweet that it quotes: valid until another tweet with a quote is read.
  package func readQuote() -> TweetParts? {
    guard let tweet = tweet.quoted else { return nil }
    let parts = quoted ?? TweetParts(longest, foldsWarnings, depth: depth + 1)
    quoted = parts
    parts.foldsWarnings = foldsWarnings
    parts.read(tweet)
    return parts
  }
}

extension TweetFields {
  /// The link of the text that leads to a card's page.
  fileprivate func link(of card: JSONValue) -> JSONValue? {
    guard let url = card["url"], let links = entities?["urls"] else { return nil }
    return links.elements.first {
      $0["expanded_url"]?.hasBytes(of: url) == true || $0["url"]?.hasBytes(of: url) == true
    }
  }
}
