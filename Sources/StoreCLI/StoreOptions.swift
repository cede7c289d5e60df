package import ArgumentParser
import TweetCLI
package import TweetCore
package import TweetStore

/// The option that names the store.
package struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).", valueName: "file"),
    completion: .file())
  package var db: String?

  package init() {}

  /// The store's path.
  package var path: String {
    get throws(ToolError) {
      if let db { return db }
      return try Settings.load().tweetStore
    }
  }

  /// Opens the store for reading.
  /// - Parameters:
  ///   - showsIncoming: as for `TweetStore`.
  ///   - looksAtLog: as for `TweetStore`.
  /// - Throws: `ToolError.noInput` that says how to begin, if there is no store yet.
  package func open(showsIncoming: Bool = true, looksAtLog: Bool = true) throws(ToolError) -> TweetStore {
    let path = try path
    do throws(ToolError) {
      return try TweetStore(path, .readOnly, showsIncoming: showsIncoming, looksAtLog: looksAtLog)
    } catch .noInput(let message) where !TweetStore.exists(path) {
      throw .noInput("\(message); 'tw-cache refresh SOURCE' or 'tw-parse FILE | tw-cache add' makes a store")
    }
  }

  /// Opens the store for changes of what is in it: a missing one is not created.
  package func openForChanges() throws(ToolError) -> TweetStore {
    // It says what is wrong with a file that cannot be used.
    _ = try open(showsIncoming: false)
    return try TweetStore(try path, .readWrite)
  }

  /// Says whom a user name means, if it is or was that of several people.
  package static func noteSeveral(
    _ name: String, service: String?, in store: borrowing TweetStore
  ) throws(ToolError) {
    let people = try store.people(named: name, service: service)
    guard people.count > 1 else { return }
    let list = people.map(\.text).joined(separator: ", ")
    Diagnostics.note("'\(name)' names \(people.count) people: \(list); service:id names one")
  }

  /// Says how tweets come into a store that has none.
  package static func noteIfEmpty(_ store: borrowing TweetStore) throws(ToolError) {
    guard try store.hasNoTweets else { return }
    Diagnostics.note(
      "'\(store.path)' has no tweets: 'tw-cache refresh SOURCE' or 'tw-parse FILE | tw-cache add' stores some")
  }
}

/// Parses the value of an option that takes a number.
package enum CountOption {
  /// A number of 0 or more.
  package static func parseFromZero(_ text: String) throws -> Int {
    guard let number = Int(text), number >= 0 else { throw ValidationError("'\(text)' is not a number of 0 or more") }
    return number
  }

  /// A number above 0.
  package static func parse(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw ValidationError("'\(text)' is not a number above 0") }
    return number
  }
}
