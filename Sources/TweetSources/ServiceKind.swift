/// A service as it is known without a network. What it says to its servers is the `ServiceAPI` of TweetServices.
package protocol ServiceKind: Sendable {
  /// As records, settings and accounts name it: `x`.
  var name: String { get }
  /// The URL of its API, without a slash at the end; `nil` if it has one of its own on each machine.
  var usualBase: String? { get }
  /// What it bills; `nil` for a service that bills nothing.
  var prices: PriceTable? { get }
  /// Reads the id of a post, as people and records write it; `nil` for a text that is none of this service.
  func postID(_ text: Substring) -> PostID?
  /// The service of that name; `nil` if it is not this one, nor one of its kind.
  func named(_ name: String) -> (any ServiceKind)?
}

extension ServiceKind {
  package func named(_ name: String) -> (any ServiceKind)? { name == self.name ? self : nil }
}
