import TweetCore
import TwitterText

/// Reads posts with all that belongs to them: what both versions of the API write about a post.
struct PostReader {
  let store: LocalStore
  let site: SiteAddress

  func author(of post: Post) throws(ToolError) -> LocalAccount {
    guard let author = try store.account(post.authorID) else { throw .bug("post \(post.id) has no author") }
    return author
  }

  /// The post that a retweet shows; `nil` for other posts.
  func original(of post: Post) throws(ToolError) -> Post? {
    guard let id = post.retweetOf else { return nil }
    return try store.post(id)
  }

  /// The counts that an answer shows: a retweet has the retweets of its original and no other counts.
  func counts(of post: Post) throws(ToolError) -> Post.Counts {
    var counts = post.counts
    if let original = try original(of: post) { counts.retweets = original.counts.retweets }
    return counts
  }

  // MARK: Text

  func text(_ source: String) -> WireText { WireText(source, site) }

  /// The complete text of a post that is not a retweet, and the links that X puts after it.
  func completeText(of post: Post) throws(ToolError) -> WireText {
    try appendingLinks(of: post, to: text(post.text))
  }

  /// Appends the links for what the post quotes or has attached.
  func appendingLinks(of post: Post, to text: WireText) throws(ToolError) -> WireText {
    var text = text
    for link in try store.attachedLinks(of: post) { text.append(link: link, site) }
    return text
  }

  // MARK: Entities

  /// An entity of a text with what answers say about it.
  enum Entity {
    case hashtag(String)
    case cashtag(String)
    case mention(LocalAccount)
    case link(Link)
  }

  struct Link {
    /// As in the text of an answer.
    let short: String
    /// Where it leads.
    let target: String
    /// As people see it.
    let displayed: String
    /// Whether it stands for the photo of the post.
    let isPhoto: Bool
  }

  /// The entities of a text, in order. As on X, a name that no account has is plain text.
  /// - Parameter hasPhoto: whether the text is that of a post with a photo.
  func entities(of text: WireText, hasPhoto: Bool = false) throws(ToolError) -> [(span: WireText.Span, entity: Entity)]
  {
    var entities: [(span: WireText.Span, entity: Entity)] = []
    for span in text.spans {
      switch span.kind {
      case .hashtag: entities.append((span, .hashtag(span.value)))
      case .cashtag: entities.append((span, .cashtag(span.value)))
      case .mention:
        if let account = try store.account(named: span.value) { entities.append((span, .mention(account))) }
      case .url: entities.append((span, .link(link(span.value, hasPhoto: hasPhoto))))
      case .list: break
      }
    }
    return entities
  }

  func link(_ link: String, hasPhoto: Bool = false) -> Link {
    let isPhoto = hasPhoto && OwnLink.isPhoto(link)
    return Link(
      short: site.short(link), target: site.resolved(link), displayed: site.displayed(link, isPhoto: isPhoto),
      isPhoto: isPhoto)
  }
}
