import TweetCore

/// One request of a check: what was asked, and the status of the answer.
struct LinkHop: Equatable, Sendable {
  var url: String
  var status: Int
}

/// What checking one URL gave: the facts, from which the keys of a record are made. This is what the store keeps; the
/// kind of the link follows from it and is not kept, so that better rules reach old results too.
struct LinkResult: Equatable, Sendable {
  /// The URL that was checked, without its fragment.
  var url: String
  /// Where it ended: the last URL of the chain, or the target of a redirect that was not followed. It has a fragment
  /// when a redirect had one.
  var unwoundURL: String
  /// Of the last answer; `nil` when none came.
  var status: Int?
  /// Type and subtype, lower case, without parameters.
  var contentType: String?
  var title: String?
  var verdict: LinkVerdict
  /// A short code, `nil` when the last answer came.
  var error: String?
  /// Every URL asked, in order.
  var chain: [LinkHop] = []
  var redirects = 0
  var checkedAt: Timestamp

  /// Whether the check came to a result about the link. If not, the tool ends with status 1.
  var isSettled: Bool { status != nil || verdict == .dead }
}
