import Services
import TweetCore
import TweetNet
import TweetServices
import TweetShapes

/// Writing by Mastodon's API.
struct MastodonWriting: WriteAPI {
  let requests: MastodonRequests
  private var access: ServiceAccess { requests.access }

  init(_ requests: MastodonRequests) { self.requests = requests }

  /// Servers answer within seconds; half a minute is what their proxies wait.
  var settlingTime: Int { 30_000 }
  var longestRequest: Int { ServiceAccess.requestTimeout }
  /// Mastodon knows a key for an hour: ``MastodonRules/keyMemory``. Others may not, so there the post is looked for as
  /// well before another try.
  var takesKeys: Bool { true }

  var rulesRequest: HTTPRequest? { requests.instance }
  func rules(in answer: HTTPResponse) -> (any PostRules)? { MastodonInstance(answer).map { MastodonRules($0) } }
  private var usualRules: MastodonRules { MastodonRules(MastodonInstance()) }
  var postParts: Set<PostPart> { usualRules.postParts }
  func longestText(isLong: Bool) -> Int? { usualRules.longestText(isLong: isLong) }
  func length(of text: String) throws(ToolError) -> Int { try usualRules.length(of: text) }
  var mediaLimits: MediaLimits? { usualRules.mediaLimits }
  func check(_ draft: PostDraft) throws(ToolError) { try usualRules.check(draft) }
  var wholeMedia: (any WholeMediaAPI)? { MastodonMedia(requests: requests) }

  /// The scopes of old and new versions differ; the server says what it misses.
  func scopes(for action: WriteAction) -> [String] { [] }

  var accountRequest: HTTPRequest { requests.ownAccount }
  func userRequest(named name: String) -> HTTPRequest { requests.account(named: name) }

  func account(in answer: HTTPResponse) -> WritingAccount? {
    (try? JSONDocument(answer.body)).flatMap { Self.account($0) }
  }

  static func account(_ document: JSONDocument) -> WritingAccount? {
    guard document.isObject, let id = document["id"]?.text,
      let name = document["acct"]?.nonEmptyString ?? document["username"]?.nonEmptyString
    else { return nil }
    // What only the account itself is told is not a part of its profile.
    let object = document.read { account in
      var edits = RecordEdits()
      edits.remove(from: account) { $0.equals("source") || $0.equals("role") }
      var buffer = ByteBuffer()
      edits.apply(to: account, into: &buffer)
      return buffer.string
    }
    return WritingAccount(id: id, username: name, object: object)
  }

  func document(of account: WritingAccount) -> [UInt8] { Array(account.object.utf8) }

