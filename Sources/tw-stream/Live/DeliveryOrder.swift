import Services
import TweetCore
import TweetServices

/// Delivers the messages of a stream in order: leaves out posts that came before, and holds messages back while the
/// posts of a gap before them are fetched.
struct DeliveryOrder: Sendable {
  /// A message that is held back.
  struct Message: Sendable {
    /// Its post, or the post before it if it is none; the post after it if none came before it on this connection,
    /// `nil` until that comes.
    var key: PostID?
    let feed: String
    let line: [UInt8]
    let isPost: Bool
  }

  /// Which of the messages that are held back are delivered.
  enum Held {
    case none, all
    /// Those up to a post.
    case through(PostID)

    func contains(_ key: PostID?) -> Bool {
      switch self {
      case .none: false
      case .all: true
      case .through(let last): key.map { !last.isOlder(than: $0) } ?? false
      }
    }
  }

  /// A page of posts of a gap, and the feed they belong to.
  struct Page: Sendable {
    let feed: String
    var page: GapPage
  }

  /// X sends at most 250 posts a second, and repeats at most those of a few seconds.
  private var recent = RecentKeys(capacity: 8192)
  private(set) var held: [Message] = []
  private(set) var heldBytes = 0
  /// Whether a post came since the connection was lost.
  private var hasPost = false
  /// The newest post that came, those held back included.
  private(set) var newestID: PostID?
  /// The newest post delivered of each feed, except for `last`.
  private var delivered: [String: PostID] = [:]
  /// The feed delivered last and its newest post: most messages are of the same feed, which is so not looked up each
  /// time.
  private var last: (feed: String, id: PostID)?
  /// Whether posts were delivered since ``deliveredIDs()``.
  private(set) var hasChanged = false

  /// What a message that is held back costs beside its bytes.
  private static let overhead = 64

  /// The newest post of a feed that came.
  func newestID(of feed: String) -> PostID? {
    let ids =
      [delivered[feed], last?.feed == feed ? last?.id : nil] + held.map { $0.feed == feed && $0.isPost ? $0.key : nil }
    return ids.reduce(nil) { PostID.newer($0, $1) }
  }

  /// Begins after the post that an earlier run delivered last.
  mutating func resume(_ id: PostID, of feed: String) {
    delivered[feed] = id
    newestID = newer(id)
  }

  /// Records a post that came.
  ///
  /// - Returns: `false` if it came before.
  mutating func insert(_ id: PostID) -> Bool { recent.insert(id) }

  /// The newest post that came, with this one.
  private func newer(_ id: PostID) -> PostID { newestID.map { PostID.newer($0, id) } ?? id }

  /// Writes a message at once.
  mutating func deliver(
    _ line: ByteView, id: PostID?, of feed: String, isPost: Bool, to writer: inout FeedWriter
  ) throws(ToolError) {
    if let id { recordDelivery(id, of: feed) }
    try writer.write(line, of: feed, posts: isPost ? 1 : 0)
  }

  /// Records that the connection is lost: messages that come next belong after the posts of a gap.
  mutating func recordLoss() { hasPost = false }

  /// Holds a message back.
  mutating func hold(_ line: ByteView, id: PostID?, of feed: String, isPost: Bool) {
    if let id {
      for index in held.indices.reversed() {
        guard held[index].key == nil else { break }
        held[index].key = id
      }
      hasPost = true
      newestID = newer(id)
    }
    // A deletion that comes first may be of a post of the gap.
    let key = id ?? (hasPost ? held.last?.key ?? newestID : nil)
    held.append(Message(key: key, feed: feed, line: Array(line), isPost: isPost))
    heldBytes += line.count + Self.overhead
  }

  private mutating func recordDelivery(_ id: PostID, of feed: String) {
    newestID = newer(id)
    if let last, last.feed == feed {
      self.last?.id = PostID.newer(last.id, id)
    } else {
      storeLast()
      last = (feed, delivered[feed].map { PostID.newer($0, id) } ?? id)
    }
    hasChanged = true
  }

  private mutating func storeLast() {
    if let last { delivered[last.feed] = last.id }
  }

