import TweetCore

/// One request of a check: its URL, and the status of the answer.
struct LinkHop: Equatable, Sendable {
  var url: String
  var status: Int
}

/// The result of the check of one URL: the facts from which the keys of a record are made. The link's kind is not among
/// them: it is found anew from stored results, so that better rules apply to old results too.
struct LinkResult: Equatable, Sendable {
  /// The checked URL, without its fragment.
  var url: String
  /// Where it ended: the last URL of the chain, or the target of a redirect that was not followed. It has a fragment
  /// when a redirect had one.
  var unwoundURL: String
  /// Of the last answer; `nil` when there was none.
  var status: Int?
  /// Type and subtype, lower case, without parameters.
  var contentType: String?
  var title: String?
  var verdict: LinkVerdict
  /// A short code; `nil` when the last request had a usable answer.
  var error: String?
  /// The requests, in order.
  var chain: [LinkHop] = []
  var redirects = 0
  var checkedAt: Timestamp

  /// Whether there is a verdict. If not, the tool ends with status 1.
  var isSettled: Bool { verdict != .unknown }
}