  func request(_ action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest {
    switch action {
    case .post(let draft):
      if let id = draft.editOf { return edit(id, draft, parts) }
      return post(draft, media: parts.media)
    case .change(let change, _):
      let path = "/api/v1/\(change.isOfAccount ? "accounts" : "statuses")/\(PercentEncoding.encode(parts.target))"
      return change == .delete ? requests.delete(path) : requests.post("\(path)/\(change.mastodonName)")
    }
  }

  private func post(_ draft: PostDraft, media: [String]) -> HTTPRequest {
    var body = ByteBuffer()
    body.object { out in
      let text = text(of: draft)
      // A post that shows something needs no text.
      if !text.isEmpty || media.isEmpty { out.member("status", text) }
      if !media.isEmpty {
        out.key("media_ids")
        out.appendJSONStrings(media)
      }
      if draft.isSensitive { out.member("sensitive", true) }
      out.member("in_reply_to_id", draft.replyTo)
      out.member("quoted_status_id", draft.quoteOf)
      out.member("quote_approval_policy", draft.quoters?.mastodonName)
      out.member("visibility", visibility(of: draft))
      if draft.facts[LinkedFact.isLocal] != nil { out.member("local_only", true) }
      out.member("spoiler_text", warning(of: draft))
      out.member("language", draft.language)
      out.member("scheduled_at", draft.scheduledAt)
      if let poll = draft.poll {
        out.object("poll") { out in
          out.key("options")
          out.appendJSONStrings(poll.options)
          out.member("expires_in", poll.minutes * 60)
          if poll.isMultiple { out.member("multiple", true) }
          if poll.hidesTotals { out.member("hide_totals", true) }
        }
      }
    }
    var request = requests.post("/api/v1/statuses", body.string)
    if let key = draft.key { request.headers.append(HTTPHeader("Idempotency-Key", key)) }
    return request
  }

  func outcome(of action: WriteAction, _ answer: HTTPResponse) -> WriteOutcome {
    guard answer.isSuccess else {
      let refusal = refusal(answer)
      switch (refusal.meaning, answer.status) {
      case (.rateLimit, _): return .limited(refusal)
      case (.trouble, _): return .unknown(refusal.text)
      case (_, 401): return .accountRefused(refusal.error)
      default: return .refused(refusal.error)
      }
    }
    guard let document = try? JSONDocument(answer.body), document.isObject else {
      return .unknown("the server's answer is no JSON")
    }
    guard case .post(let draft) = action else { return .done(id: nil) }
    // Its id is none of a post: that has one of its own once it is made.
    if draft.scheduledAt != nil, document["scheduled_at"]?.nonEmptyString != nil { return .done(id: nil) }
    // The server has it either way: the same edit twice is one.
    guard let id = document["id"]?.text else { return .unknown("the server's answer has no id") }
    return .done(id: id, facts: document.read { Self.facts($0) })
  }

  /// Where a post can be read, what all servers call it, and the ids of its poll and of those whom it names.
  private static func facts(_ status: JSONValue) -> [String: String] {
    var facts: [String: String] = [:]
    facts[urlFact] = status["url"]?.nonEmptyString
    facts[uriFact] = status["uri"]?.nonEmptyString
    facts[pollFact] = status["poll"].flatMap { $0.isObject ? $0.rawText : nil }
    facts[mentionsFact] = status["mentions"].flatMap { $0.isArray && !$0.isEmpty ? $0.rawText : nil }
    // The rest of its thread is for those whom it names, too.
    if status["visibility"]?.equals("direct") == true { facts[LinkedFact.reached] = names(status["mentions"]) }
    return facts
  }

  private static let (urlFact, uriFact, pollFact, mentionsFact) = ("url", "uri", "poll", "mentions")

  func ownPosts(of account: WritingAccount, _ range: PageRange) -> HTTPRequest {
    let bounds = [("max_id", range.token ?? range.untilID?.description), ("since_id", range.sinceID?.description)]
    return requests.get(
      "/api/v1/accounts/\(PercentEncoding.encode(account.id))/statuses",
      [("limit", String(min(40, range.size)))] + bounds.compactMap { name, value in value.map { (name, $0) } })
  }

  func ownPosts(in answer: HTTPResponse) -> OwnPosts? {
    guard let document = answer.document, document.isArray else { return nil }
    let posts = document.elements
    return OwnPosts(posts: posts.compactMap(ownPost), nextToken: posts.last?["id"]?.text)
  }

  private func ownPost(_ status: JSONDocument) -> OwnPosts.Post? {
    guard let id = status["id"]?.text else { return nil }
    let text = PlainText.ofHTML(status["content"]?.string ?? "")
    let quote = status["quote"]?["quoted_status"]?["id"]?.text ?? status["quote"]?["quoted_status_id"]?.text
    return OwnPosts.Post(
      id: id, text: ReturnedText(text, known: []),
      createdAt: status["created_at"]?.string.flatMap { Timestamp(parsing: $0) },
      replyTo: status["in_reply_to_id"]?.text, quoteOf: quote, isRetweet: status["reblog"]?.isObject == true,
      mediaKeys: status.list("media_attachments").compactMap { $0["url"]?.nonEmptyString },
      facts: status.read { Self.facts($0) },
      postAt: { [access] in access.api.service.post(at: $0, base: access.base)?.description })
  }

  func postRequest(id: String) -> HTTPRequest { requests.status(id) }

  func document(ofPostIn answer: HTTPResponse, viewer: String) -> [UInt8]? {
    guard let document = try? JSONDocument(answer.body), document["id"]?.text != nil else { return nil }
    return document.read { $0.line }
  }

  func document(of draft: PostDraft, id: String, by account: WritingAccount) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.object { out in
      out.member("id", id)
      out.member("created_at", .shown)
      out.member("url", draft.facts[Self.urlFact])
      out.member("uri", draft.facts[Self.uriFact])
      out.member("in_reply_to_id", draft.replyTo)
      out.member("visibility", visibility(of: draft))
      out.member("spoiler_text", warning(of: draft))
      out.member("language", draft.language)
      let mentions = try? JSONDocument(draft.facts[Self.mentionsFact] ?? "[]")
      out.member("content", html(of: text(of: draft), naming: mentions?.elements ?? []))
      out.member("account", json: account.object)
      if let quoteOf = draft.quoteOf {
        out.object("quote") { $0.member("quoted_status_id", quoteOf) }
      }
      if draft.isSensitive || warning(of: draft) != nil { out.member("sensitive", true) }
      out.array("media_attachments") { out in
        for file in draft.media { Self.append(file, to: &out) }
      }
      out.member("poll", json: draft.facts[Self.pollFact])
      out.member("mentions", json: draft.facts[Self.mentionsFact])
    }
    return buffer.array
  }

