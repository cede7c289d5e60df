import TweetCore

// Fuzz targets for parsers of bytes that come from outside. Tests/Fuzz/run gives them to libFuzzer (Driver.swift);
// CorpusTests tries the inputs of the corpus in each run of the tests.

/// A parser, and what must hold for any input. No input may crash or hang it, or reach memory that is not its own:
/// libFuzzer and AddressSanitizer watch that.
struct FuzzTarget: Sendable {
  let name: String
  /// Whether half of the mutations change whole JSON values: bytes changed at random seldom leave JSON behind.
  var isJSON = false
  /// Gets an input; says by ``require(_:_:)`` what does not hold.
  let check: @Sendable (_ input: [UInt8]) -> Void

  static let all: [FuzzTarget] = [
    .records, .html, .titles, .entities, .display, .times, .framing, .answers, .addresses, .pictures, .settings,
    .websocket, .states, .stored, .databases, .requests, .queries, .repositories, .terminals, .decodings, .packed,
    .metadata, .events,
  ]
}
