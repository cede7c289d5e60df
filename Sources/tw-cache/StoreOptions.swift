import ArgumentParser
import TweetCLI
import TweetCore

/// The option that names the store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store to use (default: $TW_DB, else tw/tw.db in $XDG_DATA_HOME or ~/.local/share).", valueName: "file"),
    completion: .file())
  var db: String?

  var path: String {
    get throws(ToolError) {
      if let db { return db }
      return try Settings.load().tweetStore
    }
  }
}

/// Parses the value of an option that takes a number above 0.
enum CountOption {
  static func parse(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw ValidationError("'\(text)' is no number above 0") }
    return number
  }
}
