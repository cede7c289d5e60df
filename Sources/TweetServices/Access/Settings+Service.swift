package import TweetCore

extension Settings {
  /// A variable that belongs to one service: `TW_ENDPOINT_BLUESKY`, `TW_STREAM_MASTODON_EXAMPLE_ORG`.
  /// - Parameters:
  ///   - prefix: what its name begins with, to the last underscore.
  ///   - service: the name of the service.
  package func variable(_ prefix: String, of service: String) -> String? {
    let suffix = service.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return variable(prefix + String(suffix))
  }
}
