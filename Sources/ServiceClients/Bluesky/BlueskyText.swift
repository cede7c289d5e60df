/// The text of a post as Bluesky gets it. A post that would be too long shows its links short, as Bluesky's own
/// client does: the host, and the beginning of the path. The facets have the whole addresses.
struct BlueskyText {
  /// The lexicon app.bsky.feed.post: characters of a text, and bytes that each may have on average.
  static let (longest, bytesOfCharacter) = (300, 10)
  /// What Bluesky's own client shows of a path that is longer than the second number (`toShortUrl` in its sources).
  private static let (shownPath, longestPath) = (13, 15)

  let text: String
  let facets: [BlueskyFacets.Found]

  init(_ whole: String) {
    let found = BlueskyFacets(whole).found
    guard Self.length(whole) > Self.longest else {
      (text, facets) = (whole, found)
      return
    }
    let bytes = Array(whole.utf8)
    var (shown, facets, copied): ([UInt8], [BlueskyFacets.Found], Int) = ([], [], 0)
    for facet in found {
      shown += bytes[copied..<facet.bytes.lowerBound]
      let start = shown.count
      if case .link(let address) = facet.feature {
        shown += Self.short(address).utf8
      } else {
        shown += bytes[facet.bytes]
      }
      facets.append(.init(bytes: start..<shown.count, feature: facet.feature))
      copied = facet.bytes.upperBound
    }
    (text, self.facets) = (String(decoding: shown + bytes[copied...], as: UTF8.self), facets)
  }

  /// Characters as people see them; those of more than ten bytes on average count by their bytes, of which a post has
  /// 3000.
  static func length(_ text: String) -> Int {
    max(text.count, (text.utf8.count + bytesOfCharacter - 1) / bytesOfCharacter)
  }

  private static func short(_ address: String) -> String {
    guard let scheme = address.firstRange(of: "://") else { return address }
    let rest = address[scheme.upperBound...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let path = rest[host.endIndex...]
    if path == "/" { return String(host) }
    return String(host) + (path.count > longestPath ? path.prefix(shownPath) + "..." : path)
  }
}
