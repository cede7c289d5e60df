package import TweetCore

/// What a post may be at a service.
package protocol PostRules: Sendable {
  /// What its posts can have in addition to a text.
  var postParts: Set<PostPart> { get }
  /// How long a text may be, in the units of ``length(of:)``.
  ///
  /// - Parameter isLong: whether the account may post long texts; `nil` if the service knows no such accounts.
  func longestText(isLong: Bool) -> Int?
  /// How long a text is: links may count alike, and some characters twice.
  ///
  /// - Throws: `ToolError.badData` for a character that no post may have.
  func length(of text: String) throws(ToolError) -> Int
  /// The links that readers find in a text, in their order, where the service has cards for them.
  func links(in text: String) -> [String]
  /// What its pictures and videos may be; `nil` where the service says it when it has them.
  var mediaLimits: MediaLimits? { get }
  /// Milliseconds for which the server surely makes a post once, however often and how soon after each other it is
  /// asked with the same ``PostDraft/key``; `nil` where that is not sure.
  var keyMemory: Int? { get }
  /// Refuses what the parts of a draft cannot be, such as five pictures.
  func check(_ draft: PostDraft) throws(ToolError)
}

extension PostRules {
  package func length(of text: String) throws(ToolError) -> Int { text.count }
  package func links(in text: String) -> [String] { [] }
  package var mediaLimits: MediaLimits? { nil }
  package var keyMemory: Int? { nil }
  package func check(_ draft: PostDraft) throws(ToolError) {}
}

/// What a post can have in addition to a text, as messages name it.
package enum PostPart: String, Sendable {
  case quote = "quotes"
  case poll = "polls"
  case pollOfSeveral = "polls in which several answers may be chosen (--poll-multiple)"
  case hiddenTotals = "polls that hide their numbers (--poll-hide-totals)"
  case media = "pictures and videos"
  case repliers = "choice of who may answer (--reply-settings)"
  case visibility = "choice of who sees a post (--visibility)"
  case warning = "content warnings (--warning)"
  case language = "language of a post (--language)"
  case sensitive = "covers for pictures without words (--sensitive)"
  case quoters = "choice of who may quote (--quote-settings)"
  case mentions = "names before an answer that can be left out (--no-mentions)"
  case card = "link cards that a post brings along (--card)"
  case schedule = "posts that it publishes itself at a time (--server)"
  case edit = "edits of posts: delete the post and make another one"

  /// Whether a post that goes to several services loses nothing by going to one without it: who reads it, and what
  /// they read, is the same.
  fileprivate var isHint: Bool { self == .language || self == .hiddenTotals || self == .mentions || self == .card }
}

extension PostDraft {
  package var parts: [PostPart] {
    let all: [(PostPart, Bool)] = [
      (.quote, quoteOf != nil), (.poll, poll != nil), (.media, !media.isEmpty), (.repliers, repliers != nil),
      (.visibility, visibility != nil), (.warning, warning != nil), (.language, language != nil),
      (.sensitive, isSensitive), (.quoters, quoters != nil), (.card, card != nil), (.mentions, namesNobody),
      (.edit, editOf != nil), (.pollOfSeveral, poll?.isMultiple == true), (.hiddenTotals, poll?.hidesTotals == true),
      (.schedule, scheduledAt != nil),
    ]
    return all.filter(\.1).map(\.0)
  }

  /// Leaves out what a service does not have, where readers lose nothing by it.
  /// - Returns: What was left out.
  package mutating func leaveHints(by rules: any PostRules) -> [PostPart] {
    let left = parts.filter { $0.isHint && !rules.postParts.contains($0) }
    if left.contains(.language) { languages = [] }
    if left.contains(.hiddenTotals) { poll?.hidesTotals = false }
    if left.contains(.mentions) { namesNobody = false }
    if left.contains(.card) { card = nil }
    return left
  }

  /// Refuses a draft that can be no post of a service, whatever its text is.
  package func check(by rules: any PostRules, of service: String) throws(ToolError) {
    if let part = parts.first(where: { !rules.postParts.contains($0) }) {
      throw .usage("service '\(service)' has no \(part.rawValue)")
    }
    try rules.mediaLimits?.check(self, service: service)
    try rules.check(self)
  }
}
