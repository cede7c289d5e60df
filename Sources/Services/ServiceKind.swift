package import TweetCore

/// A service as it is known without a network. What it says to its servers is the `ServiceAPI` of TweetServices.
package protocol ServiceKind: Sendable {
  /// As records, settings and accounts name it: `x`.
  var name: String { get }
  /// The URL of its API, without a slash at the end; `nil` if it has one of its own on each machine.
  var usualBase: String? { get }
  /// Where a person finds that URL, as the end of a message: `which 'tw-local' prints as TW_ENDPOINT`.
  var addressAdvice: String { get }
  /// What it bills; `nil` for a service that bills nothing.
  var prices: PriceTable? { get }
  /// The service of that name; `nil` if it is not this one, nor one of its kind.
  func named(_ name: String) -> (any ServiceKind)?

  /// Reads `SERVICE:SOURCE`: the service, and the SOURCE at it; `nil` if it is none of this kind.
  func qualified(_ text: String) -> (service: any ServiceKind, source: String)?
  /// The service whose page an address may be; `nil` if it is none of this kind.
  func service(at address: String) -> (any ServiceKind)?

  /// How its SOURCEs are written, for messages: `'#tag', 'home'`.
  var sourceForms: String { get }
  /// Reads a SOURCE that is neither empty nor `ids:FILE`.
  ///
  /// - Returns: `nil` for what is none of its own: an address, or the `NAME:REST` of a plugin.
  /// - Throws: `ToolError.usage` with what is wrong and what would be right.
  func source(_ text: String) throws(ToolError) -> Source?
  /// The source that a word is probably meant as which is refused, because it may be mistyped; `nil` for another text.
  func nearSource(_ text: String) -> String?
  /// A feed's name for comparing: the same for all spellings of one source.
  func folded(_ feed: String) -> String
  func liveness(of source: Source) -> Liveness

  /// Reads the id of a post, as people and records write it; `nil` for a text that is none of this service.
  func postID(_ text: Substring) -> PostID?
  /// Reads the address of a post's page for people.
  ///
  /// - Parameter base: the URL of the service's API; `nil` where none is chosen.
  /// - Returns: `nil` for an address that is none of its pages of posts.
  func post(at address: String, base: String?) -> PostID?
  /// The address of a post's page for people; `nil` where an id alone does not tell it.
  func page(ofPost id: String) -> String?
  /// When the post with that number as its id was made; `nil` if ids do not tell.
  func time(ofPost number: Int) -> Timestamp?
  /// Reads the name of a user, with or without an `@`; `nil` for a text that cannot be one.
  func userName(_ text: Substring) -> String?
}

/// How a source is read.
package enum Liveness: Sendable {
  /// Page by page, again and again.
  case polled
  /// By a live stream; with `--once` page by page.
  case live
  /// By a live stream alone.
  case onlyLive
}

extension ServiceKind {
  /// Reads what names a post: its id, `service:id`, or the address of its page. `nil` for a text that names none.
  package func post(named text: String) -> String? {
    let id = text.hasPrefix(name + ":") ? text.dropFirst(name.utf8.count + 1) : text[...]
    return postID(id)?.description ?? post(at: text, base: nil)?.description
  }

  package func named(_ name: String) -> (any ServiceKind)? { name == self.name ? self : nil }
  package func qualified(_ text: String) -> (service: any ServiceKind, source: String)? {
    text.hasPrefix(name + ":") ? (self, String(text.dropFirst(name.count + 1))) : nil
  }
  package func service(at address: String) -> (any ServiceKind)? { self }
  package var addressAdvice: String { "such as https://example.com" }
  package func nearSource(_ text: String) -> String? { nil }
  /// Hashtags and user names have no case.
  package func folded(_ feed: String) -> String {
    feed.hasPrefix("#") || feed.hasPrefix("user:") ? feed.lowercased() : feed
  }
  package func liveness(of source: Source) -> Liveness { .polled }
  package func time(ofPost number: Int) -> Timestamp? { nil }
  package func page(ofPost id: String) -> String? { nil }
}
