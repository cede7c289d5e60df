import TweetCore

/// The servers of a live stream, one of which is asked: another one after failures.
struct JetstreamServers: Sendable {
  struct Server: Sendable, Equatable {
    let base: String
    /// Whether it speaks the second version, as far as is known.
    var isSecond = true
  }

  /// Bluesky's own: two of the second version, and those of the first one, which run on (bsky.network, 2026-08).
  private static let usual = [
    Server(base: "https://jetstream.us-east.bsky.network"), Server(base: "https://jetstream.us-west.bsky.network"),
    Server(base: "https://jetstream2.us-east.bsky.network", isSecond: false),
    Server(base: "https://jetstream2.us-west.bsky.network", isSecond: false),
  ]
  /// Failures after which another one is asked.
  private static let mostFailures = 3

  private var servers: [Server]
  private var index = 0
  private var failures = 0

  /// - Parameters:
  ///   - bases: where they are, if somebody says so.
  ///   - appView: where the AppView is: beside one that is not Bluesky's, the stream is at the same address; `nil`
  ///     where only an
  ///     account's server is known, which has no stream.
  init(_ bases: [String], besides appView: String?) {
    let other = appView == "https://public.api.bsky.app" ? nil : appView
    servers = !bases.isEmpty ? bases.map { Server(base: $0) } : other.map { [Server(base: $0)] } ?? Self.usual
  }

  var current: Server { servers[index] }

  mutating func recordSuccess() { failures = 0 }

  /// - Returns: whether another server is asked from now on.
  mutating func recordFailure() -> Bool {
    failures += 1
    guard failures >= Self.mostFailures, servers.count > 1 else { return false }
    (index, failures) = ((index + 1) % servers.count, 0)
    return true
  }

  /// Turns to a server that a checkpoint names, whose numbers it has.
  mutating func prefer(_ base: String) { index = servers.firstIndex { $0.base == base } ?? index }

  /// The server does not know the second version.
  mutating func recordFirstVersion() { servers[index].isSecond = false }
}