  /// The newest post delivered of each feed, for a checkpoint.
  mutating func deliveredIDs() -> [String: PostID] {
    hasChanged = false
    storeLast()
    return delivered
  }

  /// Records that the checkpoint was not saved.
  mutating func markChanged() { hasChanged = true }

  /// How many posts of the pages did not come before.
  func countNew(_ pages: [Page]) -> Int {
    let heldIDs = heldIDs
    var ids: Set<PostID> = []
    for page in pages {
      for post in page.page.posts where !recent.contains(post.id) && !heldIDs.contains(post.id) { ids.insert(post.id) }
    }
    return ids.count
  }

  /// More may be held back than `recent` remembers.
  private var heldIDs: Set<PostID> { Set(held.lazy.filter(\.isPost).compactMap(\.key)) }

  // MARK: Merging

  private enum Entry {
    case held(Int)
    case fetched(page: Int, post: Int)
  }

  /// Writes fetched posts, and the held messages up to a post among them, oldest first; each post once.
  ///
  /// - Parameter leaving: which of the messages that are held back are delivered; the others stay.
  mutating func deliver(_ pages: [Page], held leaving: Held, to writer: inout FeedWriter) throws(ToolError) {
    let heldIDs = heldIDs
    var entries: [(key: PostID?, entry: Entry)] = []
    for (number, page) in pages.enumerated() {
      for (index, post) in page.page.posts.enumerated() where !heldIDs.contains(post.id) && recent.insert(post.id) {
        entries.append((post.id, .fetched(page: number, post: index)))
      }
    }
    let staying = held.filter { !leaving.contains($0.key) }
    let leaving = held.filter { leaving.contains($0.key) }
    entries += leaving.enumerated().map { ($1.key, .held($0)) }
    // Equal keys keep their order: a deletion stays after the post that it followed.
    let order = entries.indices.sorted { one, other in
      guard let key = entries[one].key, let second = entries[other].key else {
        return entries[one].key == nil && entries[other].key == nil ? one < other : entries[one].key != nil
      }
      return key == second ? one < other : key.isOlder(than: second)
    }
    held = staying
    heldBytes = staying.reduce(0) { $0 + $1.line.count + Self.overhead }
    // Neighbours of one page share a line.
    var line: (page: Int, posts: [GapPage.Post]) = (-1, [])
    for index in order {
      switch entries[index].entry {
      case .fetched(let page, let post):
        if page != line.page, line.page >= 0 { try write(line.posts, of: pages[line.page], to: &writer) }
        if page != line.page { line = (page, []) }
        line.posts.append(pages[page].page.posts[post])
      case .held(let number):
        if line.page >= 0 { try write(line.posts, of: pages[line.page], to: &writer) }
        line = (-1, [])
        let message = leaving[number]
        if message.isPost, let id = message.key { recordDelivery(id, of: message.feed) }
        try message.line.withBytes { (line) throws(ToolError) in
          try writer.write(line, of: message.feed, posts: message.isPost ? 1 : 0)
        }
      }
    }
    if line.page >= 0 { try write(line.posts, of: pages[line.page], to: &writer) }
  }

  private mutating func write(
    _ posts: [GapPage.Post], of page: Page, to writer: inout FeedWriter
  ) throws(ToolError) {
    let posts = posts.prefix(writer.remaining ?? .max)
    guard let last = posts.last else { return }
    recordDelivery(last.id, of: page.feed)
    guard let frame = page.page.frame else {
      for post in posts { try Self.write(post.json, of: page.feed, posts: 1, to: &writer) }
      return
    }
    var line = frame.head
    for (number, post) in posts.enumerated() {
      if number > 0 { line.append(UInt8(ascii: ",")) }
      line += post.json
    }
    try Self.write(line + frame.tail, of: page.feed, posts: posts.count, to: &writer)
  }

  private static func write(
    _ line: [UInt8], of feed: String, posts: Int, to writer: inout FeedWriter
  ) throws(ToolError) {
    try line.withBytes { (line) throws(ToolError) in try writer.write(line, of: feed, posts: posts) }
  }
}
