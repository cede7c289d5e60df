import TweetCore
import TweetDisplay

/// Which pages a site has, and which tweets are on each.
struct SitePlan {
  /// A page of tweets.
  struct Page {
    enum Kind {
      case month, undated, thread
      /// Some of all tweets: those without answers and retweets, those with media, those with a hashtag.
      case posts, media
      case tag(String)
    }

    let kind: Kind
    /// Its file without `.html`, from the site's folder on: letters in lower case, digits, `-`, `_` and `.`.
    let name: String
    /// A month or a thread with many tweets has several pages: the first one is number 0.
    let part: Int
    let parts: Int
    /// Of ``SitePlan/tweets``; in a thread, of its members; in a part of all tweets, of ``SitePlan/chosen``.
    let range: Range<Int>

    /// Whether it is the place of its tweets, which search and links lead to.
    var isMonth: Bool {
      switch kind {
      case .month, .undated: true
      case .thread, .posts, .media, .tag: false
      }
    }

    /// Whether it has some of all tweets, the newest first.
    var isChoice: Bool { !isMonth && !isThread }
    var isThread: Bool { if case .thread = kind { true } else { false } }
  }

  /// A month, or a thread, with more tweets has several pages.
  static let mostOnPage = 500

  /// The oldest first.
  let tweets: [SiteTweet]
  let threads: SiteThreads
  /// Months, the oldest first, tweets without a date before them; then the threads.
  private(set) var pages: [Page] = []
  /// The tweets of the pages that have some of all, the oldest first in each.
  private(set) var chosen: [Int32] = []
  /// The last page of each of these.
  private(set) var choices: [Int] = []
  /// The first page of each month.
  private(set) var months: [Int] = []
  /// How many tweets are in the thread of a page.
  private(set) var pageOf: [Int32]
  private(set) var threadPageOf: [Int32]
  private let byKey: [Int32]
  private let byAddress: [UInt64: Int32]
  let profile: (offset: Int, length: Int, isUser: Bool)?

  /// - Parameter name: the name of a thread: that of its conversation, or of its first tweet.
  init(_ content: SiteContent, name: (Range<Int>, SiteThreads) throws(ToolError) -> String) throws(ToolError) {
    let tweets = content.tweets
    (self.tweets, profile) = (tweets, content.profile)
    byAddress = Dictionary(
      tweets.indices.lazy.filter { tweets[$0].address != 0 }.map { (tweets[$0].address, Int32($0)) }
    ) { $1 }
    let byKey = tweets.indices.map { Int32($0) }.sorted { tweets[Int($0)].key < tweets[Int($1)].key }
    self.byKey = byKey
    threads = SiteThreads(tweets) { Self.index(of: $0, tweets, byKey) }
    pageOf = [Int32](repeating: -1, count: tweets.count)
    threadPageOf = pageOf
    addMonths()
    var names: Set<String> = []
    for thread in threads.threads {
      let name = try name(thread, threads)
      // Only ids that are made to look alike have one name.
      let base = (2...).lazy.map { "\(name)-at\($0)" }.first { !names.contains($0) } ?? name
      let free = names.contains(name) ? base : name
      names.insert(free)
      add(.thread, "threads/\(free)", thread)
    }
    addChoices(content.tags)
  }

  /// Adds the pages that have some of all tweets, unless they would have all or none.
  private mutating func addChoices(_ tags: [String: (name: String, keys: [Int])]) {
    let posts = tweets.indices.filter { !tweets[$0].isOfOthers }
    if posts.count < tweets.count { add(.posts, "views/posts", posts) }
    add(.media, "views/media", tweets.indices.filter { tweets[$0].hasMedia })
    for (tag, found) in tags.sorted(by: { $0.key < $1.key }) {
      let indices = Set(found.keys.compactMap { index(of: $0) }).sorted()
      // The one tweet of a tag is found by the search.
      guard indices.count > 1 else { continue }
      var name = ByteBuffer()
      name.append(fileNameOfTag: tag)
      add(.tag(found.name), "views/tag-\(name.string)", indices)
    }
  }

