import TweetCore

/// The posts that a v1.1 filter stream sends: those with some words or of some users, in some languages if any are
/// named.
struct TrackFilter {
  private let phrases: [PostQuery]
  /// User names, in lower case.
  private let followed: Set<String>
  /// Empty for all languages.
  private let languages: Set<String>
  /// Whether only posts of a higher filter level are wanted. All posts here have the level `low`.
  private let wantsHigherLevel: Bool

  private static let maxPhrases = 400
  private static let maxFollowed = 5000
  private static let maxBoxes = 25
  /// In bytes.
  private static let maxPhraseLength = 60

  /// Reads the parameters of a stream. As on X, a wrong one is refused in plain text.
  /// - Parameter username: returns the name of the account with an id, if there is one.
  init(_ request: ServerRequest, username: (Int) throws -> String?) throws {
    func refusal(_ status: Int, _ message: String) -> Problem { .plainText(status: status, message: message) }
    let track = Self.list(request, "track")
    let follow = Self.list(request, "follow")
    let locations = Self.list(request, "locations")
    if track.isEmpty, follow.isEmpty, locations.isEmpty {
      throw refusal(406, "No filter parameters found. Expect at least one parameter: follow track locations")
    }
    guard track.count <= Self.maxPhrases, follow.count <= Self.maxFollowed, locations.count <= Self.maxBoxes * 4
    else { throw refusal(413, "Parameter list is too long") }
    guard track.allSatisfy({ $0.utf8.count <= Self.maxPhraseLength }) else {
      throw refusal(406, "Parameter track item index too long")
    }
    // No post here has a location, so no box finds any; but the parameter must consist of boxes.
    guard locations.count % 4 == 0, locations.allSatisfy({ Double($0) != nil }) else {
      throw refusal(406, "Parameter locations cannot be parsed")
    }
    var names: Set<String> = []
    for text in follow {
      guard let id = Int(text) else { throw refusal(406, "Parameter follow cannot be parsed") }
      if let name = try username(id) { names.insert(name.lowercased()) }
    }
    followed = names
    wantsHigherLevel = request.parameter("filter_level") == "medium"
    languages = Set(Self.list(request, "language").map(String.init))
    phrases = track.map { phrase in
      .all(phrase.split(separator: " ").map { .term(Self.term(String($0).lowercased())) })
    }
  }

  /// Values between commas, without the spaces before them.
  private static func list(_ request: ServerRequest, _ name: String) -> [Substring] {
    (request.parameter(name) ?? "").split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }

  /// What finds one word of a phrase. A plain word also finds tags and names, a tag finds only tags.
  private static func term(_ word: String) -> PostQuery.Term {
    if word.contains("."), !word.hasSuffix("."), !["#", "@", "$"].contains(word.first) { return .link(word) }
    return QueryParser.term(word)
  }

  func matches(_ post: SearchablePost) -> Bool {
    guard !wantsHigherLevel, languages.isEmpty || languages.contains(post.post.language) else { return false }
    return isFollowed(post) || phrases.contains { $0.matches(post) }
  }

  /// Whether a followed user wrote the post, or is answered or retweeted by it.
  private func isFollowed(_ post: SearchablePost) -> Bool {
    [post.author.username.lowercased(), post.replyTo, post.retweetOf].contains { name in
      name.map(followed.contains) ?? false
    }
  }
}
