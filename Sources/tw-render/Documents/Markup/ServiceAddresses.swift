import TweetCore
import TweetDisplay

/// Addresses that records do not have, but that follow from a tweet's service and its own address: those of profiles,
/// of hashtags, and of the tweets in it.
struct ServiceAddresses: ~Copyable {
  private enum Site {
    /// X, and services with the same paths: `BASE/NAME/status/ID`.
    case x
    /// <https://bsky.app>, by handles or DIDs.
    case bluesky
    case mastodon
    case unknown
  }

  private var site = Site.unknown
  /// `https://x.com`.
  private var base = ByteBuffer(capacity: 64)
  private var raw = ByteBuffer(capacity: 128)

  /// Takes the service of a tweet.
  mutating func set(_ tweet: TweetFields, _ decoder: inout StringDecoder) {
    base.removeAll()
    site = .unknown
    let service = tweet.service?.rawString ?? ByteView.empty
    if service.starts(with: "mastodon:".utf8) {
      site = .mastodon
      base.append("https://")
      base.append(ByteView(rebasing: service.dropFirst(9)))
    } else if service.elementsEqual("bluesky".utf8) {
      site = .bluesky
      base.append("https://bsky.app")
    } else {
      let url = decoder.decode(tweet.url)
      if let post = ShownAddress.post(url) {
        site = .x
        // `/NAME/status/` stands before the id.
        let path = url[..<(post.id.lowerBound - 8)]
        base.append(ByteView(rebasing: url[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
      } else if service.elementsEqual("x".utf8) {
        site = .x
        base.append("https://x.com")
      }
    }
  }

  /// Appends the address of a profile.
  /// - Parameter name: the user name as text, without `@`.
  /// - Returns: whether there is one; if not, nothing was appended.
  mutating func appendProfile(_ name: ByteView, to output: inout ByteBuffer) -> Bool {
    guard !name.isEmpty, start() else { return false }
    switch site {
    case .x: raw.append("/")
    case .bluesky: raw.append("/profile/")
    case .mastodon:
      // `jack@other.example` has a profile on the other server.
      if let at = name.lastIndex(of: UInt8(ascii: "@")), at > 0 {
        raw.removeAll()
        raw.append("https://")
        raw.append(ByteView(rebasing: name[(at + 1)...]))
        raw.append("/@")
        append(name: ByteView(rebasing: name[..<at]))
        return finish(&output)
      }
      raw.append("/@")
    case .unknown: return false
    }
    append(name: name)
    return finish(&output)
  }

  /// Appends the address of a hashtag's posts, or of a search for a cashtag.
  /// - Parameters:
  ///   - tag: without its sign.
  ///   - isCash: whether the sign is `$`.
  mutating func appendTag(
    _ tag: ByteView, isCash: Bool, to output: inout ByteBuffer
  ) -> Bool {
    guard !tag.isEmpty, start() else { return false }
    if isCash {
      raw.append("/search?q=%24")
    } else {
      raw.append(site == .mastodon ? "/tags/" : "/hashtag/")
    }
    append(name: tag)
    return finish(&output)
  }

  /// Appends the address of a tweet of the same service.
  /// - Parameters:
  ///   - id: as text.
  ///   - username: the author's; some services find the tweet without it.
  mutating func appendTweet(
    _ id: ByteView, by username: ByteView, to output: inout ByteBuffer
  ) -> Bool {
    guard !id.isEmpty, start() else { return false }
    switch site {
    case .x:
      raw.append("/")
      if username.isEmpty { raw.append("i") } else { append(name: username) }
      raw.append("/status/")
      append(name: id)
    case .bluesky:
      // at://DID/app.bsky.feed.post/KEY
      let parts = id.split(separator: UInt8(ascii: "/"))
      guard parts.count == 4, parts[0].elementsEqual("at:".utf8) else { return false }
      raw.append("/profile/")
      append(name: ByteView(rebasing: parts[1]))
      raw.append("/post/")
      append(name: ByteView(rebasing: parts[3]))
    case .mastodon:
      guard !username.isEmpty else { return false }
      raw.append("/@")
      append(name: username)
      raw.append("/")
      append(name: id)
    case .unknown: return false
    }
    return finish(&output)
  }

  private mutating func start() -> Bool {
    raw.removeAll()
    raw.append(base.withBytes { $0 })
    return raw.count > 0
  }

  /// Appends a name as one part of a path.
  private mutating func append(name: ByteView) {
    for byte in name.prefix(512) {
      let isPlain = byte.isASCIILetterOrDigit || "-._~:@".utf8.contains(byte)
      if isPlain { raw.append(byte) } else { raw.append(percentEncoded: byte) }
    }
  }

  private mutating func finish(_ output: inout ByteBuffer) -> Bool {
    raw.withBytes { SafeAddress.append($0, to: &output) }
  }
}
