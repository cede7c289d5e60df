import TweetStore

/// A list on the screen: the keys of its tweets, what of it is in view, and the tweet under the cursor.
///
/// Nothing moves under the reader: what comes in above or within the view waits until the reader asks for it.
struct TweetList {
  enum State: Equatable {
    case loading, partial, whole
    case failed(String)
  }

  let id: Int
  let title: String
  let source: ListSource
  /// In the order of the list.
  private(set) var keys: [Int] = []
  /// Of a thread: where each tweet stands in the tree.
  private(set) var branches: [Int: ThreadRow.Branch] = [:]
  /// Tweets in view that were deleted meanwhile. They keep their rows, since nothing may move.
  private(set) var gone: Set<Int> = []
  /// What came later and waits, in no order.
  private(set) var waiting: Set<Int> = []
  private(set) var state = State.loading
  /// The index of the tweet under the cursor.
  private(set) var cursor = 0
  /// The index of the first tweet in view.
  private(set) var top = 0

  init(id: Int, title: String, source: ListSource) {
    (self.id, self.title, self.source) = (id, title, source)
  }

  /// The key under the cursor; `nil` for an empty list.
  var selected: Int? { keys.indices.contains(cursor) ? keys[cursor] : nil }

  /// The keys in view.
  /// - Parameter height: how many tweets fit.
  func inView(_ height: Int) -> ArraySlice<Int> { keys[min(top, keys.count)..<min(top + height, keys.count)] }

  // MARK: What comes from the store

  /// Takes the next keys.
  mutating func append(_ new: [Int], isWhole: Bool) {
    let end = keys.last ?? .max
    keys += new.drop { $0 >= end }
    if isWhole { state = .whole } else if state != .whole { state = .partial }
  }

  /// Takes a thread, and puts the cursor where it was, or at first on the tweet whose thread it is.
  mutating func take(_ rows: [ThreadRow], named: Int?, height: Int) {
    let selected = keys.isEmpty ? named : selected
    keys = rows.map(\.key)
    branches = Dictionary(rows.map { ($0.key, $0.branch) }) { $1 }
    (waiting, gone, state) = ([], [], .whole)
    move(to: selected.map { position(of: $0) } ?? 0, height: height)
  }

  /// Begins anew, with the same tweet under the cursor as far as it comes again.
  mutating func restart() {
    (keys, waiting, gone, state) = ([], [], [], .loading)
  }

  /// Puts the cursor where it was when the list was shown last. What is newer than all that was there then waits.
  mutating func restore(_ place: Place, height: Int) {
    let new = keys.prefix { $0 > place.newest }
    if new.count < keys.count {
      waiting.formUnion(new)
      keys.removeFirst(new.count)
    }
    move(to: position(of: place.cursor), height: height)
  }

  /// Where the reader is in it; `nil` for an empty list.
  var place: Place? {
    guard let selected, let newest = keys.first else { return nil }
    return Place(cursor: selected, newest: newest)
  }

  mutating func fail(_ message: String) { if keys.isEmpty { state = .failed(message) } }

  mutating func load() { if state == .partial { state = .loading } }

  /// Takes tweets that came into the list later.
  /// - Parameter height: how many tweets fit into the view.
  mutating func insert(_ found: [Int], height: Int) {
    let isFirst = keys.isEmpty
    // What is below all that is known moves nothing.
    let end = keys.last ?? .min
    for key in found.sorted() {
      let index = position(of: key)
      if keys.indices.contains(index), keys[index] == key { continue }
      // What is after the last known key comes with the next page.
      if index == keys.count, state != .whole, !keys.isEmpty { continue }
      if case .thread = source {
        waiting.insert(key)
      } else if isFirst || key < end || index > top + height {
        keys.insert(key, at: index)
        waiting.remove(key)
      } else {
        waiting.insert(key)
      }
    }
    if state == .loading, !keys.isEmpty { state = .partial }
  }

  /// Shows what waits, from the first tweet on.
  mutating func showWaiting() {
    (cursor, top) = (0, 0)
    if !gone.isEmpty { keys.removeAll { gone.contains($0) } }
    gone = []
    defer { waiting = [] }
    // A thread is read anew: only the store knows where they stand.
    if case .thread = source { return }
    // Only the keys above the last one that waits can change their places.
    guard let last = waiting.min() else { return }
    let end = position(of: last)
    keys.replaceSubrange(..<end, with: (keys[..<end] + waiting).sorted(by: >))
  }

  /// Takes a tweet out that is no longer there. One in view is only marked.
  mutating func remove(_ key: Int, height: Int) {
    waiting.remove(key)
    let index = position(of: key)
    guard keys.indices.contains(index), keys[index] == key else { return }
    if (top..<top + height).contains(index) {
      gone.insert(key)
      return
    }
    keys.remove(at: index)
    if index < cursor || cursor >= keys.count { cursor = max(cursor - 1, 0) }
    if index < top { top = max(top - 1, 0) }
  }

  /// The index of a key, or where it would stand.
  private func position(of key: Int) -> Int {
    if case .thread = source { return keys.firstIndex(of: key) ?? keys.count }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] > key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Moving

  /// Moves the cursor by a number of tweets, and the view with it.
  mutating func move(by count: Int, height: Int) { move(to: cursor + count, height: height) }

  /// Moves the cursor to an index, and the view so that it is in it.
  mutating func move(to index: Int, height: Int) {
    cursor = min(max(index, 0), max(keys.count - 1, 0))
    if cursor < top { top = cursor }
    if cursor >= top + height { top = cursor - height + 1 }
  }

  /// Moves the cursor to a tweet, if the list has it.
  mutating func move(toKey key: Int, height: Int) {
    let index = position(of: key)
    guard keys.indices.contains(index), keys[index] == key else { return }
    move(to: index, height: height)
  }

  /// Moves the view by pages, and the cursor as far.
  mutating func page(_ count: Int, height: Int) {
    let last = max(keys.count - height, 0)
    let target = top + count * max(height - 1, 1)
    top = min(max(target, 0), last)
    cursor = min(max(cursor + count * max(height - 1, 1), top), max(min(top + height, keys.count) - 1, 0))
    if count < 0, target <= 0 { cursor = 0 }
    if count > 0, target >= last { cursor = max(keys.count - 1, 0) }
  }

  /// Moves the view by tweets, and the cursor only if it would leave it.
  mutating func scroll(_ count: Int, height: Int) {
    top = min(max(top + count, 0), max(keys.count - height, 0))
    cursor = min(max(cursor, top), max(min(top + height, keys.count) - 1, 0))
  }

  /// After the size of the screen has changed.
  mutating func fit(height: Int) { move(to: cursor, height: max(height, 1)) }
}
