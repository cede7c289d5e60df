import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One run of `tw-cache list`: output is written only while nothing of the store is held, so that a reader who stops
/// reading, as a pager does, stops nobody else.
struct ListRun: ~Copyable {
  /// The first record goes out at once; then ever more at a time, up to what makes the cost of a page not show.
  private static let pages = 1...256 << 10
  /// Microseconds between two looks for what was stored; no one sees the difference.
  private static let interval: UInt32 = 100_000

  private let store: TweetStore
  private var output = RecordWriter()

  init(_ store: consuming TweetStore) { self.store = store }

  mutating func list(_ query: TweetQuery) throws(ToolError) {
    guard var pages = try store.pages(query) else { return }
    try print(&pages)
  }

  private mutating func print(_ pages: inout TweetPages) throws(ToolError) {
    var size = Self.pages.lowerBound
    while !pages.isAtEnd, Interruption.signal == nil {
      var held = ByteBuffer(capacity: size)
      try pages.read { (_, record) throws(ToolError) in
        held.append(record)
        held.append(UInt8(ascii: "\n"))
        return held.count < size ? .more : .pause
      }
      try held.withBytes { (bytes) throws(ToolError) in try output.write(lines: bytes) }
      try output.flush()
      size = min(size * 64, Self.pages.upperBound)
    }
  }

  /// Prints what is there, then what is stored from then on, until a signal comes or nobody reads any more.
  mutating func follow(_ query: TweetQuery) throws(ToolError) {
    var last = try store.lastStored()
    var query = query
    if query.limit != nil { try startWithNewest(&query) }
    if var pages = try store.pages(query) { try print(&pages) }
    query.firstKey = nil
    var version = try store.version
    while Interruption.signal == nil {
      if !isRead { throw .readerGone }
      usleep(Self.interval)
      let current = try store.version
      if current == version { continue }
      version = current
      let news = try store.stored(after: last)
      last = news.last
      if !news.isWhole { Diagnostics.note("more was stored at once than can be followed: some tweets are left out") }
      // What a query asks for may be there only now: a user, a source.
      if var pages = try store.pages(query) { try print(news.changes, &pages, of: query.service) }
    }
  }

  /// - Parameter service: of which deletions are told; `nil`: of any. Whether a tweet that is gone was among those wanted
  ///   cannot be known any more.
  private mutating func print(
    _ changes: [StoreChange], _ pages: inout TweetPages, of service: String?
  ) throws(ToolError) {
    for change in changes {
      switch change {
      case .stored(let key):
        try pages.read(key: key) { (record) throws(ToolError) in
          output.buffer.append(record)
          output.buffer.append(UInt8(ascii: "\n"))
        }
      case .deleted(let tweet) where service == nil || service == tweet.service:
        tweet.append(to: &output.buffer)
        output.buffer.append(UInt8(ascii: "\n"))
      case .deleted: break
      }
      if output.buffer.count > Self.pages.upperBound { try output.flush() }
    }
    try output.flush()
  }

  /// Puts a place to start from in the place of a limit, so that the newest come, the oldest of them first.
  private func startWithNewest(_ query: inout TweetQuery) throws(ToolError) {
    var newest = query
    newest.isOldestFirst = false
    query.limit = nil
    guard var pages = try store.pages(newest) else { return }
    try pages.read { (key, _) throws(ToolError) in
      query.firstKey = key
      return .more
    }
  }

  /// Whether somebody still reads standard output, as far as it can tell.
  private var isRead: Bool {
    var entry = pollfd(fd: 1, events: 0, revents: 0)
    return poll(&entry, 1, 0) <= 0 || entry.revents & Int16(POLLERR) == 0
  }
}
