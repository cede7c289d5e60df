import ArgumentParser
import TweetCLI
import TweetCore

/// Which store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The store (default: $TW_DB, else tw/tw.db below $XDG_DATA_HOME or ~/.local/share).", valueName: "file"),
    completion: .file())
  var db: String?

  var path: String {
    get throws(ToolError) {
      if let db { return db }
      return try Settings.load().tweetStore
    }
  }
}

/// A number above 0.
enum CountOption {
  static func parse(_ text: String) throws -> Int {
    guard let number = Int(text), number > 0 else { throw ValidationError("'\(text)' is no number above 0") }
    return number
  }
}

/// A moment: so long ago, or a date and time, or a date (its beginning in UTC).
enum TimeOption {
  static func parse(_ text: String) throws -> Timestamp {
    if let moment = Timestamp(parsing: text) ?? Timestamp(parsing: text + "T00:00:00Z"), text.contains("-") {
      return moment
    }
    guard let ago = try? DurationOption.parse(text) else {
      throw ValidationError("'\(text)' is no time (2h, 7d, 2021-11-03, 2021-11-03T21:30:00Z)")
    }
    return Timestamp(milliseconds: Timestamp.shown.milliseconds - Int64(ago))
  }
}
