package import TweetServices

/// The services that the tools can send requests to.
package enum ServiceAPIs {
  /// One for each of `Services.all`; a program that adds services there adds their APIs here.
  nonisolated(unsafe) package static var all: [any ServiceAPI] = [
    XAPI.x, XAPI.local, MastodonAPI.any,
    BlueskyAPI(),
  ]

  /// - Returns: `nil` for a name that is none of a service.
  package static func named(_ name: String) -> (any ServiceAPI)? { all.lazy.compactMap { $0.named(name) }.first }
}
