import Libc
import Synchronization
import TweetCore
import TweetStore

/// Writes the records of a list into a pipe, in the list's order, and remembers which tweet has which key. A thread of
/// its own does it, with the store opened once more: whoever reads them may be slow.
final class ListFeed: Sendable {
  /// More tweets are not given to a command: the newest ones are.
  static let most = 100_000

  private struct State {
    var keys: [String: Int] = [:]
    var isCut = false
    var failure: String?
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: of the store.
  ///   - descriptor: it is closed when all is written, or nobody reads any more.
  /// - Returns: 0, or the error number of the thread that was not started.
  func start(_ path: String, _ source: ListSource, to descriptor: Int32) -> Int32 {
    let failure = startThread { [self] in
      defer { close(descriptor) }
      do throws(ToolError) { try write(path, source, to: descriptor) } catch {
        state.withLock { $0.failure = error.message }
      }
    }
    if failure != 0 { close(descriptor) }
    return failure
  }

  /// The keys of tweets by their names, `service:id`, whether there were more, and what went wrong.
  var result: (keys: [String: Int], isCut: Bool, failure: String?) {
    state.withLock { ($0.keys, $0.isCut, $0.failure) }
  }

  private func write(_ path: String, _ source: ListSource, to descriptor: Int32) throws(ToolError) {
    let store = try TweetStore(path, .readOnly)
    var keys: [Int]
    switch source {
    case .query(var query):
      query.limit = Self.most + 1
      keys = try store.keys(query).map(\.key)
    case .thread(let name): keys = try store.keys(inThreadOf: name)
    case .keys(let known): keys = known
    // The screen does not ask for these.
    case .notifications: return
    }
    if keys.count > Self.most {
      keys = Array(keys.prefix(Self.most))
      state.withLock { $0.isCut = true }
    }
    guard var pages = try store.pages(.everything) else { return }
    for key in keys {
      var record: [UInt8] = []
      try pages.read(key: key) { (bytes) throws(ToolError) in record = Array(bytes) }
      guard !record.isEmpty, let name = try? JSONDocument(record).name else { continue }
      state.withLock { $0.keys[name] = key }
      // Whoever reads has seen enough.
      if writeAll(record + [UInt8(ascii: "\n")], to: descriptor) != 0 { return }
    }
  }
}

extension JSONDocument {
  /// `service:id` of a record of a tweet; `nil` for another one.
  var name: String? {
    guard let service = self["service"]?.string, let id = self["id"]?.string else { return nil }
    return "\(service):\(id)"
  }
}
