import TweetCore
import TweetNet
import TweetServices

extension Refusal {
  /// What an answer of a server with Mastodon's API means that is not 2xx.
  init(_ answer: HTTPResponse, _ access: ServiceAccess) {
    let text = ServiceProblem.mastodonText(answer)
    switch answer.status {
    case 429:
      self.init(.rateLimit, text, error: .tryLater("too many requests: \(text)"))
      scope = .account
      resetsAt = answer.rateReset
    case 408, 425, 500...599:
      self.init(.trouble, text, error: .tryLater("the server is in trouble: \(text); try again later"))
    default:
      self.init(.final, text, error: Self.error(answer.status, text, access))
      if answer.status == 401 { scope = .account }
    }
    retryAfter = answer.retryAfter
  }

  private static func error(_ status: Int, _ text: String, _ access: ServiceAccess) -> ToolError {
    let login = "run 'tw-auth login --service \(access.service)'"
    switch status {
    case 300...399:
      return .refused("the server sends requests elsewhere, and tokens go only to '\(access.base)': \(text)")
    // Mastodon before version 4.3 answers 422 to who has no account.
    case _ where access.isAnonymous && [401, 403, 422].contains(status):
      return .notAllowed("the server shows this only to its accounts: \(text); \(login)")
    case 401: return .notAllowed("the server does not accept the token: \(text); \(login)")
    case 403: return .notAllowed("the server does not allow this: \(text)")
    case 404, 410: return .refused("not there: \(text)")
    default: return .refused("the server does not accept the request: \(text)")
    }
  }
}

extension ServiceProblem {
  /// What the server says, for people. Laravel's servers call it `message`, and Pleroma's sometimes send an object.
  static func mastodonText(_ answer: HTTPResponse) -> String {
    guard let document = try? JSONDocument(answer.body), document.isObject else {
      // Of a WebSocket that it does not open, Mastodon says why in a field, and sends no body.
      guard let text = answer.headers["x-error-message"], !text.isEmpty else { return ServiceProblem(answer).text }
      return answer.secrets.hidden(in: text)
    }
    let error = document["error"]
    let parts = [
      error?.nonEmptyString ?? error?["message"]?.nonEmptyString ?? document["message"]?.nonEmptyString,
      document["error_description"]?.nonEmptyString,
    ].compactMap { $0 }
    guard !parts.isEmpty else { return ServiceProblem(answer).text }
    let text = answer.secrets.hidden(in: parts.joined(separator: ": "))
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension HTTPResponse {
  /// When the limit's window ends. Mastodon writes a time, others the seconds since 1970.
  var rateReset: Timestamp? {
    guard let text = headers["x-ratelimit-reset"] else { return nil }
    return Int(text) == nil ? Timestamp(parsing: text) : headers.time("x-ratelimit-reset")
  }

  /// What an answer says of the limit that is nearest to its end; `nil` where it says nothing.
  ///
  /// Requests for pages have a limit of their own, 300 in a quarter of an hour. A run asks eight at a time; as many are
  /// left to the others.
  var rateWindow: RateWindow? {
    guard let limit = headers.integer("x-ratelimit-limit"), let remaining = headers.integer("x-ratelimit-remaining"),
      let resetsAt = rateReset
    else { return nil }
    return RateWindow(limit: limit, remaining: remaining - 8, resetsAt: resetsAt)
  }

  /// The address of the next page (older), as the server spells it (`Link`, RFC 8288).
  var nextLink: String? {
    headers.values("link").lazy.flatMap { LinkField($0) }.first { $0.relations.contains("next") }?.target
  }

  /// That the server is still collecting what belongs to the answer: the seconds after which to ask again.
  var refreshWait: Int? {
    guard let field = headers["mastodon-async-refresh"] else { return status == 206 ? Self.usualRefresh : nil }
    let wait = field.split(separator: ",").lazy.compactMap { part -> Int? in
      let pair = part.split(separator: "=").map { $0.filter { !$0.isWhitespace } }
      return pair.count == 2 && pair[0] == "retry" ? Int(pair[1]) : nil
    }.first
    return min(max(wait ?? Self.usualRefresh, 1), 60)
  }

  private static let usualRefresh = 5
}
