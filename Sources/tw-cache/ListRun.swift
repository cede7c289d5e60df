import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One run of `tw-cache list`. Output is written only while no transaction is open: a reader who stops reading, as a
/// pager does, does not affect writers.
struct ListRun: ~Copyable {
  /// Bytes of a page. The first record is printed at once; then pages grow until the cost of a page does not matter.
  private static let pages = 1...256 << 10
  /// Microseconds between two checks for new tweets: too short for anybody to notice.
  static let interval: UInt32 = 100_000

  private var store: TweetStore
  /// Whose `viewer` the records show; `nil` for that of the account that read a tweet last.
  private let viewer: ViewerChoice?
  private var output = RecordWriter()
  /// How many copies of posts were left out.
  private(set) var copies = 0
  /// The key that was printed last, and how many tweets were.
  private var printed = (last: Int.min, count: 0)

  init(_ store: consuming TweetStore, viewer: ViewerChoice? = nil) {
    self.store = store
    self.viewer = viewer
  }

  /// Prints what matches. Of a search, tweets whose own texts have its words come first, as long as the oldest are not
  /// asked for.
  mutating func list(_ query: TweetQuery) throws(ToolError) {
    guard !query.isOldestFirst, let own = query.inOwnTexts else { return try print(all: query) }
    try print(all: own)
    var others = query
    others.excluded.append(own)
    others.limit = query.limit.map { $0 - printed.count }
    if others.limit != 0 { try print(all: others) }
  }

  private mutating func print(all query: TweetQuery) throws(ToolError) {
    guard var pages = try store.pages(query) else { return }
    var changes: FollowedChanges?
    try print(&pages, without: &changes)
    copies += pages.leftOutCopies
    try pages.damaged.check(of: store.path)
  }

  /// Tells a person at a terminal how many tweets of a list, as far as it was printed, are muted.
  func noteMuted(_ muted: TweetQuery, beside query: TweetQuery) throws(ToolError) {
    guard HidingOptions.tellsMuted else { return }
    var all = query
    all.limit = nil
    all.excluded.removeAll(where: \.isMuted)
    all.parts.append(muted)
    // What comes after a limit was not looked at.
    let keys = try store.keys(all).map(\.key)
    guard let limit = query.limit, printed.count == limit else { return HidingOptions.note(muted: keys.count) }
    let last = printed.last
    HidingOptions.note(muted: keys.count { query.isOldestFirst ? $0 < last : $0 > last })
  }

  /// Prints how many tweets match.
  mutating func count(_ query: TweetQuery) throws(ToolError) {
    output.buffer.append("\(try store.keys(query).count)\n")
    try output.flush()
  }

  /// Prints those with the most likes first, and of those with as many the newest.
  mutating func listMostLiked(_ query: TweetQuery) throws(ToolError) {
    var all = query
    all.limit = nil
    let keys = try store.keys(all).sorted { ($0.likes, $0.key) > ($1.likes, $1.key) }
    // The keys are those of shown copies.
    all.includesCopies = true
    if HidingOptions.tellsMuted, !query.includesCopies {
      let shown = Set(keys.map(\.key))
      // What comes after a limit was not looked at.
      let last = query.limit.flatMap { $0 < keys.count ? keys.prefix($0).last : nil }
      copies = try store.keys(all).count { copy in
        !shown.contains(copy.key) && (last.map { (copy.likes, copy.key) > ($0.likes, $0.key) } ?? true)
      }
    }
    guard var pages = try store.pages(all) else { return }
    for (key, _) in keys.prefix(query.limit ?? .max) {
      if Interruption.signal != nil { break }
      try pages.read(key: key) { (record) throws(ToolError) in
        try viewer.append(record, to: &output.buffer)
        printed = (key, printed.count + 1)
      }
      if output.buffer.count > Self.pages.upperBound { try output.flush() }
    }
    try output.flush()
    try pages.damaged.check(of: store.path)
  }

  /// Tells a person at a terminal that the list is empty.
  func noteIfNothing() {
    if printed.count == 0, isatty(2) == 1, Interruption.signal == nil {
      Diagnostics.note("no stored tweet matches")
    }
  }

