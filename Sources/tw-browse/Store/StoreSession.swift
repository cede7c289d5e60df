import TweetCore
import TweetStore

/// An open store, and the lists that are read from it.
struct StoreSession: ~Copyable {
  /// Tweets that are asked for at once at first: a screen of them and more.
  private static let firstPage = 200
  /// A place farther from the newest tweet is not looked for: what came since is more than anybody scrolls through.
  private static let farthest = 100_000

  private let store: TweetStore
  private var lists: [Int: ListSource] = [:]
  private var notifications = NotificationBook()
  /// The tweets of each thread that is shown.
  private var threads: [Int: Set<Int>] = [:]
  private var lastChange: Int
  private var version: Int
  private let answer: (StoreAnswer) -> Void

  /// - Parameter answer: gets the answers.
  init(_ store: consuming TweetStore, answer: @escaping (StoreAnswer) -> Void) throws(ToolError) {
    self.store = store
    self.answer = answer
    (lastChange, version) = (0, 0)
    try self.store.keepFewPages()
    lastChange = try self.store.lastChange()
    version = try self.store.version
  }

  mutating func carryOut(_ requests: [StoreRequest]) throws(ToolError) {
    for request in requests {
      switch request {
      case .open(let list, let source, let place):
        lists[list] = source
        try open(list, source, place)
      case .more(let list, let key, let count):
        guard case .query(var query) = lists[list] else { continue }
        query.endKey = key
        try readKeys(of: list, query, count)
      case .seek(let seek): try search(seek)
      case .beside(let entry, let name):
        let found: (rows: [ThreadRow], named: Int?)
        do throws(ToolError) { found = try store.tree(ofThread: name) } catch .noInput { found = ([], nil) }
        answer(.beside(entry: entry, found.rows, own: found.named))
      case .close(let list): (lists[list], threads[list]) = (nil, nil)
      case .records(let keys): try read(keys)
      case .profile(let service, let id):
        answer(.profile(service: service, id: id, try store.user(service: service, id: id)))
      case .look: try look()
      // Whoever has the session opens another.
      case .reopen: continue
      case .names:
        answer(
          .names(
            queries: try store.savedQueries().map { SavedQuery(name: $0.name, text: $0.query) },
            labels: try store.labelCounts().map(\.label)))
      }
    }
  }

  /// Reads the beginning of a list. What is wrong with it concerns only this one.
  private mutating func open(_ list: Int, _ source: ListSource, _ place: Place?) throws(ToolError) {
    try store.update()
    do throws(ToolError) {
      switch source {
      case .query(let query):
        try readKeys(of: list, query, Self.firstPage)
        if let place { try read(list, query, upTo: place) }
      case .keys(let keys): answer(.keys(list: list, keys, isWhole: true))
      case .notifications(let choice):
        answer(.keys(list: list, try notifications.read(choice, from: store), isWhole: true))
        if let place { answer(.placed(list: list, place)) }
      case .thread(let name):
        let (rows, named) = try store.tree(ofThread: name)
        threads[list] = Set(rows.map(\.key))
        answer(.thread(list: list, rows, named: named))
      }
    } catch .noInput(let message) {
      answer(.failed(list: list, message))
    } catch .usage(let message) {
      // No store can read it: it is not looked at again.
      lists[list] = nil
      answer(.failed(list: list, message))
    }
  }

  /// Reads the keys up to where the reader was.
  private func read(_ list: Int, _ query: TweetQuery, upTo place: Place) throws(ToolError) {
    var query = query
    (query.firstKey, query.limit) = (place.cursor, Self.farthest)
    let keys = try store.keys(query).map(\.key)
    if keys.count < Self.farthest { answer(.keys(list: list, keys, isWhole: false)) }
    answer(.placed(list: list, place))
  }

  private func readKeys(of list: Int, _ query: TweetQuery, _ count: Int) throws(ToolError) {
    var query = query
    query.limit = count
    let keys = try store.keys(query).map(\.key)
    answer(.keys(list: list, keys, isWhole: keys.count < count))
  }

