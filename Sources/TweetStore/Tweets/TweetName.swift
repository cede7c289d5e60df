/// A tweet as people name it.
struct TweetName {
  /// What it may mean, the likeliest first; `nil` is any service.
  let candidates: [(service: String?, id: String)]

  init(_ name: String) {
    var candidates: [(service: String?, id: String)] = []
    if let scheme = name.firstRange(of: "://"), let id = Self.statusID(name[scheme.upperBound...]) {
      candidates.append((nil, id))
    }
    candidates.append((nil, name))
    // Services and ids can both have colons in them (`mastodon:HOST`, `at://…`).
    for place in name.indices where name[place] == ":" {
      candidates.append((String(name[..<place]), String(name[name.index(after: place)...])))
    }
    self.candidates = candidates
  }

  /// The id in `x.com/jack/status/20?s=20` and `host/@jack/109…`: the last part of the path that is a number.
  private static func statusID(_ address: Substring) -> String? {
    let path = address.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").dropFirst().last { $0.allSatisfy { $0.isASCII && $0.isNumber } }.map(String.init)
  }
}
