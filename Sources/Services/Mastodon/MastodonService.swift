package import TweetCore

/// A server with Mastodon's API: Mastodon itself, or another that speaks it. Each is a service of its own,
/// `mastodon:HOST`, since each has its own ids for the posts of all.
package struct MastodonService: ServiceKind {
  /// In lower case, with the port if it is not the usual one.
  package let host: String

  /// All servers, for messages; no address and no name is of it.
  package static let any = MastodonService(host: "HOST")

  private init(host: String) { self.host = host }

  /// The service of a name `mastodon:HOST`; `nil` for another name.
  package init?(named name: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    let host = name.dropFirst(Self.prefix.utf8.count).lowercased()
    guard Self.isHost(host[...]) else { return nil }
    self.init(host: host)
  }

  private static let prefix = "mastodon:"

  package var name: String { Self.prefix + host }
  package var prices: PriceTable? { nil }
  package func named(_ name: String) -> (any ServiceKind)? { MastodonService(named: name) }

  /// `mastodon:#swift@HOST`, `mastodon:@alice@HOST`, `mastodon:public@HOST`, or with the name first,
  /// `mastodon:HOST:public`.
  package func qualified(_ text: String) -> (service: any ServiceKind, source: String)? {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let rest = text.dropFirst(Self.prefix.count)
    if let at = rest.lastIndex(of: "@"), at != rest.startIndex,
      let server = MastodonService(named: Self.prefix + rest[rest.index(after: at)...])
    {
      return (server, String(rest[..<at]))
    }
    // The host may have a port.
    for colon in rest.indices.reversed() where rest[colon] == ":" {
      guard let server = MastodonService(named: Self.prefix + rest[..<colon]) else { continue }
      return (server, String(rest[rest.index(after: colon)...]))
    }
    return nil
  }

  package func service(at address: String) -> (any ServiceKind)? {
    guard let page = MastodonAddress(address) else { return nil }
    return MastodonService(named: Self.prefix + page.host)
  }

  /// A server on this machine, such as one that is being developed, has no certificate.
  package var usualBase: String? {
    let name = host.prefix { $0 != ":" }
    return (name == "localhost" || name.hasPrefix("127.") ? "http://" : "https://") + host
  }

  package var sourceForms: String { MastodonSources.forms }
  package func source(_ text: String) throws(ToolError) -> Source? { try MastodonSources(host: host).source(text) }

  package func liveness(of source: Source) -> Liveness {
    switch source {
    case .hashtag, .named("list", _): .live
    case .timeline(let word): MastodonSources.liveWords.contains(word) ? .live : .polled
    default: .polled
    }
  }

  /// Letters and digits. Mastodon's ids are numbers; those of other servers are such that later ones compare as larger.
  package func postID(_ text: Substring) -> PostID? {
    guard !text.isEmpty, text.utf8.count <= Self.longestID, text.utf8.allSatisfy(Self.isIDByte) else { return nil }
    let id = PostID(String(text))
    if case .number = id { return id }
    return .text(String(text), order: String(text))
  }

  private static let longestID = 64

  private static func isIDByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_".utf8.contains(byte)
  }

  package func post(at address: String, base: String?) -> PostID? {
    guard let page = MastodonAddress(address), page.host == host || base.map(page.isAt) == true,
      case .post(let id) = page.place
    else { return nil }
    return postID(id[...])
  }

  /// `alice`, or `alice@example.social` for an account of another server, or the address of its page there.
  package func userName(_ text: Substring) -> String? {
    if text.contains("://") {
      guard let page = MastodonAddress(String(text)), case .user(let name) = page.place else { return nil }
      return userName((name.contains("@") ? name : "\(name)@\(page.host)")[...])
    }
    let name = text.hasPrefix("@") ? text.dropFirst() : text
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), Self.isUserName(parts[0]) else { return nil }
    guard parts.count == 2 else { return String(name) }
    guard Self.isHost(parts[1].lowercased()[...]) else { return nil }
    // Its server knows an account of its own without the host.
    return parts[1].lowercased() == host ? String(parts[0]) : "\(parts[0])@\(parts[1].lowercased())"
  }

  /// Letters, digits, `_`, and between them `.` and `-` (Mastodon's `USERNAME_RE`).
  private static func isUserName(_ name: Substring) -> Bool {
    guard let first = name.utf8.first, let last = name.utf8.last else { return false }
    func isWord(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") }
    return isWord(first) && isWord(last)
      && name.utf8.allSatisfy { isWord($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  /// Whether a text is a host in lower case, perhaps with a port: a name with a dot, or one on this machine.
  static func isHost(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), text.utf8.count <= 253 else { return false }
    if parts.count == 2, UInt16(parts[1]) == nil { return false }
    let labels = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1 || parts[0] == "localhost" else { return false }
    return labels.allSatisfy { label in
      !label.isEmpty
        && label.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }
  }
}
