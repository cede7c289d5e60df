import TweetCore
package import TweetNet
package import TweetServices

extension Refusal {
  /// What an answer of Bluesky's servers means that is not 2xx: `{"error":"InvalidRequest","message":"…"}`, or a page
  /// of an edge.
  package init(bluesky answer: HTTPResponse) {
    let document = try? JSONDocument(answer.body)
    let words = [document?["error"]?.string, document?["message"]?.string].compactMap { $0 }.filter { !$0.isEmpty }
    let isSession = document?["error"].map { $0.equals("ExpiredToken") || $0.equals("InvalidToken") } ?? false
    self.init(
      bluesky: isSession ? 401 : answer.status, words.isEmpty ? "HTTP \(answer.status)" : words.joined(separator: ": "))
    retryAfter = answer.retryAfter
    if meaning == .rateLimit { resetsAt = answer.headers.time("ratelimit-reset") }
  }

  private init(bluesky status: Int, _ text: String) {
    switch status {
    case 300...399:
      self.init(.final, text, error: .refused("the service redirects, which it should not: is its address right?"))
    case 401, 403:
      self.init(.final, text, error: .notAllowed("the service does not allow this to who asks: \(text)"))
    case 429:
      self.init(.rateLimit, text, error: .tryLater("rate limit: \(text); try again later"))
      scope = .account
    case 501: self.init(.final, text, error: .refused("the service does not know this: \(text)"))
    case 408, 425, 500...599:
      self.init(.trouble, text, error: .tryLater("the service is not ready: \(text); try again later"))
    default: self.init(.final, text, error: .refused("the service does not answer this: \(text)"))
    }
  }
}