  /// - Parameter changes: what was stored or changed since the run began. It is left out here, and comes after the
  ///   list.
  private mutating func print(_ pages: inout TweetPages, without changes: inout FollowedChanges?) throws(ToolError) {
    var size = Self.pages.lowerBound
    while !pages.isAtEnd, Interruption.signal == nil {
      try store.update()
      var lines = ByteBuffer(capacity: size)
      var ends: [(key: Int, end: Int)] = []
      try pages.read { (key, record) throws(ToolError) in
        try viewer.append(record, to: &lines)
        printed = (key, printed.count + 1)
        if changes != nil { ends.append((key, lines.count)) }
        return lines.count < size ? .more : .pause
      }
      // After the page: so every change that the page shows is known.
      try changes?.find(in: store)
      let changed = changes?.stored ?? []
      try lines.withBytes { (bytes) throws(ToolError) in
        guard !changed.isEmpty else { return try output.write(lines: bytes) }
        var start = 0
        for (key, end) in ends {
          if !changed.contains(key) { try output.write(lines: bytes.extracting(start..<end)) }
          start = end
        }
      }
      try output.flush()
      size = min(size * 64, Self.pages.upperBound)
    }
  }

  /// Prints the stored tweets, then each tweet that is stored later, until a signal comes or the reader leaves.
  mutating func follow(_ query: TweetQuery) throws(ToolError) {
    // Before anything is read: what is stored meanwhile is a change too.
    var changes: FollowedChanges? = FollowedChanges(after: try store.lastChange())
    var query = query
    if query.limit != nil { try startWithNewest(&query) }
    if var pages = try store.pages(query) {
      try print(&pages, without: &changes)
      warn(of: pages.damaged)
    }
    query.firstKey = nil
    while Interruption.signal == nil {
      if !Self.hasReader { throw .readerGone }
      if store.isReplaced, try TweetStore.isThere(store.path) {
        store = try TweetStore(store.path, .readOnly)
        changes?.forgetVersion()
      }
      try changes?.find(in: store)
      let new = changes?.take() ?? []
      // A user or source that the query names may be in the store only now.
      if !new.isEmpty, var pages = try store.pages(query) {
        try print(new, &pages, of: query.service)
        warn(of: pages.damaged)
      }
      usleep(Self.interval)
    }
  }

  /// Says which tweets are left out. Those who follow want the others all the same.
  private func warn(of damaged: DamagedRows) {
    do throws(ToolError) { try damaged.check(of: store.path) } catch { Diagnostics.report(error) }
  }

  /// - Parameter service: deletions of this service are printed; `nil` for all. Whether a deleted tweet matched the
  ///   other conditions is no longer known.
  private mutating func print(
    _ changes: [StoreChange], _ pages: inout TweetPages, of service: String?
  ) throws(ToolError) {
    for change in changes {
      switch change {
      case .stored(let key):
        try pages.read(key: key) { (record) throws(ToolError) in
          try viewer.append(record, to: &output.buffer)
        }
      case .deleted(let tweet) where service == nil || service == tweet.service:
        tweet.append(to: &output.buffer)
      case .deleted: break
      }
      if output.buffer.count > Self.pages.upperBound { try output.flush() }
    }
    try output.flush()
  }

  /// Replaces the limit by a first key, so that the newest tweets are printed, oldest first.
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

  /// Whether standard output still has a reader, as far as poll(2) can tell.
  static var hasReader: Bool {
    var entry = pollfd(fd: 1, events: 0, revents: 0)
    return poll(&entry, 1, 0) <= 0 || entry.revents & Int16(POLLERR) == 0
  }
}

extension ViewerChoice? {
  /// Appends a line with a record of the store, as the chosen account sees it.
  func append(_ record: ByteView, to buffer: inout ByteBuffer) throws(ToolError) {
    if let self { try self.append(record, to: &buffer) } else { buffer.append(record) }
    buffer.append(UInt8(ascii: "\n"))
  }
}

/// What was stored, changed or deleted since a follower began, and has not been printed.
struct FollowedChanges {
  private var changes: [StoreChange] = []
  /// The keys of the tweets among them.
  private(set) var stored: Set<Int> = []
  /// The number of the last change that was looked at.
  private var last: Int
  private var version: Int?

  /// - Parameter number: of the last change that is none of these.
  init(after number: Int) { last = number }

  /// Adds what was stored since the last call, each tweet once. Changes that nobody knows any more are told.
  mutating func find(in store: borrowing TweetStore) throws(ToolError) {
    // Before the changes are read: what comes after is found by the next call.
    let current = try store.version
    guard current != version else { return }
    version = current
    let new = try store.changes(after: last)
    last = new.last
    if !new.isComplete { Diagnostics.note("more was stored at once than can be followed: some tweets are left out") }
    for change in new.changes {
      if case .stored(let key) = change, !stored.insert(key).inserted { continue }
      changes.append(change)
    }
  }

  /// Has the next call look into a store that was opened anew.
  mutating func forgetVersion() { version = nil }

  /// Takes them, in the order of the store.
  mutating func take() -> [StoreChange] {
    defer { (changes, stored) = ([], []) }
    return changes
  }
}