  private mutating func add(_ kind: Page.Kind, _ name: String, _ indices: [Int]) {
    if indices.isEmpty { return }
    let start = chosen.count
    chosen += indices.map { Int32($0) }
    add(kind, name, start..<chosen.count)
    choices.append(pages.count - 1)
  }

  private mutating func addMonths() {
    let undated = tweets.firstIndex { $0.time != SiteTweet.unknown } ?? tweets.count
    if undated > 0 { add(.undated, "undated", 0..<undated) }
    var start = undated
    while start < tweets.count {
      let month = SiteMonth(tweets[start])
      // Where clocks are set back, a month may come again for an hour.
      let end = tweets[start...].firstIndex { SiteMonth($0).number > month.number } ?? tweets.count
      months.append(pages.count)
      add(.month, month.name, start..<end)
      start = end
    }
  }

  private mutating func add(_ kind: Page.Kind, _ name: String, _ range: Range<Int>) {
    let parts = (range.count + Self.mostOnPage - 1) / Self.mostOnPage
    for part in 0..<parts {
      let start = range.lowerBound + part * Self.mostOnPage
      let own = start..<min(start + Self.mostOnPage, range.upperBound)
      let page = Page(kind: kind, name: part == 0 ? name : "\(name)-\(part + 1)", part: part, parts: parts, range: own)
      for index in own {
        if page.isThread { threadPageOf[Int(threads.members[index].tweet)] = Int32(pages.count) }
        if page.isMonth { pageOf[index] = Int32(pages.count) }
      }
      pages.append(page)
    }
  }

  /// How many of the newest tweets are on the first page.
  static let mostNew = 20

  /// Tweets of a page that shows the newest first: those of one thread stand together, in the order in which they are
  /// read, where the newest of them is.
  /// - Parameter indices: the oldest first.
  func readingOrder(_ indices: [Int]) -> [Int] {
    let threads = Dictionary(grouping: indices) { threadPageOf[$0] }
    var order: [Int] = []
    var done: Set<Int32> = []
    for index in indices.reversed() {
      let thread = threadPageOf[index]
      if thread < 0 { order.append(index) } else if done.insert(thread).inserted { order += threads[thread] ?? [] }
    }
    return order
  }

  /// Whether a tweet is on a page; on the first page of the site for `nil`.
  func has(_ index: Int, on page: Int?) -> Bool {
    guard let page else { return index >= tweets.count - Self.mostNew }
    if pages[page].isThread { return Int(threadPageOf[index]) == page }
    if pages[page].isMonth { return Int(pageOf[index]) == page }
    return chosen[pages[page].range].contains(Int32(index))
  }

  /// The index of the tweet that an address leads to; `nil` if the site has none.
  func index(ofAddress url: ByteView) -> Int? {
    let key = SiteTweet.key(ofAddress: url)
    return key == 0 ? nil : byAddress[key].map { Int($0) }
  }

  /// How many tweets a month or a thread has.
  /// - Parameter first: the index of its first page.
  func count(from first: Int) -> Int { pages[first..<(first + pages[first].parts)].reduce(0) { $0 + $1.range.count } }

  /// The index of the tweet with a key; `nil` if the site has none.
  func index(of key: Int) -> Int? { Self.index(of: key, tweets, byKey) }

  private static func index(of key: Int, _ tweets: [SiteTweet], _ byKey: [Int32]) -> Int? {
    var (low, high) = (0, byKey.count)
    while low < high {
      let middle = (low + high) / 2
      if tweets[Int(byKey[middle])].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < byKey.count, tweets[Int(byKey[low])].key == key else { return nil }
    return Int(byKey[low])
  }
}

/// The month of a tweet, by the clocks of `$TZ`.
struct SiteMonth {
  let year, month: Int

  init(_ tweet: SiteTweet) {
    let time = Timestamp(milliseconds: tweet.time)
    let local = LocalTime(time)
    year = local?.year ?? time.date.year
    month = local?.month ?? time.date.month
  }

  /// Grows from month to month.
  var number: Int { year * 12 + month - 1 }

  /// `2021-11`.
  var name: String {
    var name = ByteBuffer(capacity: 64)
    name.append(decimal: year, width: 4)
    name.append("-")
    name.append(decimal: month, width: 2)
    return name.string
  }
}
