import TweetSources

/// The name that a person gives a tweet: an id, a URL or `service:id`.
struct TweetName {
  /// What the name may mean, the likeliest first; a service of `nil` is any service.
  let candidates: [(service: String?, id: String)]
  /// The page that the first candidate is of, if the name is an address.
  private let address: PostPage?

  init(_ name: String) {
    var candidates: [(service: String?, id: String)] = []
    address = name.contains("://") ? PostPage(name) : nil
    if let address { candidates.append((address.isOfX ? "x" : nil, address.id)) }
    candidates.append((nil, name))
    // Both services and ids can contain colons (`mastodon:HOST`, `at://…`).
    for colon in name.indices where name[colon] == ":" {
      candidates.append((String(name[..<colon]), String(name[name.index(after: colon)...])))
    }
    self.candidates = candidates
  }

  /// The host that a service's name must fit, for a candidate from an address that is not on X: there the same number is
  /// another post.
  func host(of candidate: (service: String?, id: String)) -> String? {
    guard let address, !address.isOfX, candidate.service == nil, candidate.id == address.id else { return nil }
    return address.host
  }
}
