import Libc
import Synchronization
import TweetCore
import TweetStore

/// A command of the shell that gets the records of a list, and prints those that stay.
enum FilterRun {
  /// More tweets are not given to a command: the newest ones are.
  static let most = 100_000

  enum Outcome {
    /// The keys that stay, the newest first, and whether more tweets were in the list than a command gets.
    case keys([Int], isCut: Bool)
    /// Why there is nothing to show.
    case nothing(String)
  }

  /// Starts it.
  /// - Parameters:
  ///   - database: the path of the store.
  ///   - finish: is called when it has ended.
  static func start(
    _ command: String, of list: ListSource, in database: String, _ jobs: BackgroundJobs,
    finish: @escaping (Outcome) -> Void
  ) throws(ToolError) -> BackgroundCommand {
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    let feed = ListFeed()
    var names: Set<String> = []
    let child: BackgroundCommand
    do throws(ToolError) {
      child = try jobs.start(
        [Tools.Command(words: ["/bin/sh", "-c", command], isOfKit: false)], reading: pipe.reading,
        // A line that is not a record stands for no tweet.
        record: { if let name = $0.name { names.insert(name) } },
        finish: { ending, child in finish(outcome(of: command, feed, names, ending, child.lastWords)) })
    } catch {
      close(pipe.writing)
      throw error
    }
    let failure = feed.start(database, list, to: pipe.writing)
    if failure != 0 {
      jobs.stop(child)
      throw .inputOutput("cannot start a thread: \(describe(errno: failure))")
    }
    return child
  }

  private static func outcome(
    of command: String, _ feed: ListFeed, _ names: Set<String>, _ ending: ChildProcess.Ending, _ lastWords: String?
  ) -> Outcome {
    let read = feed.result
    if let failure = read.failure { return .nothing(failure) }
    let keys = names.compactMap { read.keys[$0] }.sorted(by: >)
    if !keys.isEmpty { return .keys(keys, isCut: read.isCut) }
    // grep(1) ends so when it finds nothing.
    if ending == .exited(0) || ending == .exited(1), lastWords == nil {
      return .nothing("\(command) lets no tweet through")
    }
    return .nothing("\(command): \(lastWords ?? "it ended \(ending)")")
  }
}

/// Writes the records of a list into a pipe, in the list's order, and remembers which tweet has which key. A thread of
/// its own does it, with the store opened once more: whoever reads them may be slow.
private final class ListFeed: Sendable {
  struct State {
    /// The keys of tweets by their names, `service:id`.
    var keys: [String: Int] = [:]
    /// Whether there were more.
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

  var result: State { state.withLock { $0 } }

  private func write(_ path: String, _ source: ListSource, to descriptor: Int32) throws(ToolError) {
    let store = try TweetStore(path, .readOnly)
    var keys: [Int]
    switch source {
    case .query(var query):
      query.limit = FilterRun.most + 1
      keys = try store.keys(query).map(\.key)
    case .thread(let name): keys = try store.keys(inThreadOf: name)
    case .keys(let known): keys = known
    // The screen does not ask for these.
    case .notifications: return
    }
    if keys.count > FilterRun.most {
      keys = Array(keys.prefix(FilterRun.most))
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

  /// The record as a line, as other programs read it.
  var line: [UInt8] { read { Array($0.raw) + [UInt8(ascii: "\n")] } }
}
