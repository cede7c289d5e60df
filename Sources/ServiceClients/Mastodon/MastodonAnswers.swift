import TweetCore
import TweetNet
import TweetServices

/// The names of what is known of a post that is answered or quoted.
enum LinkedFact {
  /// Who may see it, and who sees what the account posts where it says nothing; in the server's words.
  static let (visibility, usual) = ("answered_visibility", "usual_visibility")
  static let warning = "answered_warning"
  /// Those whom an answer names, with `@`, and spaces between them; and those whom the post before it, in a thread that
  /// answers nobody, has named.
  static let (names, reached) = ("answered_names", "reached")
  /// There if no other server may have it.
  static let isLocal = "local_only"

  static let all = [visibility, usual, warning, names, isLocal]
}

// A private post that everybody reads the answer to is private no more, and an answer without its author's name reaches
// nobody at all: so the post is asked for first. Servers leave both to their clients.
extension MastodonWriting {
  var asksBeforehand: Bool { true }

  func question(ofLinked draft: PostDraft, _ facts: [String: String]) -> HTTPRequest? {
    guard !draft.continues, let id = draft.replyTo ?? draft.quoteOf else { return nil }
    guard let visibility = facts[LinkedFact.visibility] else { return requests.status(id) }
    // The account may show its posts to fewer people.
    let isClear = draft.visibility != nil || visibility == Self.widest || facts[LinkedFact.usual] != nil
    return isClear ? nil : requests.ownAccount
  }

  func learn(
    ofLinked draft: PostDraft, _ answer: HTTPResponse, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer? {
    guard let id = draft.replyTo ?? draft.quoteOf else { return nil }
    var parts = parts
    let isAsked = parts.facts[LinkedFact.visibility] == nil
    if isAsked, answer.status == 404 {
      return .refused(.refused("the server does not show the post '\(id)': it is gone, or it is hidden"))
    }
    guard answer.isSuccess, let document = try? JSONDocument(answer.body), let found = document["id"]?.text else {
      return nil
    }
    guard isAsked else {
      parts.facts[LinkedFact.usual] = document["source"]?["privacy"]?.nonEmptyString ?? Self.widest
      return .learnt(parts)
    }
    guard found == id else { return nil }
    let boosted = document["reblog"].flatMap { $0.isObject ? $0 : nil }
    return (boosted ?? document).read { post in
      if draft.replyTo == nil, let error = refusal(ofQuoting: post, id, by: account) { return .refused(error) }
      parts.facts.merge(facts(of: post, draft, account)) { $1 }
      return .learnt(parts)
    }
  }

  private func facts(of post: JSONValue, _ draft: PostDraft, _ account: WritingAccount) -> [String: String] {
    // A word that is not known is the narrowest, since what is shown to too many cannot be taken back.
    let visibility = post["visibility"]?.nonEmptyString ?? Self.widest
    let isKnown = Self.visibilities.contains(visibility)
    var facts = [LinkedFact.visibility: isKnown ? visibility : Self.narrowest]
    facts[LinkedFact.isLocal] = post["local_only"]?.bool == true ? "yes" : nil
    if draft.replyTo == nil {
      // A quote tells less of its post than an answer: only what is for followers stays there.
      if Self.isOpen(visibility) { facts[LinkedFact.visibility] = Self.widest }
      return facts
    }
    facts[LinkedFact.warning] = post["spoiler_text"]?.nonEmptyString
    facts[LinkedFact.names] = Self.names(post["mentions"], author: post["account"], except: account.id)
    return facts
  }

  private func refusal(ofQuoting post: JSONValue, _ id: String, by account: WritingAccount) -> ToolError? {
    if post["quote_approval"]?["current_user"]?.equals("denied") == true {
      return .notAllowed("the post '\(id)' may not be quoted: its author does not allow that")
    }
    let visibility = post["visibility"]?.nonEmptyString ?? Self.widest
    let isOwn = post["account"]?["id"]?.text == account.id && visibility == "private"
    if isOwn || Self.isOpen(visibility) { return nil }
    return .notAllowed("the post '\(id)' may not be quoted: not everybody may see it")
  }

  // MARK: What comes of it

  /// Who may see a post, from everybody to those whom it names: the words of Mastodon, Pleroma (`local`) and GoToSocial
  /// (`mutuals_only`).
  private static let visibilities = [widest, "unlisted", "local", "private", "mutuals_only", narrowest]
  private static let (widest, narrowest) = ("public", "direct")
  private static func isOpen(_ visibility: String) -> Bool { [widest, "unlisted"].contains(visibility) }

  /// `nil` for what the account has chosen at the server.
  func visibility(of draft: PostDraft) -> String? {
    if let chosen = draft.visibility { return chosen.rawValue }
    guard let answered = draft.facts[LinkedFact.visibility], answered != Self.widest else { return nil }
    func rank(_ name: String) -> Int { Self.visibilities.firstIndex(of: name) ?? Self.visibilities.count }
    let usual = draft.facts[LinkedFact.usual] ?? Self.widest
    return rank(usual) > rank(answered) ? usual : answered
  }

  /// An empty one that is asked for leaves out that of the post that is answered.
  func warning(of draft: PostDraft) -> String? {
    (draft.warning ?? draft.facts[LinkedFact.warning]).flatMap { $0.isEmpty ? nil : $0 }
  }

  func text(of draft: PostDraft) -> String {
    guard !draft.namesNobody, let names = draft.facts[LinkedFact.names] else { return draft.text }
    let words = draft.text.split(whereSeparator: \.isWhitespace).map { word in
      word.lowercased().reversed().drop { !$0.isLetter && !$0.isNumber && $0 != "_" }
    }
    let missing = names.split(separator: " ").filter { name in
      !words.contains { $0.elementsEqual(name.lowercased().reversed()) }
    }
    return (missing + (draft.text.isEmpty ? [] : [draft.text[...]])).joined(separator: " ")
  }

  func facts(continuing facts: [String: String]) -> [String: String] {
    var kept = facts.filter { LinkedFact.all.contains($0.key) }
    kept[LinkedFact.names] = kept[LinkedFact.names] ?? facts[LinkedFact.reached]
    return kept
  }

  /// - Parameter id: of the account that is not named.
  /// - Returns: `nil` for nobody.
  static func names(_ mentions: JSONValue?, author: JSONValue? = nil, except id: String = "") -> String? {
    var names: [String] = []
    for account in [author].compactMap({ $0 }) + (mentions.map { Array($0.elements) } ?? []) {
      guard let name = account["acct"]?.nonEmptyString, account["id"]?.text != id,
        !name.contains(where: \.isWhitespace),
        !names.contains("@" + name)
      else { continue }
      names.append("@" + name)
    }
    return names.isEmpty ? nil : names.joined(separator: " ")
  }
}