  private func read(_ keys: [Int]) throws(ToolError) {
    let told = keys.filter(NotificationBook.isKey)
    if !told.isEmpty { answer(.records(told.map { notifications.record($0) })) }
    let keys = told.isEmpty ? keys : keys.filter { !NotificationBook.isKey($0) }
    if keys.isEmpty { return }
    var unread = TweetQuery.everything
    unread.labels = [.unread]
    guard var pages = try store.pages(.everything) else { return }
    var records: [ReadRecord] = []
    for key in keys {
      var record = ReadRecord(key: key, bytes: [], isUnread: false)
      try pages.read(key: key) { (bytes) throws(ToolError) in record.bytes = Array(bytes) }
      records.append(record)
    }
    if var pages = try store.pages(unread) {
      for index in records.indices {
        try pages.read(key: records[index].key) { _ in records[index].isUnread = true }
      }
    }
    answer(.records(records))
  }

  /// Searches in a list, and reads its keys up to what is found.
  private func search(_ seek: Seek) throws(ToolError) {
    if case .keys(let keys) = lists[seek.list] { return try search(seek, among: keys) }
    guard case .query(let query) = lists[seek.list] else { return answer(.sought(list: seek.list, nil)) }
    var wanted = query
    wanted.parts.append(seek.condition)
    (wanted.limit, wanted.isOldestFirst) = (1, seek.isUp)
    if seek.isUp { wanted.firstKey = seek.key + 1 } else { wanted.endKey = seek.key }
    let found: Int?
    do throws(ToolError) { found = try store.keys(wanted).first?.key } catch .noInput {
      found = nil
    } catch .usage(let message) {
      return answer(.failed(list: nil, message))
    }
    if let found, found < seek.knownEnd {
      var between = query
      (between.firstKey, between.endKey) = (found, seek.knownEnd)
      answer(.keys(list: seek.list, try store.keys(between).map(\.key), isWhole: false))
    }
    answer(.sought(list: seek.list, found))
  }

  /// Searches in a list that has all its keys.
  private func search(_ seek: Seek, among keys: [Int]) throws(ToolError) {
    guard var pages = try store.pages(seek.condition) else { return answer(.sought(list: seek.list, nil)) }
    let candidates = seek.isUp ? keys.reversed().filter { $0 > seek.key } : keys.filter { $0 < seek.key }
    for key in candidates {
      var isFound = false
      try pages.read(key: key) { _ in isFound = true }
      if isFound { return answer(.sought(list: seek.list, key)) }
    }
    answer(.sought(list: seek.list, nil))
  }

  /// Finds what has changed since the last look.
  private mutating func look() throws(ToolError) {
    let now = try store.version
    if now == version { return }
    version = now
    for (list, source) in lists {
      guard case .notifications(let choice) = source else { continue }
      let new = try notifications.read(choice, isNew: true, from: store)
      if !new.isEmpty { answer(.found(list: list, new)) }
    }
    let (changes, last, isComplete) = try store.changes(after: lastChange)
    lastChange = last
    if !isComplete { return answer(.outdated) }
    var stored: [Int] = []
    for change in changes {
      switch change {
      case .stored(let key): stored.append(key)
      case .deleted(let tweet): answer(.deleted("\(tweet.service):\(tweet.id)"))
      }
    }
    if stored.isEmpty { return }
    for (list, source) in lists {
      if case .thread(let name) = source { try look(at: list, thread: name) }
      guard case .query(let query) = source, var pages = try store.pages(query) else { continue }
      var found: [Int] = []
      for key in stored { try pages.read(key: key) { _ in found.append(key) } }
      if !found.isEmpty { answer(.found(list: list, found)) }
    }
    answer(.changed(stored))
  }

  /// Finds what has come into a thread. One that was not stored when it was asked for may be there now.
  private mutating func look(at list: Int, thread name: String) throws(ToolError) {
    guard let known = threads[list] else { return try open(list, .thread(name), nil) }
    let keys: [Int]
    // The tweet may have been deleted meanwhile: what is on the screen stays.
    do throws(ToolError) { keys = try store.tree(ofThread: name).rows.map(\.key) } catch .noInput { return }
    let found = keys.filter { !known.contains($0) }
    threads[list] = known.union(found)
    if !found.isEmpty { answer(.found(list: list, found)) }
  }
}
