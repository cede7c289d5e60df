import TweetCore

/// What a v1.1 stream is to send: posts with some words, or by some users; of some languages, if any are named.
struct TrackFilter {
  /// Why the stream cannot be: told in plain text, as X did.
  struct Fault: Error {
    let status: Int
    let text: String

    var response: HTTPResponse {
      HTTPResponse(status: status, type: "text/plain; charset=utf-8", body: Array("\(text)\r\n".utf8))
    }
  }

  private let words: [Query]
  /// User names, lower case.
  private let followed: Set<String>
  private let languages: Set<String>
  /// Posts here are of the level `low`: who asks for better ones gets none.
  private let wantsBetter: Bool

  private static let maxPhrases = 400
  private static let maxFollowed = 5000
  private static let maxBoxes = 25
  private static let maxPhrase = 60

  /// - Parameter username: the name of the account with an id, if there is one.
  init(_ request: HTTPRequest, username: (Int) -> String?) throws(Fault) {
    let track = Self.list(request, "track")
    let follow = Self.list(request, "follow")
    let locations = Self.list(request, "locations")
    if track.isEmpty, follow.isEmpty, locations.isEmpty {
      throw Fault(
        status: 406,
        text: "No filter parameters found. Expect at least one parameter: follow track locations")
    }
    guard track.count <= Self.maxPhrases, follow.count <= Self.maxFollowed, locations.count <= Self.maxBoxes * 4
    else { throw Fault(status: 413, text: "Parameter list is too long") }
    guard track.allSatisfy({ $0.utf8.count <= Self.maxPhrase }) else {
      throw Fault(status: 406, text: "Parameter track item index too long")
    }
    // No post here says where it was written, so boxes find none; but they must be boxes.
    guard locations.count % 4 == 0, locations.allSatisfy({ Double($0) != nil }) else {
      throw Fault(status: 406, text: "Parameter locations cannot be parsed")
    }
    var names: Set<String> = []
    for text in follow {
      guard let id = Int(text) else { throw Fault(status: 406, text: "Parameter follow cannot be parsed") }
      if let name = username(id) { names.insert(name.lowercased()) }
    }
    followed = names
    wantsBetter = request.parameter("filter_level") == "medium"
    languages = Set(Self.list(request, "language").map(String.init))
    words = track.map { phrase in
      .all(phrase.split(separator: " ").map { .term(Self.term(String($0).lowercased())) })
    }
  }

  private static func list(_ request: HTTPRequest, _ name: String) -> [Substring] {
    (request.parameter(name) ?? "").split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }

  /// A word finds itself also as a tag and as a name, a tag only tags.
  private static func term(_ word: String) -> Query.Term {
    let rest = String(word.dropFirst())
    switch word.first {
    case "#" where !rest.isEmpty: return .hashtag(rest)
    case "@" where !rest.isEmpty: return .mention(rest)
    case "$" where !rest.isEmpty: return .cashtag(rest)
    default:
      if word.contains("."), !word.hasSuffix(".") { return .link(word) }
      return QueryParser.text(word)
    }
  }

  func matches(_ post: SearchablePost) -> Bool {
    guard !wantsBetter, languages.isEmpty || languages.contains(post.post.language) else { return false }
    return isFollowed(post) || words.contains { $0.matches(post) }
  }

  /// What they post, and what others answer to it or repeat of it.
  private func isFollowed(_ post: SearchablePost) -> Bool {
    [post.author.username.lowercased(), post.repliesTo, post.retweetOf].contains { name in
      name.map(followed.contains) ?? false
    }
  }
}
