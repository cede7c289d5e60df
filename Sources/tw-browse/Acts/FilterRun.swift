import Libc
import TweetCore

/// A command of the shell that gets the records of a list, and prints those that stay.
final class FilterRun {
  /// The list.
  let list: Int
  let command: String
  private let feed = ListFeed()
  private let child: BackgroundCommand
  private var names: Set<String> = []

  /// - Parameter database: the path of the store.
  init(_ command: String, of list: TweetList, in database: String) throws(ToolError) {
    (self.command, self.list) = (command, list.id)
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    let shell = Tools.Command(words: ["/bin/sh", "-c", command], isOfKit: false)
    do throws(ToolError) {
      child = try BackgroundCommand([shell], reading: pipe.reading, readsOutput: true)
    } catch {
      close(pipe.writing)
      throw error
    }
    let failure = feed.start(database, list.source, to: pipe.writing)
    if failure != 0 { throw .inputOutput("cannot start a thread: \(describe(errno: failure))") }
  }

  /// For poll(2).
  var process: BackgroundCommand { child }

  enum Outcome {
    /// The keys that stay, the newest first, and whether more tweets were in the list than a command gets.
    case keys([Int], isCut: Bool)
    /// Why there is nothing to show.
    case nothing(String)
  }

  /// Reads what was printed; `nil` while it goes on.
  func read() -> Outcome? {
    let ending = child.read()
    // A line that is not a record stands for no tweet.
    for line in child.takeLines() { if let name = try? JSONDocument(line).name { names.insert(name) } }
    guard let ending else { return nil }
    let (known, isCut, failure) = feed.result
    if let failure { return .nothing(failure) }
    let keys = names.compactMap { known[$0] }.sorted(by: >)
    if !keys.isEmpty { return .keys(keys, isCut: isCut) }
    // grep(1) ends so when it finds nothing.
    if ending == .exited(0) || ending == .exited(1), child.lastWords == nil {
      return .nothing("\(command) lets no tweet through")
    }
    return .nothing("\(command): \(child.lastWords ?? "it ended \(ending)")")
  }

  func stop() { child.stop() }
}
