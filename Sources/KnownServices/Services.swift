import BlueskyNames
import MastodonNames
package import TweetCore
package import TweetSources
import XNames

/// The services that the tools know by name. Plugins bring posts of others.
package enum Services {
  /// The first is the one that is meant where nobody names one. A program that brings services of its own adds them before it
  /// starts a tool, when there is no other thread.
  nonisolated(unsafe) package static var all: [any ServiceKind] = [
    XService(), LocalService(), MastodonService.any,
    BlueskyService(),
  ]

  package static var usual: any ServiceKind { all[0] }

  /// - Returns: `nil` for a name that is none of a service.
  package static func named(_ name: String) -> (any ServiceKind)? {
    // The store asks for each tweet.
    for service in all { if let found = service.named(name) { return found } }
    return nil
  }

  /// The service that says how the sources of that name are read: the usual one for `nil`, and for a service that only
  /// plugins know.
  package static func reading(_ name: String?) -> any ServiceKind { name.flatMap { named($0) } ?? usual }

  /// Reads a SOURCE: one of a service, `SERVICE:SOURCE` for one of another, or the address of a page of either.
  package static func source(_ text: String, of usual: any ServiceKind) throws(ToolError) -> Source {
    if let (service, rest) = all.lazy.compactMap({ $0.qualified(text) }).first {
      let own = try Source(rest, of: service)
      if case .plugin = own {
        throw .usage("'\(text)' is not a source: of \(service.name) those are \(service.sourceForms)")
      }
      return service.name == usual.name ? own : .service(service.name, own)
    }
    if text.contains("://"), try usual.source(text) == nil {
      for kind in all {
        guard let service = kind.service(at: text), service.name != usual.name else { continue }
        if let id = service.post(at: text, base: nil) { return .service(service.name, .post(id.description)) }
        if let own = try service.source(text) { return .service(service.name, own) }
      }
    }
    return try Source(text, of: usual)
  }

  /// The names, for messages: `x, local`.
  package static var names: String { all.map(\.name).joined(separator: ", ") }
}
