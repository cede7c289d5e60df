import TweetCore

/// What a stream has brought, in the order it goes out: leaves out what was there before, and holds messages back while
/// those before them are being fetched.
struct StreamOrder: Sendable {
  struct Message: Sendable {
    /// Its post, or the one before it where it is none.
    let key: Int
    let feed: String
    let line: [UInt8]
    let isPost: Bool
  }

  /// A missed page, and the feed it is of.
  struct Missed: Sendable {
    let feed: String
    var page: MissedPage
  }

  private var recent = RecentIDs()
  private(set) var held: [Message] = []
  private(set) var heldBytes = 0
  /// The newest post that came in, held ones included.
  private(set) var newest: Int?
  /// The newest post that went out, by feed, but for those of the feed that was written last.
  private var places: [String: Int] = [:]
  /// The newest one of that feed: what comes is mostly of one, which is not looked up each time.
  private var last: (feed: String, id: Int)?
  /// Whether they changed since they were taken.
  private(set) var hasMoved = false

  /// What one held message costs beside its bytes.
  private static let overhead = 64

  /// Starts from what an earlier run wrote last.
  mutating func resume(_ id: Int, of feed: String) {
    places[feed] = id
    newest = max(newest ?? 0, id)
  }

  /// Notes a post that came in.
  /// - Returns: `false` when it was there before.
  mutating func isNew(_ id: Int) -> Bool { recent.insert(id) }

  /// Writes a message at once.
  mutating func pass(
    _ line: UnsafeBufferPointer<UInt8>, id: Int?, of feed: String, isPost: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    if let id { note(id, of: feed) }
    try writer.write(line, of: feed, posts: isPost ? 1 : 0)
  }

  /// Keeps a message back.
  mutating func hold(_ line: UnsafeBufferPointer<UInt8>, id: Int?, of feed: String, isPost: Bool) {
    held.append(Message(key: id ?? held.last?.key ?? newest ?? 0, feed: feed, line: Array(line), isPost: isPost))
    heldBytes += line.count + Self.overhead
    if let id { newest = max(newest ?? id, id) }
  }

  private mutating func note(_ id: Int, of feed: String) {
    newest = max(newest ?? id, id)
    if let last, last.feed == feed {
      if id > last.id { self.last?.id = id }
    } else {
      settle()
      last = (feed, max(places[feed] ?? id, id))
    }
    hasMoved = true
  }

  private mutating func settle() {
    if let last { places[last.feed] = last.id }
  }

  /// The newest post that went out, by feed, to be kept.
  mutating func takePlaces() -> [String: Int] {
    hasMoved = false
    settle()
    return places
  }

  /// They are to be taken once more.
  mutating func placesWereNotKept() { hasMoved = true }

  /// How many posts of the pages are new.
  func news(_ pages: [Missed]) -> Int {
    let known = heldPosts
    var ids: Set<Int> = []
    for missed in pages {
      for post in missed.page.posts where !recent.contains(post.id) && !known.contains(post.id) { ids.insert(post.id) }
    }
    return ids.count
  }

  /// More may be held than ids are remembered.
  private var heldPosts: Set<Int> { Set(held.lazy.filter(\.isPost).map(\.key)) }

  // MARK: Putting in order

  private enum Entry {
    case held(Int)
    case missed(page: Int, post: Int)
  }

  /// Writes missed posts, and the held messages up to a post among them, oldest first; each post once.
  ///
  /// - Parameter last: held messages behind it stay; `nil` lets all go.
  mutating func merge(_ pages: [Missed], heldTo last: Int?, to writer: inout FeedWriter) throws(ToolError) {
    let known = heldPosts
    var entries: [(key: Int, entry: Entry)] = []
    for (number, missed) in pages.enumerated() {
      for (place, post) in missed.page.posts.enumerated() where !known.contains(post.id) && recent.insert(post.id) {
        entries.append((post.id, .missed(page: number, post: place)))
      }
    }
    let staying = last.map { last in held.filter { $0.key > last } } ?? []
    let going = last.map { last in held.filter { $0.key <= last } } ?? held
    entries += going.enumerated().map { ($1.key, .held($0)) }
    // A sort that keeps the order of equal keys: a deletion stays behind the post it came after.
    let order = entries.indices.sorted { (entries[$0].key, $0) < (entries[$1].key, $1) }
    held = staying
    heldBytes = staying.reduce(0) { $0 + $1.line.count + Self.overhead }
    var run: (page: Int, posts: [MissedPage.Post]) = (-1, [])
    for index in order {
      switch entries[index].entry {
      case .missed(let page, let place):
        if page != run.page, run.page >= 0 { try write(run.posts, of: pages[run.page], to: &writer) }
        if page != run.page { run = (page, []) }
        run.posts.append(pages[page].page.posts[place])
      case .held(let number):
        if run.page >= 0 { try write(run.posts, of: pages[run.page], to: &writer) }
        run = (-1, [])
        let message = going[number]
        if message.isPost { note(message.key, of: message.feed) }
        try message.line.withUnsafeBufferPointer { (line) throws(ToolError) in
          try writer.write(line, of: message.feed, posts: message.isPost ? 1 : 0)
        }
      }
    }
    if run.page >= 0 { try write(run.posts, of: pages[run.page], to: &writer) }
  }

  private mutating func write(
    _ posts: [MissedPage.Post], of missed: Missed, to writer: inout FeedWriter
  ) throws(ToolError) {
    let posts = posts.prefix(writer.remaining ?? .max)
    guard let last = posts.last else { return }
    note(last.id, of: missed.feed)
    guard let frame = missed.page.frame else {
      for post in posts { try Self.write(post.json, of: missed.feed, posts: 1, to: &writer) }
      return
    }
    var line = frame.head
    for (number, post) in posts.enumerated() {
      if number > 0 { line.append(UInt8(ascii: ",")) }
      line += post.json
    }
    try Self.write(line + frame.tail, of: missed.feed, posts: posts.count, to: &writer)
  }

  private static func write(
    _ line: [UInt8], of feed: String, posts: Int, to writer: inout FeedWriter
  ) throws(ToolError) {
    try line.withUnsafeBufferPointer { (line) throws(ToolError) in try writer.write(line, of: feed, posts: posts) }
  }
}
