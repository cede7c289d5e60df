import ArgumentParser
import TweetCore

/// A capture in place of sources, and how fast it is played back.
struct ReplayOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Print the lines of a capture at the speed at which they came; '-' is standard input.", valueName: "file"),
    completion: .file())
  var replay: String?

  @Option(
    help: ArgumentHelp("Replay this many times as fast, such as 10x; with 'max' without pauses.", valueName: "factor"),
    transform: Self.factor)
  var speed: Double?

  func validate() throws {
    if speed != nil, replay == nil { throw ValidationError("--speed needs --replay") }
  }

  private static func factor(_ text: String) throws -> Double {
    if text == "max" { return .infinity }
    let digits = text.hasSuffix("x") ? text.dropLast() : text[...]
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), let factor = Double(digits), factor > 0,
      factor.isFinite
    else { throw ValidationError("'\(text)' is not a speed (10x, 0.5x, max)") }
    return factor
  }

  /// The feed that plays the capture; `nil` when none is asked for.
  ///
  /// - Parameter sources: those of the command line; there may be none beside a capture.
  func feed(_ sources: [String]) throws(ToolError) -> ReplayFeed? {
    guard let replay else { return nil }
    if !sources.isEmpty { throw .usage("--replay takes no source: the capture says where its lines are from") }
    return try ReplayFeed(replay, speed: speed ?? 1)
  }
}
