import TweetCore
import TweetNet
import TweetServices

// An edit has the whole post anew: what is left out is removed from it. So the post is asked for first, and what is not
// changed is sent as it was.
extension MastodonWriting {
  /// What is known of a post that is edited: as its server shows it, and as its author wrote it.
  private static let (post, source) = ("post", "source")

  func question(before action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest? {
    guard case .post(let draft) = action else { return nil }
    guard let id = draft.editOf else { return question(ofLinked: draft, parts.facts) }
    if parts.facts[Self.post] == nil { return requests.status(id) }
    return parts.facts[Self.source] == nil ? requests.source(of: id) : nil
  }

  func learn(
    from answer: HTTPResponse, before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer? {
    guard case .post(let draft) = action else { return nil }
    guard let id = draft.editOf else { return learn(ofLinked: draft, answer, parts, by: account) }
    if answer.status == 404 {
      return .refused(.refused("there is no post '\(id)', or it is not the account's to edit"))
    }
    guard answer.isSuccess,
      let document = try? JSONDocument(answer.body), document["id"]?.text == id
    else { return nil }
    var parts = parts
    guard parts.facts[Self.post] == nil else {
      parts.facts[Self.source] = document.rawText
      return .learnt(parts)
    }
    guard document["account"]?["id"]?.text == account.id else {
      return .refused(.refused("the post '\(id)' is not one of account '\(account.username)'"))
    }
    // What is kept of it, and nothing of those who wrote or liked it.
    var kept = ByteBuffer()
    kept.object { out in
      out.member("language", document["language"]?.nonEmptyString)
      out.member("sensitive", document["sensitive"]?.bool ?? false)
      if let poll = document["poll"], poll.isObject { out.member("poll", json: poll.rawText) }
      if let media = document["media_attachments"], media.isArray { out.member("media", json: media.rawText) }
    }
    if let refusal = Self.refusal(of: draft, document) { return .refused(refusal) }
    parts.facts[Self.post] = kept.string
    return .learnt(parts)
  }

  private static func refusal(of draft: PostDraft, _ post: JSONDocument) -> ToolError? {
    let count = post.list("media_attachments").count
    if draft.altTexts.count > count {
      return .badData("the post has \(count == 0 ? "no pictures" : "\(count) pictures"), and more --alt are given")
    }
    // An edit opens a poll anew for as long as it says.
    guard let poll = post["poll"], poll.isObject else { return nil }
    if poll["expired"]?.bool == true {
      return .refused("the poll of the post is over, and an edit would open it again")
    }
    return nil
  }

  func edit(_ id: String, _ draft: PostDraft, _ parts: WriteParts) -> HTTPRequest {
    let post = try? JSONDocument(parts.facts[Self.post] ?? "{}")
    let source = try? JSONDocument(parts.facts[Self.source] ?? "{}")
    let old = source?["spoiler_text"]?.string ?? ""
    let warning = draft.warning ?? old
    // Whoever takes a warning away does not mean to cover the pictures, which it did.
    let wasCovered = post?["sensitive"]?.bool == true && (old.isEmpty || !warning.isEmpty)
    var body = ByteBuffer()
    body.object { out in
      out.member("status", draft.text.isEmpty ? source?["text"]?.string ?? "" : draft.text)
      out.member("spoiler_text", warning)
      out.member("sensitive", draft.isSensitive || !warning.isEmpty || wasCovered)
      out.member("language", draft.language ?? post?["language"]?.string)
      out.member("quote_approval_policy", draft.quoters?.mastodonName)
      let media = post?.list("media") ?? []
      if !media.isEmpty {
        out.key("media_ids")
        out.appendJSONStrings(media.compactMap { $0["id"]?.text })
        out.array("media_attributes") { out in
          for (index, file) in media.enumerated() {
            out.element { out in
              out.member("id", file["id"]?.text)
              let text = draft.altTexts.indices.contains(index) ? draft.altTexts[index] : nil
              out.member("description", text ?? file["description"]?.string)
            }
          }
        }
      }
      if let poll = post?["poll"] {
        out.object("poll") { out in
          out.key("options")
          out.appendJSONStrings(poll.list("options").compactMap { $0["title"]?.string })
          let end = poll["expires_at"]?.string.flatMap { Timestamp(parsing: $0) }
          let left = end.map { Int($0.milliseconds - Timestamp.now.milliseconds) / 1000 } ?? Self.longestPoll
          out.member("expires_in", max(Self.shortestPoll, left))
          out.member("multiple", poll["multiple"]?.bool ?? false)
        }
      }
    }
    return requests.put("/api/v1/statuses/\(PercentEncoding.encode(id))", body.string)
  }

  /// Seconds that a poll is open (Mastodon's `PollExpirationValidator`); the longest where it has no end.
  private static let (shortestPoll, longestPoll) = (300, 2_629_746)
}
