import TweetCore

/// A post that is to be made: what its author decides.
struct Draft: Sendable {
  var author: Int
  var text = ""
  var replyTo: Int?
  var quoteOf: Int?
  var retweetOf: Int?
  var picture: String?
  var source = "tw-local"
  /// Likes it has from the start.
  var likes = 0
}

extension LocalStore {
  /// Makes a post of a draft and stores it, with the links X would add behind its text.
  func create(_ draft: Draft, at time: Timestamp) throws(ToolError) -> Post {
    let id = newID(at: time)
    let answered = try draft.replyTo.flatMap { (id) throws(ToolError) in try self.post(id) }
    var post = Post(
      id: id, authorID: draft.author, text: draft.text, createdAt: time,
      language: Language.guess(draft.text), source: draft.source, conversationID: answered?.conversationID ?? id,
      replyTo: draft.replyTo, replyToAuthor: answered?.authorID, quoteOf: draft.quoteOf, retweetOf: draft.retweetOf,
      picture: draft.picture)
    post.counts.likes = draft.likes
    if let original = try draft.retweetOf.flatMap({ (id) throws(ToolError) in try self.post(id) }) {
      post.language = original.language
    }
    try add(post)
    for link in try attachedLinks(of: post) + [post.selfLink] { try remember(link: link) }
    return post
  }

  /// Links that X puts behind the text for what is quoted or attached.
  func attachedLinks(of post: Post) throws(ToolError) -> [String] {
    var links: [String] = []
    if let id = post.quoteOf, let quoted = try self.post(id), let author = try account(quoted.authorID) {
      links.append(OwnLink.to("\(author.username)/status/\(id)"))
    }
    if post.picture != nil, let author = try account(post.authorID) {
      links.append(OwnLink.to("\(author.username)/status/\(post.id)/photo/1"))
    }
    return links
  }
}

/// Guesses a text's language by its script: enough for a test service, whose Latin posts are English.
enum Language {
  /// A language tag as X writes it (Hebrew is `iw` there), `und` for a text without letters.
  static func guess(_ text: String) -> String {
    var counts: [String: Int] = [:]
    // Links and names are Latin whatever the language is.
    let words = text.split(separator: " ").filter { !$0.contains("://") && !$0.hasPrefix("@") && !$0.hasPrefix("#") }
    for scalar in words.joined(separator: " ").unicodeScalars {
      if let tag = tag(scalar) { counts[tag, default: 0] += 1 }
    }
    // Kana tells Japanese from Chinese, however much Han there is.
    if counts["ja"] != nil { return "ja" }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "und"
  }

  private static func tag(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x3040...0x30FF: "ja"
    case 0x3400...0x9FFF: "zh"
    case 0xAC00...0xD7AF: "ko"
    case 0x0590...0x05FF: "iw"
    case 0x0600...0x06FF: "ar"
    case 0x0900...0x097F: "hi"
    case 0x0400...0x04FF: "ru"
    case 0x0370...0x03FF: "el"
    default: scalar.properties.isAlphabetic && scalar.value < 0x250 ? "en" : nil
    }
  }
}
