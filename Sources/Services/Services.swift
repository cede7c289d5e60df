package import TweetCore

/// The services that the tools know by name. Plugins bring posts of others.
package enum Services {
  /// The first is the one that is meant where nobody names one. A program that brings services of its own adds them
  /// before it starts a tool, when there is no other thread.
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
    if let other = try otherPost(text, usual) { return other }
    if text.contains("://"), try usual.source(text) == nil {
      for kind in all {
        guard let service = kind.service(at: text), service.name != usual.name else { continue }
        if let id = service.post(at: text, base: nil) { return .service(service.name, .post(id.description)) }
        if let own = try service.source(text) { return .service(service.name, own) }
      }
    }
    return try Source(text, of: usual)
  }

  /// Reads `conversation:TWEET` and `post:TWEET` where the tweet is one of another service than the usual one:
  /// `SERVICE:ID`, or the address of its page.
  private static func otherPost(_ text: String, _ usual: any ServiceKind) throws(ToolError) -> Source? {
    for kind in ["conversation:", "post:"] where text.hasPrefix(kind) {
      let name = String(text.dropFirst(kind.utf8.count))
      if usual.post(named: name) != nil { return nil }
      if let (service, id) = all.lazy.compactMap({ $0.qualified(name) }).first, service.name != usual.name,
        service.post(named: id) != nil
      {
        return .service(service.name, try Source(kind + id, of: service))
      }
      guard name.contains("://") else { return nil }
      for known in all {
        guard let service = known.service(at: name), service.name != usual.name,
          let id = service.post(at: name, base: nil)
        else { continue }
        return .service(service.name, try Source(kind + id.description, of: service))
      }
    }
    return nil
  }

  /// The names, for messages: `x, local`.
  package static var names: String { all.map(\.name).joined(separator: ", ") }
}
