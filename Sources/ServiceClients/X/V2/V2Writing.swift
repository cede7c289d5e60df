import Services
import TweetCore
package import TweetNet
package import TweetServices

/// Writing by the X API v2, which X and tw-local speak.
package struct V2Writing: WriteAPI, MediaAPI {
  let requests: XRequests
  private let kind: any ServiceKind
  private let base: String
  private var service: String { kind.name }

  package init(_ access: ServiceAccess) {
    requests = XRequests(access)
    kind = access.api.service
    base = access.base
  }

  package var media: (any MediaAPI)? { self }

  /// X answers within seconds; half a minute is far more than its own time-outs. tw-local answers at once, unless its
  /// machine has much else to do.
  package var settlingTime: Int { service == "local" ? 5_000 : 30_000 }

  package var longestRequest: Int { ServiceAccess.requestTimeout }

  package var accountRequest: HTTPRequest { requests.profile("/2/users/me") }

  package func userRequest(named name: String) -> HTTPRequest {
    requests.profile("/2/users/by/username/\(PercentEncoding.encode(name))")
  }

  package func account(in answer: HTTPResponse) -> WritingAccount? {
    guard let document = try? JSONDocument(answer.body), let user = document["data"], user.isObject,
      let id = user["id"]?.nonEmptyString, let username = user["username"]?.nonEmptyString
    else { return nil }
    return WritingAccount(id: id, username: username, object: user.rawText)
  }

  package func request(
    _ action: WriteAction, _ parts: WriteParts, by account: WritingAccount
  ) -> HTTPRequest {
    switch action {
    case .post(let draft): requests.post("/2/tweets", draft.v2Body(parts.media))
    case .change(let change, _): requests.change(change, target: parts.target, by: account.id)
    }
  }

  package func scopes(for action: WriteAction) -> [String] {
    let scope =
      switch action {
      case .post, .change(.delete, _), .change(.retweet, _), .change(.unretweet, _): "tweet.write"
      case .change(.like, _), .change(.unlike, _): "like.write"
      case .change(.bookmark, _), .change(.unbookmark, _): "bookmark.write"
      case .change(.follow, _), .change(.unfollow, _): "follows.write"
      }
    guard case .post(let draft) = action, !draft.media.isEmpty else { return ["tweet.read", "users.read", scope] }
    return ["tweet.read", "users.read", scope, "media.write"]
  }

  package func ownPosts(of account: WritingAccount, _ range: PageRange) -> HTTPRequest {
    requests.page(.user, of: account.id, range)
  }

  package func postRequest(id: String) -> HTTPRequest { requests.posts(ids: [id]) }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }

  package func document(ofPostIn answer: HTTPResponse, viewer: String) -> [UInt8]? {
    guard let document = try? JSONDocument(answer.body) else { return nil }
    return document.read { root in
      guard let post = root.list("data").first else { return nil }
      var edits = RecordEdits()
      edits.set("viewer", in: post, to: viewer)
      var buffer = ByteBuffer(capacity: answer.body.count + viewer.utf8.count)
      edits.apply(to: root, into: &buffer)
      return buffer.array
    }
  }
}

// MARK: Answers

extension V2Writing {
  package func outcome(of action: WriteAction, _ answer: HTTPResponse) -> WriteOutcome {
    guard answer.isSuccess else { return outcome(of: action, ServiceProblem(answer), Refusal(answer)) }
    guard let document = try? JSONDocument(answer.body), document.isObject else {
      return .unknown("the service's answer is no JSON")
    }
    guard let data = document["data"], data.isObject else {
      guard let problem = document.read({ ServiceProblem(message: $0) }) else {
        return .unknown("the service's answer says nothing of it")
      }
      return .refused(.refused(problem.text))
    }
    switch action {
    case .post:
      guard let id = data["id"]?.nonEmptyString else { return .unknown("the service's answer has no id") }
      return .done(id: id)
    case .change: return .done(id: data["rest_id"]?.nonEmptyString)
    }
  }

