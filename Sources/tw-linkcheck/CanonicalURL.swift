import TweetCore
import TweetNet

/// The name=value pairs of a URL's query, not percent-decoded.
struct URLQuery {
  private(set) var pairs: [(name: Substring, value: Substring?)]

  init(_ text: String?) {
    pairs = (text ?? "").split(separator: "&").map { pair in
      guard let equals = pair.firstIndex(of: "=") else { return (pair, nil) }
      return (pair[..<equals], pair[pair.index(after: equals)...])
    }
  }

  subscript(_ name: String) -> String? {
    pairs.first { $0.name == name }?.value.map(String.init)
  }

  mutating func removeAll(where condition: (Substring) -> Bool) { pairs.removeAll { condition($0.name) } }

  var text: String {
    pairs.map { $0.value == nil ? String($0.name) : "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
  }
}

/// One spelling for all URLs of the same thing, so that links can be compared and grouped.
///
/// It is made from the URL alone: campaign parameters and the fragment are removed, a page for phones becomes the usual
/// one, and the well-known short forms of video and music links become the long ones.
enum CanonicalURL {
  /// - Returns: `nil` when `url` is not an http or https URL.
  static func make(_ url: String) -> String? { WebAddress(url).map(make) }

  static func make(_ address: WebAddress) -> String {
    var query = URLQuery(address.query)
    let bare = Hosts.bare(address.host)
    query.removeAll { TrackingTable.contains($0.lowercased(), host: bare) }
    var parts: [String] { address.path.split(separator: "/").map(String.init) }
    switch bare {
    case "youtu.be":
      if let id = parts.first, id.utf8.allSatisfy(isOfVideoID) { return "https://www.youtube.com/watch?v=\(id)" }
    case "youtube.com":
      if parts.first == "watch", let id = query["v"] { return "https://www.youtube.com/watch?v=\(id)" }
    case "open.spotify.com", "play.spotify.com":
      if let id = MusicServices.identifier(of: address)?.split(separator: ":"), id.count == 3 {
        return "https://open.spotify.com/\(id[1])/\(id[2])"
      }
    case "twitter.com", "x.com":
      return "https://x.com" + address.path
    default: break
    }
    return text(of: address, host: phoneHosts.contains(bare) ? bare : address.host, query: query.text)
  }

  /// YouTube's ids are of URL-safe Base64. Others, with an `&` in them for example, would mean something else in a
  /// query.
  private static func isOfVideoID(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "-_".utf8.contains(byte) }

  private static func text(of address: WebAddress, host: String, query: String) -> String {
    var text = ByteBuffer(capacity: address.url.utf8.count + 8)
    text.append(address.scheme)
    text.append("://")
    text.append(host.contains(":") ? "[\(host)]" : host)
    if address.port != (address.scheme == "https" ? 443 : 80) {
      text.append(":")
      text.append(decimal: address.port)
    }
    text.append(address.path)
    if !query.isEmpty { text.append("?\(query)") }
    return text.string
  }

  /// Hosts that are known to serve the same pages under `m.` or `mobile.`.
  private static let phoneHosts: Set<String> = ["soundcloud.com", "deezer.com", "bilibili.com", "imdb.com"]
}
