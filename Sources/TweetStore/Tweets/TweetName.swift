import Services

/// The name that a person gives a tweet: an id, a URL or `service:id`.
struct TweetName {
  /// What the name may mean, the likeliest first; a service of `nil` is any service.
  let candidates: [(service: String?, id: String)]
  /// The page that the first candidate is of, if the name is an address that no known service has.
  private let address: PostPage?
  /// The post of a page of Bluesky: its author by handle or by DID, and its key among the author's.
  let blueskyPost: (author: String, key: String)?

  init(_ name: String) {
    var candidates: [(service: String?, id: String)] = []
    let page = name.hasPrefix("at:") ? nil : RecordAddress(name)
    blueskyPost = page.flatMap { $0.collection == RecordAddress.post ? ($0.authority, $0.key) : nil }
    if let blueskyPost { candidates.append(("bluesky", Self.blueskyID(blueskyPost.author, blueskyPost.key))) }
    let known = Services.all.lazy.compactMap { service in
      service.post(at: name, base: nil).map { (service: service.name, id: $0.description) }
    }.first
    address = known == nil && name.contains("://") ? PostPage(name) : nil
    if let known { candidates.append(known) }
    if let address { candidates.append((nil, address.id)) }
    candidates.append((nil, name))
    // Both services and ids can contain colons (`mastodon:HOST`, `at://…`).
    for colon in name.indices where name[colon] == ":" {
      candidates.append((String(name[..<colon]), String(name[name.index(after: colon)...])))
    }
    self.candidates = candidates
  }

  /// The id of a post on Bluesky: an at-uri, which has the author's DID in it.
  static func blueskyID(_ did: String, _ key: String) -> String {
    RecordAddress(authority: did, collection: RecordAddress.post, key: key).text
  }

  /// The host that a service's name must fit, for a candidate from such an address: elsewhere the same number is
  /// another post.
  func host(of candidate: (service: String?, id: String)) -> String? {
    guard let address, candidate.service == nil, candidate.id == address.id else { return nil }
    return address.host
  }
}
