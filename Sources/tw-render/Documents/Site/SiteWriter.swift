import TweetCore
import TweetDisplay

/// Writes the pages of a site: those of the months and of the threads, the first page, the feed, the search.
struct SiteWriter: ~Copyable {
  /// As many tweets are in the feed.
  private static let mostInFeed = 50

  private let title: String
  private let locale: ReaderLocale
  private let plan: SitePlan
  private let places: SitePlaces
  private let frame: SiteFrame
  private let spool: RecordSpool
  private let files: SiteFiles
  private let hasAvatars: Bool
  private let warnings: WarningChoice
  private let filter: PostFilter
  private var articles: PageArticles
  private var search: SiteSearch

  /// - Parameters:
  ///   - look: the title, the language, and what is shown besides texts.
  ///   - spool: has the records of the plan's tweets.
  ///   - filter: knows which tweets were deleted.
  init(_ look: SiteLook, _ plan: SitePlan, _ spool: RecordSpool, _ files: SiteFiles, _ filter: PostFilter) {
    self.filter = filter
    (title, locale) = (look.title, look.locale)
    (hasAvatars, warnings) = (look.hasAvatars, look.warnings)
    (self.plan, self.spool, self.files) = (plan, spool, files)
    let places = SitePlaces(plan) { index in
      // The record says it; the page that leads there is written from another one.
      (try? Self.record(plan.tweets[index], spool))?.read { record in
        var anchor = ByteBuffer()
        anchor.append(anchorOf: record["id"], service: record["service"])
        return anchor.array
      }
    }
    self.places = places
    frame = SiteFrame(title: title, locale: locale, places: places)
    let pictures = look.folder.map { SitePictures($0, look.originals, places, files) }
    articles = PageArticles(
      locale, pictures: hasAvatars ? PagePictures(at: pictures) : nil, photos: look.hasPhotos ? pictures : nil,
      warnings: look.warnings, in: places)
    search = SiteSearch(locale, warnings: warnings)
  }

  /// Writes all files of the site, except pictures that are there.
  mutating func write() throws(ToolError) {
    try files.add(
      ["index.html", "feed.atom", "style.css", "site.js", "search/pages.js"] + plan.pages.map { "\($0.name).html" }
        + plan.pages.lazy.filter { $0.isMonth }.map { "search/\($0.name).js" })
    try files.createFolders()
    try write("style.css") { output in
      PageStyle.append(to: &output)
      PageStyle.appendForPhotos(to: &output)
      if !hasAvatars { PageStyle.appendWithoutAvatars(to: &output) }
      output.append(SiteStyle.sheet)
    }
    try write("site.js") { $0.append(SiteScript.text) }
    for page in plan.pages.indices { try write(page) }
    try write("search/pages.js") { SiteSearch.append(listOf: plan, to: &$0) }
    try writeFeed()
    // Last: it leads to all others.
    try writeFront()
    try files.finish(tweets: plan.tweets.count)
  }

  private func write(_ name: String, _ body: (inout ByteBuffer) -> Void) throws(ToolError) {
    var file = files.open(name)
    try file.append { body(&$0) }
    try file.finish()
  }

  // MARK: Pages

  private mutating func write(_ number: Int) throws(ToolError) {
    let (page, frame) = (plan.pages[number], frame)
    places.begin(number)
    articles.startPage()
    var file = files.open("\(page.name).html")
    let heading = page.isThread ? try firstWords(ofThread: page) : []
    try file.append { output in
      frame.begin(number, to: &output) { output in
        heading.withBytes { output.append(markup: $0) }
        if heading.isEmpty { frame.appendName(of: number, to: &output) }
      }
      appendCount(of: number, to: &output)
      frame.appendWays(from: number, isAbove: true, to: &output)
    }
    if page.isThread {
      try append(thread: page, to: &file)
    } else if page.isMonth {
      try append(month: page, to: &file)
    } else {
      try append(plan.readingOrder(plan.chosen[page.range].map { Int($0) }), to: &file)
    }
    try file.append { frame.finish(number, to: &$0) }
    try file.finish()
  }

  private mutating func append(month page: SitePlan.Page, to file: inout ChangedFile) throws(ToolError) {
    var index = files.open("search/\(page.name).js", 1)
    try index.append { search.begin(page, to: &$0) }
    var day: Int?
    for tweet in page.range {
      let time = Timestamp(milliseconds: plan.tweets[tweet].time)
      let next = tweet >= 0 && plan.tweets[tweet].time != SiteTweet.unknown ? ReaderLocale.dayNumber(of: time) : nil
      try read(tweet) { (record, writer) throws(ToolError) in
        try file.append { output in
          if next != day { writer.append(day: time, to: &output) }
          writer.articles.append(record, to: &output)
        }
        try index.append { writer.search.append(record, to: &$0) }
      }
      day = next
    }
    try index.append { search.finish(to: &$0) }
    try index.finish()
  }

