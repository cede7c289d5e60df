/// The name that a person gives a tweet: an id, a URL or `service:id`.
struct TweetName {
  /// What the name may mean, the likeliest first; a service of `nil` is any service.
  let candidates: [(service: String?, id: String)]

  init(_ name: String) {
    var candidates: [(service: String?, id: String)] = []
    if let scheme = name.firstRange(of: "://"), let id = Self.statusID(name[scheme.upperBound...]) {
      candidates.append((nil, id))
    }
    candidates.append((nil, name))
    // Both services and ids can contain colons (`mastodon:HOST`, `at://…`).
    for colon in name.indices where name[colon] == ":" {
      candidates.append((String(name[..<colon]), String(name[name.index(after: colon)...])))
    }
    self.candidates = candidates
  }

  /// The id in `x.com/jack/status/20?s=20` or `host/@jack/109…`: the last part of the path that is a number.
  private static func statusID(_ address: Substring) -> String? {
    let path = address.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").dropFirst().last { $0.allSatisfy { $0.isASCII && $0.isNumber } }.map(String.init)
  }
}