  /// An attachment as the server shows it.
  private static func append(_ file: PostDraft.Media, to buffer: inout ByteBuffer) {
    guard let upload = file.upload else { return }
    buffer.element { out in
      out.member("id", upload.id)
      out.member("type", upload.type.hasPrefix("video/") ? "video" : upload.type == "image/gif" ? "gifv" : "image")
      out.member("url", upload.key)
      out.member("description", file.altText)
      guard let width = upload.width, let height = upload.height else { return }
      out.object("meta") { out in
        out.object("original") { out in
          out.member("width", width)
          out.member("height", height)
        }
      }
    }
  }

  /// A text as the server makes it HTML, as far as links, hashtags and mentions go.
  private func html(of text: String, naming mentions: [JSONDocument]) -> String {
    var page = ""
    var rest = text[...]
    while let first = rest.first {
      let isBlank = first.isWhitespace
      let part = rest.prefix { $0.isWhitespace == isBlank }
      rest = rest.dropFirst(part.count)
      page += isBlank ? String(part).replacing("\n", with: "<br>") : html(ofWord: part, naming: mentions)
    }
    return "<p>\(page)</p>"
  }

  private func html(ofWord word: Substring, naming mentions: [JSONDocument]) -> String {
    func escaped(_ text: Substring) -> String { String(text).htmlEscaped }
    if word.hasPrefix("https://") || word.hasPrefix("http://") {
      var link = word
      while let last = link.last, ".,;:!?)".contains(last) { link.removeLast() }
      return "<a href=\"\(escaped(link))\">\(escaped(link))</a>" + escaped(word.dropFirst(link.count))
    }
    if word.hasPrefix("@") {
      var name = word.dropFirst().prefix { $0.isLetter || $0.isNumber || "_-.@".contains($0) }
      while let last = name.last, "-.@".contains(last) { name.removeLast() }
      let named = mentions.first { $0["acct"]?.string?.lowercased() == name.lowercased() }
      if let page = named?["url"]?.nonEmptyString, let short = named?["username"]?.nonEmptyString {
        return "<a href=\"\(escaped(page[...]))\" class=\"u-url mention\">@<span>\(escaped(short[...]))</span></a>"
          + escaped(word.dropFirst(name.count + 1))
      }
    }
    let tag = word.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard word.hasPrefix("#"), tag.contains(where: \.isLetter) else { return escaped(word) }
    let page = "\(access.base)/tags/\(PercentEncoding.encode(String(tag)))"
    return "<a href=\"\(page)\" class=\"mention hashtag\" rel=\"tag\">#\(tag)</a>"
      + escaped(word.dropFirst(tag.count + 1))
  }

  func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer, access) }
}

extension PostDraft.Quoters {
  /// What Mastodon calls it.
  var mastodonName: String { self == .everybody ? "public" : rawValue }
}

extension PostChange {
  /// What Mastodon calls it.
  fileprivate var mastodonName: String {
    switch self {
    case .like: return "favourite"
    case .unlike: return "unfavourite"
    case .retweet: return "reblog"
    case .unretweet: return "unreblog"
    default: return rawValue
    }
  }
}
