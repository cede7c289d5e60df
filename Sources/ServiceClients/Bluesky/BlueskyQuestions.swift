import Services
import TweetCore
import TweetNet
import TweetServices

/// What is asked before a record is written: hashes of posts, DIDs of names, and whether it is there already.
extension BlueskyWriting {
  func question(before action: WriteAction, _ parts: WriteParts, by account: WritingAccount) -> HTTPRequest? {
    let facts = parts.facts
    switch action {
    case .post(let draft):
      if let parent = draft.replyTo, facts[BlueskyFact.parent] == nil { return post(parent, by: account) }
      if let quote = draft.quoteOf, facts[BlueskyFact.quote] == nil { return post(quote, by: account) }
      if let handle = BlueskyFacets(draft.text).handles.first(where: { facts[BlueskyFact.mention($0)] == nil }) {
        return requests.resolve(handle)
      }
      // What is written in one piece with others can be created, but not put: was it, by an earlier try?
      guard draft.hasGates, parts.seen == nil, !parts.isNewKey, let key = parts.key else { return nil }
      return own(RecordAddress(authority: account.id, collection: RecordAddress.post, key: key))
    case .change(.delete, _): return BlueskyGates.question(parts, by: account).map(own)
    case .change(let change, _):
      guard let own = facts[BlueskyFact.own] else {
        switch change {
        case .delete, .unbookmark: return nil
        case .follow, .unfollow: return requests.get("app.bsky.actor.getProfile", [("actor", parts.target)])
        case .retweet, .unretweet, .like, .unlike, .bookmark: return requests.posts([parts.target])
        }
      }
      // The AppView may not know yet what the account's own server has.
      guard own.isEmpty, let collection = change.collection else { return nil }
      return requests.get(
        "com.atproto.repo.listRecords", [("repo", account.id), ("collection", collection), ("limit", "100")])
    }
  }

  /// The AppView may not have an own post yet, such as the one before it in a thread.
  private func post(_ id: String, by account: WritingAccount) -> HTTPRequest {
    guard let address = RecordAddress(id), address.authority == account.id else { return requests.posts([id]) }
    return own(address)
  }

  private func own(_ address: RecordAddress) -> HTTPRequest {
    requests.get(
      "com.atproto.repo.getRecord",
      [("repo", address.authority), ("collection", address.collection), ("rkey", address.key)])
  }

