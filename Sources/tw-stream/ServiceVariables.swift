import TweetCore
import TweetServices

/// The variables and settings of one service. `TW_ENDPOINT_NAME` and `TW_STREAM_NAME` are its own; what names no
/// service is for the run's own service alone.
struct ServiceVariables: Sendable {
  private let settings: Settings
  let service: String
  private let isUsual: Bool

  /// - Parameter isUsual: whether sources that name no service are of this one.
  init(_ settings: Settings, of service: String, isUsual: Bool) {
    (self.settings, self.service, self.isUsual) = (settings, service, isUsual)
  }

  private func own(_ prefix: String) -> String? { settings.variable(prefix, of: service) }

  func variable(_ name: String) -> String? {
    switch name {
    case "TW_SERVICE": service
    case "TW_ENDPOINT": own("TW_ENDPOINT_") ?? (isUsual ? settings.variable(name) : nil)
    case "TW_TOKEN", "TW_TOKEN_FILE", "TW_ACCOUNT": isUsual ? settings.variable(name) : nil
    default: settings.variable(name)
    }
  }

  /// Where its live stream is, if that is said: addresses with blanks between them.
  var streamServers: [String] { own("TW_STREAM_").map { $0.split(separator: " ").map(String.init) } ?? [] }
}
