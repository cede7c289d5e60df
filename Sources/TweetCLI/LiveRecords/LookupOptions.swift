package import ArgumentParser
import Libc
package import TweetCore

/// The options of the filters that make requests to addresses that strangers chose.
package struct LookupOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Make at most this many requests at the same time (default: 32).", valueName: "n"),
    transform: LookupOptions.positive)
  package var jobs = 32

  @Option(
    help: ArgumentHelp(
      "Wait this long between the starts of two requests to one host (default: none).", valueName: "duration"),
    transform: DurationOption.parseOrZero)
  package var hostInterval = 0

  @Option(
    help: ArgumentHelp(
      "Try again this many times after a failure that may pass, or a refusal (default: 2).", valueName: "n"),
    transform: LookupOptions.retryCount)
  package var retries = 2

  @Flag(help: "At the end, print a table of the hosts on standard error: requests, refusals, times.")
  package var hostStats = false

  @Option(
    help: ArgumentHelp("The longest time for one look-up, redirects included (default: 10s).", valueName: "duration"),
    transform: DurationOption.parse)
  package var timeout = 10_000

  @Option(
    help: ArgumentHelp(
      "How long a record waits for its look-ups; after that it is printed as it is, and again when they are complete "
        + "(default: 500ms while more input may come, else no limit).",
      valueName: "duration"), transform: DurationOption.parseOrZero)
  package var patience: Int?

  @Option(
    help: ArgumentHelp("The store of tweets; pictures and links are in media.db beside it.", valueName: "file"),
    completion: .file())
  package var db: String?

  @Flag(help: "Also send requests to addresses that are not on the public internet.")
  package var allowPrivate = false

  @Option(help: ArgumentHelp("Use this proxy; proxies of the environment are not used.", valueName: "url"))
  package var proxy: String?

  @Option(
    name: [.customLong("ca-file"), .customLong("cacert")],
    help: ArgumentHelp("Trust the certificate authorities in this file (PEM), not the system's.", valueName: "file"),
    completion: .file())
  package var cacert: String?

  package init() {}

  /// The path of the store of tweets.
  package var tweetStorePath: String {
    get throws(ToolError) {
      if let db { return db }
      return try Settings.load().tweetStore
    }
  }

  /// The path of the store of pictures and links.
  package var mediaStorePath: String { get throws(ToolError) { Paths.mediaStore(besides: try tweetStorePath) } }

  /// The file of certificate authorities, from the option, `TW_CA_FILE` or the settings.
  /// - Throws: ``ToolError/noInput(_:)`` when it cannot be read: otherwise every https request would fail, with a
  ///   message that does not name it.
  package func authorities() throws(ToolError) -> String? {
    let setting = try Settings.load().value(.caFile)
    guard let path = cacert ?? setting else { return nil }
    guard access(path, R_OK) == 0 else { throw .noInput("cannot open '\(path)'", errno) }
    return path
  }

  private static func retryCount(_ text: String) throws -> Int { try number(text, in: 0...10) }

  /// A number from 1 to 1000, for how many requests run at once.
  package static func positive(_ text: String) throws -> Int { try number(text, in: 1...1000) }
}

/// The value of an option that takes a number of a range.
package func number(_ text: String, in range: ClosedRange<Int>) throws -> Int {
  if let number = Int(text), range.contains(number) { return number }
  throw ValidationError("'\(text)' is not a number from \(range.lowerBound) to \(range.upperBound)")
}