  func learn(
    from answer: HTTPResponse, before action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> WriteAnswer? {
    let document = try? JSONDocument(answer.body)
    switch action {
    case .post(let draft):
      if let parent = draft.replyTo, parts.facts[BlueskyFact.parent] == nil {
        return learn(ofParent: parent, answer, document, parts)
      }
      if let quote = draft.quoteOf, parts.facts[BlueskyFact.quote] == nil {
        guard let found = Self.post(in: document, answer) else { return Self.missing(quote, answer) }
        if found["viewer"]?["embeddingDisabled"]?.bool == true {
          return .refused(.notAllowed("the post '\(quote)' may not be quoted: its author does not allow that"))
        }
        return BlueskyRecords.reference(found).map { Self.learnt(parts, [(BlueskyFact.quote, $0)]) }
      }
      guard let handle = BlueskyFacets(draft.text).handles.first(where: { parts.facts[BlueskyFact.mention($0)] == nil })
      else { return learn(ofOwn: answer, document, parts) }
      if answer.isSuccess, let did = document?["did"]?.string.flatMap({ AccountName($0) }), did.isDID {
        return Self.learnt(parts, [(BlueskyFact.mention(handle), did.text)])
      }
      let isNone = [400, 404].contains(answer.status) && refusal(answer).error.status == .refused
      return isNone ? Self.learnt(parts, [(BlueskyFact.mention(handle), "")]) : nil
    case .change(.delete, _):
      guard let record = BlueskyGates.question(parts, by: account) else { return nil }
      let isNone = document?["error"]?.equals("RecordNotFound") == true
      guard answer.isSuccess && document?["uri"] != nil || isNone else { return nil }
      return Self.learnt(parts, [(BlueskyFact.record(record.collection), isNone ? "" : record.key)])
    case .change(let change, _):
      guard answer.isSuccess, let document else { return nil }
      if parts.facts[BlueskyFact.own] != nil {
        guard document["records"]?.isArray == true else { return nil }
        let own = document.list("records").first { record in
          let subject = record["value"]?["subject"]
          return (subject?.string ?? subject?["uri"]?.string) == parts.target
        }
        let key = Self.key(own?["uri"])
        if change.isUndo == (key == nil) { return .done }
        return Self.learnt(parts, [(BlueskyFact.own, key ?? BlueskyFact.none)])
      }
      return learn(ofSubject: change, answer, document, parts)
    }
  }

  private func learn(
    ofParent id: String, _ answer: HTTPResponse, _ document: JSONDocument?, _ parts: WriteParts
  ) -> WriteAnswer? {
    guard let post = Self.post(in: document, answer) else { return Self.missing(id, answer) }
    // The record would be made all the same, and nobody would be shown it.
    if post["viewer"]?["replyDisabled"]?.bool == true {
      return .refused(.notAllowed("the post '\(id)' may not be answered: the author of its thread does not allow that"))
    }
    guard let parent = BlueskyRecords.reference(post) else { return nil }
    let reply = (post["record"] ?? post["value"])?["reply"]
    let root = BlueskyRecords.reference(reply?["root"]) ?? parent
    return Self.learnt(parts, [(BlueskyFact.parent, parent), (BlueskyFact.root, root)])
  }

  /// Whether a record is there under the key of a post.
  private func learn(ofOwn answer: HTTPResponse, _ document: JSONDocument?, _ parts: WriteParts) -> WriteAnswer? {
    if answer.isSuccess { return (document?["uri"]?.nonEmptyString).map { .made(id: $0) } }
    guard document?["error"]?.equals("RecordNotFound") == true else { return nil }
    var parts = parts
    parts.seen = "none"
    return .learnt(parts)
  }

  private func learn(
    ofSubject change: PostChange, _ answer: HTTPResponse, _ document: JSONDocument, _ parts: WriteParts
  ) -> WriteAnswer? {
    let subject: JSONDocument
    var facts: [(String, String)] = []
    if change.isOfAccount {
      guard document["did"]?.string == parts.target else { return nil }
      subject = document
    } else {
      guard let post = Self.post(in: document, answer) else { return Self.missing(parts.target, answer) }
      guard let reference = BlueskyRecords.reference(post) else { return nil }
      (subject, facts) = (post, [(BlueskyFact.subject, reference)])
    }
    let viewer = subject["viewer"]
    let own =
      switch change {
      case .like, .unlike: viewer?["like"]
      case .retweet, .unretweet: viewer?["repost"]
      case .follow, .unfollow: viewer?["following"]
      case .bookmark, .unbookmark, .delete: JSONDocument?.none
      }
    let key = Self.key(own)
    if key != nil, !change.isUndo { return .done }
    return Self.learnt(parts, facts + [(BlueskyFact.own, key ?? "")])
  }

  /// The one post of an answer: that of the AppView, or the record of the account's own server.
  private static func post(in document: JSONDocument?, _ answer: HTTPResponse) -> JSONDocument? {
    guard answer.isSuccess, let document else { return nil }
    return document["posts"] == nil ? document : document.list("posts").first
  }

  private static func missing(_ id: String, _ answer: HTTPResponse) -> WriteAnswer? {
    let document = try? JSONDocument(answer.body)
    let isGone =
      answer.isSuccess ? document?["posts"]?.isArray == true : document?["error"]?.equals("RecordNotFound") == true
    return isGone ? .refused(.refused("the service does not show the post '\(id)': it is gone, or it is hidden")) : nil
  }

  private static func key(_ uri: JSONDocument?) -> String? { uri?.string.flatMap { RecordAddress($0)?.key } }

  private static func learnt(_ parts: WriteParts, _ facts: [(String, String)]) -> WriteAnswer {
    var parts = parts
    for (name, fact) in facts { parts.facts[name] = fact }
    return .learnt(parts)
  }
}

extension PostChange {
  /// Where an account keeps what it has done; `nil` for what is not a record.
  var collection: String? {
    switch self {
    case .like, .unlike: RecordAddress.like
    case .retweet, .unretweet: RecordAddress.repost
    case .follow, .unfollow: RecordAddress.follow
    case .bookmark, .unbookmark, .delete: nil
    }
  }
}