  private func outcome(of action: WriteAction, _ problem: ServiceProblem, _ refusal: Refusal) -> WriteOutcome {
    switch (problem.status, refusal.meaning) {
    case (_, .rateLimit): return .limited(refusal)
    case (_, .trouble): return .unknown(refusal.text)
    case (401, _), (_, .noStream): return .accountRefused(problem.toolError)
    case _ where problem.isUsedUp: return .accountRefused(problem.toolError)
    case (403, _) where problem.isDuplicate:
      return .duplicate(.refused("the service has this post already: \(problem.text)"))
    case (403, _) where problem.kind == "unsupported-authentication":
      let advice = "sign in as a user in another way: 'tw-auth login'"
      return .accountRefused(
        .notAllowed("the service does not allow '\(action.name)' with this token: \(problem.text); \(advice)"))
    case (403, _): return .refused(.notAllowed(forbidden(action, problem.text)))
    case (404, _): return .refused(.refused("not there: \(problem.text)"))
    default: return .refused(problem.toolError)
    }
  }

  /// Since 2026 X's usual plans have no likes, follows and quotes, and answers only to those who asked (docs.x.com,
  /// changelog).
  private func forbidden(_ action: WriteAction, _ text: String) -> String {
    let message = "the service does not allow '\(action.name)': \(text)"
    guard service == "x" else { return message }
    switch action {
    case .post(let draft) where draft.replyTo == nil && draft.quoteOf == nil: return message
    case .change(.delete, _), .change(.bookmark, _), .change(.unbookmark, _): return message
    default: return message + "; X's usual plans do not include it, X's own site and apps do"
    }
  }

  package func ownPosts(in answer: HTTPResponse) -> OwnPosts? {
    guard let document = answer.document else { return nil }
    guard document["data"] != nil || document["meta"] != nil else { return nil }
    return OwnPosts(
      posts: document.list("data").compactMap { ownPost($0) },
      nextToken: document["meta"]?["next_token"]?.nonEmptyString)
  }
}

extension ServiceProblem {
  /// The account has posted the same a short time ago. X says so in words only.
  fileprivate var isDuplicate: Bool { text.lowercased().contains("duplicate") }
}

extension V2Writing {
  private func ownPost(_ post: JSONDocument) -> OwnPosts.Post? {
    guard let id = post["id"]?.nonEmptyString else { return nil }
    var references: [String: String] = [:]
    for reference in post.list("referenced_tweets") {
      if let type = reference["type"]?.string { references[type] = reference["id"]?.string }
    }
    // Long posts have their whole text apart.
    let whole = post["note_tweet"] ?? post
    var known: [(short: String, long: String)] = []
    for link in whole["entities"]?.list("urls") ?? [] {
      guard let short = link["url"]?.nonEmptyString, let long = link["expanded_url"]?.nonEmptyString else { continue }
      known.append((short, long))
    }
    let text = ReturnedText(whole["text"]?.string ?? "", known: known, shortHost: "t.co") {
      $0.contains("/status/\(id)/")
    }
    return OwnPosts.Post(
      id: id, text: text, createdAt: post["created_at"]?.string.flatMap { Timestamp(parsing: $0) },
      replyTo: references["replied_to"], quoteOf: references["quoted"], isRetweet: references["retweeted"] != nil,
      mediaKeys: post["attachments"]?.list("media_keys").compactMap(\.string) ?? [],
      postAt: { [kind, base] in kind.post(at: $0, base: base)?.description })
  }
}

// MARK: Requests

extension XRequests {
  fileprivate func profile(_ path: String) -> HTTPRequest { get(path, Self.fields.filter { $0.0 == "user.fields" }) }

  /// - Parameters:
  ///   - target: the id of a post or of an account.
  ///   - id: the account's own.
  fileprivate func change(_ change: PostChange, target: String, by id: String) -> HTTPRequest {
    let user = "/2/users/\(PercentEncoding.encode(id))"
    let part = PercentEncoding.encode(target)
    let body = "{\"\(change.isOfAccount ? "target_user_id" : "tweet_id")\":\(json(target))}"
    return switch change {
    case .delete: delete("/2/tweets/\(part)")
    case .like: post("\(user)/likes", body)
    case .unlike: delete("\(user)/likes/\(part)")
    case .retweet: post("\(user)/retweets", body)
    case .unretweet: delete("\(user)/retweets/\(part)")
    case .bookmark: post("\(user)/bookmarks", body)
    case .unbookmark: delete("\(user)/bookmarks/\(part)")
    case .follow: post("\(user)/following", body)
    case .unfollow: delete("\(user)/following/\(part)")
    }
  }
}
