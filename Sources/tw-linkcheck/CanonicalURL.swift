import TweetNet

/// The name=value pairs of a URL's query, as they stand (not percent-decoded).
struct Query {
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

  mutating func keepOnly(_ isKept: (Substring) -> Bool) { pairs = pairs.filter { isKept($0.name) } }

  var text: String {
    pairs.map { $0.value == nil ? String($0.name) : "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
  }
}

/// One spelling for URLs that lead to the same thing: what to compare and to group links by.
///
/// It is made from the URL alone. Campaign parameters and the fragment go, a page for phones becomes the common one,
/// and the well-known short forms of video and music links become the long ones.
enum CanonicalURL {
  /// - Returns: `nil` for what is no http or https URL.
  static func make(_ url: String) -> String? {
    guard let address = WebAddress(url) else { return nil }
    var query = Query(address.query)
    query.keepOnly { !isCampaign($0.lowercased()) }
    let bare = Hosts.bare(address.host)
    let parts = address.path.split(separator: "/").map(String.init)
    switch bare {
    case "youtu.be":
      if let id = parts.first { return "https://www.youtube.com/watch?v=\(id)" }
    case "youtube.com":
      if parts.first == "watch", let id = query["v"] { return "https://www.youtube.com/watch?v=\(id)" }
    case "open.spotify.com", "play.spotify.com":
      if let id = MusicPlaces.identifier(of: url)?.split(separator: ":"), id.count == 3 {
        return "https://open.spotify.com/\(id[1])/\(id[2])"
      }
    case "soundcloud.com":
      query.keepOnly { $0 != "si" && $0 != "in" }
    case "twitter.com", "x.com":
      return "https://x.com" + address.path
    default: break
    }
    return spell(address, host: phoneHosts.contains(bare) ? bare : address.host, query: query.text)
  }

  private static func spell(_ address: WebAddress, host: String, query: String) -> String {
    let isUsualPort = address.port == (address.scheme == "https" ? 443 : 80)
    let name = host.contains(":") ? "[\(host)]" : host
    return address.scheme + "://" + name + (isUsualPort ? "" : ":\(address.port)") + address.path
      + (query.isEmpty ? "" : "?\(query)")
  }

  /// Hosts known to serve the same under `m.` or `mobile.`.
  private static let phoneHosts: Set<String> = ["soundcloud.com", "deezer.com", "bilibili.com", "imdb.com"]

  /// Parameters that only tell the site where a visitor came from.
  private static func isCampaign(_ name: String) -> Bool {
    name.hasPrefix("utm_") || campaignNames.contains(name)
  }

  private static let campaignNames: Set<String> = [
    "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "yclid", "igshid", "igsh", "mc_cid", "mc_eid",
    "_hsenc", "_hsmi", "mkt_tok", "ref_src", "ref_url", "smid", "cmpid", "ncid", "wt_mc",
  ]
}