  private mutating func append(thread page: SitePlan.Page, to file: inout ChangedFile) throws(ToolError) {
    for index in page.range {
      let member = plan.threads.members[index]
      try read(Int(member.tweet)) { (record, writer) throws(ToolError) in
        try file.append { writer.articles.append(record, depth: Int(member.depth), to: &$0) }
      }
    }
  }

  private mutating func append(_ tweets: [Int], to file: inout ChangedFile) throws(ToolError) {
    for tweet in tweets {
      try read(tweet) { (record, writer) throws(ToolError) in
        try file.append { writer.articles.append(record, to: &$0) }
      }
    }
  }

  /// What a thread is called: the first words of its first tweet; nothing if that has none.
  private func firstWords(ofThread page: SitePlan.Page) throws(ToolError) -> [UInt8] {
    let start = page.range.lowerBound - page.part * SitePlan.mostOnPage
    let first = plan.tweets[Int(plan.threads.members[start].tweet)]
    return try Self.record(first, spool).read { record in
      var title = TweetTitle(locale, warnings: warnings)
      var words = ByteBuffer(capacity: 256)
      title.append(TweetFields(record), most: 60, to: &words)
      return words.array
    }
  }

  private mutating func writeFront() throws(ToolError) {
    places.begin(nil)
    articles.startPage()
    var file = files.open("index.html")
    try file.append { output in
      frame.begin(nil, to: &output)
    }
    if let profile = plan.profile {
      let record = try Self.record(at: profile.offset, profile.length, spool)
      try record.read { (record) throws(ToolError) in
        let person = profile.isUser ? record : record["author"]
        if let person { try file.append { articles.append(profile: person, of: record, to: &$0) } }
      }
      articles.startPage()
    }
    try file.append { SiteFront(frame).append(to: &$0) }
    try append(plan.readingOrder(Array(plan.tweets.indices.suffix(SitePlan.mostNew))), to: &file)
    try file.append { frame.finish(nil, to: &$0) }
    try file.finish()
  }

  private func append(day: Timestamp, to output: inout ByteBuffer) {
    output.append("<h2 class=\"day\">")
    locale.appendDay(day, to: &output)
    output.append("</h2>\n")
  }

  /// Appends how many tweets a month or a thread has.
  private func appendCount(of page: Int, to output: inout ByteBuffer) {
    output.append("<p class=\"note\">")
    locale.append(.tweets, count: plan.count(from: page - plan.pages[page].part), to: &output)
    output.append("</p>\n")
  }

  // MARK: Feed

  /// Writes the feed. It is the same each time: it was changed when its newest tweet was posted.
  private mutating func writeFeed() throws(ToolError) {
    let newest = plan.tweets.last.flatMap { $0.time == SiteTweet.unknown ? nil : $0.time } ?? 0
    var feed = AtomFormat(title: title, now: Timestamp(milliseconds: newest), photos: nil, warnings: warnings)
    var file = files.open("feed.atom")
    try file.append { feed.begin(&$0) }
    for tweet in plan.tweets.indices.reversed().prefix(Self.mostInFeed) {
      try read(tweet) { (record, _) throws(ToolError) in try file.append { feed.append(record, to: &$0) } }
    }
    try file.append { feed.finish(&$0) }
    try file.finish()
  }

  // MARK: Records

  private mutating func read(
    _ tweet: Int, _ body: (JSONValue, inout SiteWriter) throws(ToolError) -> Void
  ) throws(ToolError) {
    if Interruption.signal != nil { throw .tryLater("interrupted while writing the site") }
    let record = try Self.record(plan.tweets[tweet], spool)
    // Tweets that were deleted are in others, too.
    try record.read { (record) throws(ToolError) in
      guard let copy = try filter.withoutPrivate(record) else { return try body(record, &self) }
      try copy.read { (record) throws(ToolError) in try body(record, &self) }
    }
    try files.check()
  }

  static func record(_ tweet: SiteTweet, _ spool: RecordSpool) throws(ToolError) -> JSONDocument {
    try record(at: tweet.offset, Int(tweet.length), spool)
  }

  private static func record(
    at offset: Int, _ length: Int, _ spool: RecordSpool
  ) throws(ToolError) -> JSONDocument {
    let bytes = try spool.read(at: offset, count: length)
    do {
      return try JSONDocument(bytes)
    } catch {
      throw .bug("a record that was read before cannot be read again")
    }
  }
}
